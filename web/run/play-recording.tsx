/** A player for the recording of a run without captions. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { ChooseRecording } from './choose-recording.tsx';
import { setLocalMedia } from './local-media.ts';
import { recordingOfRun } from './run-again.ts';
import { runEndText as texts } from '../texts/run-ends.ts';

interface PlayRecordingProps {
  runId: string;
  result: CaptionerResult;
  /** Where to begin, in seconds. Default: 0. */
  from?: number;
}

/** The browser's own player; without the recording, a button to open it. */
export function PlayRecording({ runId, result, from = 0 }: PlayRecordingProps) {
  const file = useSignal<File | null | undefined>(null);
  useEffect(() => {
    void recordingOfRun(runId, result).then((found) => (file.value = found));
  }, [runId, result]);
  if (file.value === null) return null;
  if (file.value) return <Audio file={file.value} from={from} />;
  return (
    <div class="listen">
      <p id="listen-note">{texts.notHere}</p>
      <ChooseRecording
        label={texts.open}
        describedBy="listen-note"
        onFile={(opened) => {
          setLocalMedia(runId, opened);
          file.value = opened;
        }}
      />
    </div>
  );
}

function Audio({ file, from }: { file: File; from: number }) {
  const element = useRef<HTMLAudioElement>(null);
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <audio
      class="listen"
      ref={element}
      controls
      preload="metadata"
      src={url}
      aria-label={texts.listen}
      onLoadedMetadata={() => {
        if (element.current && from > 0) element.current.currentTime = from;
      }}
    />
  );
}
