/** Runs without captions: one that failed or was blocked, or a recording without speech; and the next steps. */
import type { VNode } from 'preact';
import { useSignal } from '@preact/signals';
import { useEffect, useRef, useMemo } from 'preact/hooks';
import type {
  CaptionerBlockedResult,
  CaptionerFailedResult,
  CaptionerCompletedResult,
  CaptionerResult,
} from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { problemText } from '../texts/problems.ts';
import { progressText } from '../texts/run-progress.ts';
import { runEndText as texts } from '../texts/run-ends.ts';
import { nextSteps, type NextStep } from './next-steps.ts';
import { position } from '../texts/format.ts';
import { text } from '../texts/shell.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { keptRecording, keptRun } from '../storage/runs.ts';
import { begin } from './job.ts';
import { localMedia, setLocalMedia } from './local-media.ts';
import { Select } from '../components/fields.tsx';
import { languages } from './languages.ts';
import { providersOf } from './draft.ts';

interface FailedRunProps {
  runId: string;
  result: CaptionerFailedResult;
}

/** The error with its steps, the one that is most likely to help first. */
export function FailedRun({ runId, result }: FailedRunProps) {
  const { error } = result;
  const [again, request] = useRunAgain(runId, result);
  const [first, ...others] = nextSteps(error, texts.again);
  const show = (step: NextStep, isPrimary: boolean) => (
    <Step step={step} isPrimary={isPrimary} result={result} again={again} />
  );
  return (
    <>
      <What result={result} />
      {error.code === 'audio_too_long' && <Parts result={result} />}
      {first && <div class="next-step">{show(first, true)}</div>}
      {others.length > 0 && (
        <>
          <h2>{texts.otherWays}</h2>
          <ul class="suggestions">
            {others.map((step, at) => (
              <li key={at}>{show(step, false)}</li>
            ))}
          </ul>
        </>
      )}
      {request}
    </>
  );
}

/** What happened. */
function What({ result }: { result: CaptionerFailedResult }) {
  const { error } = result;
  const kept = result.metadata.storage?.sourceAudio.status;
  if (error.code === 'cancelled') {
    return (
      <Notice kind="info" title={texts.cancelled}>
        <p>
          {texts.cancelledNote}
          {kept && ` ${texts.recording[kept]}`}
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind="error" title={progressText.failed}>
      <p>{problemText(error)}</p>
      <p>{texts.failedAt(progressText.stages[error.stage] ?? error.stage)}</p>
    </Notice>
  );
}

interface StepProps {
  step: NextStep;
  isPrimary: boolean;
  result: CaptionerFailedResult;
  again(patch: object): void;
}

function Step({ step, isPrimary, result, again }: StepProps) {
  if (step.kind === 'other-file') {
    return (
      <>
        <ChooseRecording
          label={texts.otherFile}
          isPrimary={isPrimary}
          onFile={(file) => runInstead(file, result)}
        />
        <p class="hint">{texts.otherFileHint}</p>
      </>
    );
  }
  if (step.kind === 'settings') {
    if (isPrimary) return <OtherSettings result={result} onAgain={again} />;
    return (
      <details>
        <summary>{texts.settings}</summary>
        <OtherSettings result={result} onAgain={again} />
      </details>
    );
  }
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={() => again(step.patch)}>
        {step.label}
      </button>
      {step.hint && <p class="hint">{step.hint}</p>}
    </>
  );
}

/** The command that cuts a recording that is too long, as the service suggests it. */
function Parts({ result }: { result: CaptionerFailedResult }) {
  const [command] = result.error.suggestions.flatMap(
    ({ description = '' }) => /ffmpeg .*$/.exec(description) ?? [],
  );
  if (command === undefined) return null;
  return (
    <>
      <p>{texts.tooLongHint}</p>
      <pre tabIndex={0}>
        <code>{command}</code>
      </pre>
    </>
  );
}

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

interface NoSpeechProps {
  runId: string;
  /** The file name of the recording. */
  name: string;
  result: CaptionerCompletedResult;
  /** The person writes the captions. */
  onByHand(): void;
}

/** What the page of a recording without speech offers: to listen, to run it again, to write captions by hand. */
export function NoSpeech({ runId, name, result, onByHand }: NoSpeechProps) {
  const [again, request] = useRunAgain(runId, result);
  return (
    <section class="card" aria-labelledby="no-speech-title">
      <h1 id="no-speech-title">{text.run.title(name)}</h1>
      <Notice kind="warning" title={texts.noSpeech}>
        <p>{texts.noSpeechAdvice}</p>
      </Notice>
      <PlayRecording runId={runId} result={result} />
      <OtherSettings result={result} onAgain={again} />
      {request}
      <h2>{texts.otherWays}</h2>
      <ul class="suggestions">
        <li>
          <button type="button" onClick={onByHand}>
            {texts.byHand}
          </button>
          <p class="hint">{texts.byHandHint}</p>
        </li>
      </ul>
    </section>
  );
}

