/** A run that failed: what happened, at which stage, and buttons for what may help. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { CaptionerFailedResult } from '../../server/contract/results.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { Notice } from '../components/notice.tsx';
import { keptRecording, keptRun } from '../storage/runs.ts';
import { go } from '../route.ts';
import { text } from '../strings.ts';
import { startAgain } from './job.ts';
import { localMedia } from './local-media.ts';
import { mergePatch } from './merge-patch.ts';

export interface FailedRunProps {
  runId: string;
  result: CaptionerFailedResult;
  audioKey: string | null;
}

/** The account of a failure. */
export function FailedRun({ runId, result, audioKey }: FailedRunProps) {
  const { error } = result;
  /** The patch that waits for the recording to be chosen again. */
  const pending = useSignal<unknown>(null);
  const field = useRef<HTMLInputElement>(null);
  if (error.code === 'cancelled') {
    return (
      <Notice kind="info" title={text.run.cancelled}>
        <p>{text.run.cancelledNote}</p>
        <StartOver />
      </Notice>
    );
  }

  const again = async (patch: unknown) => {
    const [record, kept] = await Promise.all([keptRun(runId), keptRecording(runId)]).catch(
      () => [undefined, undefined] as const,
    );
    const payload = mergePatch(record?.payload ?? payloadFrom(result, audioKey), patch);
    const name = record?.name ?? nameOf(audioKey);
    const recording = localMedia(runId) ?? (kept && new File([kept], name));
    // A payload that this server once took, changed as it asks to.
    if (recording) startAgain(recording, payload as CaptionerPayload);
    else {
      pending.value = patch ?? {};
      field.current?.focus();
    }
  };
  const choose = (file: File | undefined) => {
    if (!file) return;
    const payload = mergePatch(payloadFrom(result, audioKey), pending.value);
    startAgain(file, payload as CaptionerPayload);
  };

  return (
    <>
      <Notice kind="error" title={text.run.failed}>
        <p>{error.message}</p>
        <p>{text.run.failedAt(text.run.stages[error.stage] ?? error.stage)}</p>
      </Notice>
      <h2>{text.run.tryThis}</h2>
      <ul class="suggestions">
        {error.suggestions.map(({ label, description, payloadPatch }) => (
          <li key={label}>
            {payloadPatch ? (
              <button type="button" onClick={() => void again(payloadPatch)}>
                {label}
              </button>
            ) : (
              <strong>{label}</strong>
            )}
            {description && <p class="hint">{description}</p>}
          </li>
        ))}
        <li>
          <button type="button" onClick={() => void again({})}>
            {text.run.again}
          </button>
        </li>
      </ul>
      {pending.value !== null && (
        <div class="field">
          <label for="recording-again">{text.run.needFile}</label>
          <input
            ref={field}
            id="recording-again"
            type="file"
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
        </div>
      )}
      <StartOver />
    </>
  );
}

const StartOver = () => (
  <div class="actions">
    <button type="button" onClick={() => go({ screen: 'start' })}>
      {text.run.startOver}
    </button>
  </div>
);

const nameOf = (audioKey: string | null): string =>
  audioKey?.replace(/^.*\//, '') ?? 'recording.mp3';

/** As much of the payload as the result of a run tells, for one that was not started here. */
function payloadFrom(
  { input }: CaptionerFailedResult,
  audioKey: string | null,
): Partial<CaptionerPayload> {
  const { topic, glossary, language } = input;
  return {
    audio: { key: audioKey ?? 'recording.mp3', filename: nameOf(audioKey) },
    ...(topic === '' ? {} : { topic }),
    ...(glossary.length === 0 ? {} : { glossary }),
    language,
  };
}
