/** A run that moderation blocked: the finding, its place, and the next steps. */
import type { CaptionerBlockedResult } from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { position } from '../format.ts';
import { ChooseRecording } from './choose-recording.tsx';
import { PlayRecording } from './play-recording.tsx';
import { runInstead } from './run-again.ts';
import { runEndText as texts } from '../texts/run-ends.ts';

/** The notice of a block, the recording at that place, and the next steps. */
export function BlockedRun({ runId, result }: { runId: string; result: CaptionerBlockedResult }) {
  const { severity, flaggedChunk } = result.metadata.moderation;
  const start = flaggedChunk?.start;
  return (
    <>
      <Notice kind="warning" title={texts.blocked}>
        <p>{texts.blockedWhy(severity)}</p>
        {start !== undefined && (
          <p>
            {texts.blockedWhere}: {position(start)}
            {flaggedChunk?.end !== undefined && ` – ${position(flaggedChunk.end)}`}
          </p>
        )}
        <p>{texts.blockedAdvice}</p>
      </Notice>
      {start !== undefined && <h2>{texts.blockedListen}</h2>}
      <PlayRecording runId={runId} result={result} from={start ?? 0} />
      <div class="next-step">
        <ChooseRecording
          label={texts.otherFile}
          isPrimary
          onFile={(file) => runInstead(file, result)}
        />
        <p class="hint">{texts.otherFileHint}</p>
      </div>
    </>
  );
}