/** The payload of a run, which its result repeats with all defaults filled in. */
function payloadOfRun({ input }: CaptionerResult): CaptionerPayload {
  const { source, ...rest } = input;
  return { audio: source, ...rest } as unknown as CaptionerPayload;
}

/** The recording of a run, as far as this browser has it. */
async function recordingOfRun(runId: string, result: CaptionerResult): Promise<File | undefined> {
  const opened = localMedia(runId);
  if (opened) return opened;
  const [record, kept] = await Promise.all([keptRun(runId), keptRecording(runId)]).catch(
    () => [undefined, undefined] as const,
  );
  const name = record?.name ?? payloadOfRun(result).audio.filename ?? 'recording.mp3';
  return kept && new File([kept], name, { type: 'audio/mpeg' });
}

/** Starts a recording, an MP3 or media to convert to one, with a run's settings and a change to them. */
function runAgain(
  recording: File,
  result: CaptionerResult,
  patch: unknown,
  speakers?: string,
): void {
  const payload = mergePatch(payloadOfRun(result), patch) as CaptionerPayload;
  const filename = payload.audio.filename ?? recording.name;
  begin(recording, (key) => ({ ...payload, audio: { key, filename } }), speakers);
}

/** Starts another recording with the settings of a run; its own name takes the place of the old. */
const runInstead = (recording: File, result: CaptionerResult): void =>
  runAgain(recording, result, { audio: { filename: recording.name } });

/** Applies a patch; neither value is modified. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface ChooseRecordingProps {
  label: string;
  isPrimary?: boolean;
  /** Whether to focus it when it appears. */
  takesFocus?: boolean;
  /** The id of the text that explains the purpose. */
  describedBy?: string;
  onFile(file: File): void;
}

/** The button that chooses a recording for a run. */
export function ChooseRecording({
  label,
  isPrimary,
  takesFocus,
  describedBy,
  onFile,
}: ChooseRecordingProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  return (
    <label class={isPrimary ? 'button primary' : 'button'}>
      {label}
      <input
        ref={field}
        type="file"
        accept="video/*,audio/*"
        class="visually-hidden"
        aria-describedby={describedBy}
        onChange={(event) => {
          const [file] = event.currentTarget.files!;
          if (file) onFile(file);
        }}
      />
    </label>
  );
}

interface PlayRecordingProps {
  runId: string;
  result: CaptionerResult;
  /** Where to begin, in seconds. Default: 0. */
  from?: number;
}

/** The browser's own player; without the recording, a button to open it. */
function PlayRecording({ runId, result, from = 0 }: PlayRecordingProps) {
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

interface OtherSettingsProps {
  result: CaptionerResult;
  /** Runs the recording again with a patch to its payload. */
  onAgain(patch: object): void;
}

/**
 * Two fields with the settings of the run, and the button that runs it again with the chosen ones.
 */
function OtherSettings({ result, onAgain }: OtherSettingsProps) {
  const before = payloadOfRun(result);
  const language = useSignal(before.language ?? 'en');
  const provider = useSignal<string>(before.transcription?.provider ?? 'edge');
  const known = languages();
  const isKnown = known.some(([tag]) => tag === language.value);
  const speech = new Set([provider.value, ...providersOf('transcription')]);
  const again = () => {
    // Another provider does not know the model of this one.
    const isOther = provider.value !== (before.transcription?.provider ?? 'edge');
    onAgain({
      language: language.value,
      transcription: { provider: provider.value, ...(isOther ? { model: null } : {}) },
    });
  };
  return (
    <form
      class="other-settings"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        again();
      }}
    >
      <div class="row">
        <Select
          label={texts.language}
          value={language}
          options={isKnown ? known : [[language.value, language.value], ...known]}
        />
        <Select
          label={texts.provider}
          value={provider}
          options={[...speech].map((name) => [name, text.provider.names[name] ?? name])}
        />
      </div>
      <p class="hint">{texts.settingsHint}</p>
      <div class="actions leading">
        <button type="submit" class="primary">
          {texts.tryAgain}
        </button>
      </div>
    </form>
  );
}

/** A function that runs the recording again, and the request for it, which is empty until needed. */
function useRunAgain(
  runId: string,
  result: CaptionerResult,
): readonly [again: (patch: object) => void, request: VNode | null] {
  /** The change to apply once the recording has been chosen. */
  const pending = useSignal<object | null>(null);
  const again = async (patch: object) => {
    const recording = await recordingOfRun(runId, result);
    if (recording) await runIt(recording, patch);
    else pending.value = patch;
  };
  /** The number of speakers that was given is no part of the result. */
  const runIt = async (recording: File, patch: object) => {
    const record = await keptRun(runId).catch(() => undefined);
    runAgain(recording, result, patch, record?.speakers);
  };
  const request = pending.value && (
    <>
      <p id="recording-again">{texts.needFile}</p>
      <div class="actions leading">
        <ChooseRecording
          label={texts.chooseFile}
          takesFocus
          describedBy="recording-again"
          onFile={(file) => void runIt(file, pending.value!)}
        />
      </div>
    </>
  );
  return [(patch) => void again(patch), request];
}
