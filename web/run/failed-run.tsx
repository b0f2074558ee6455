/** A failed run: the error, its stage, and buttons for the suggested fixes. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CaptionerFailedResult } from '../../server/contract/results.ts';
import type { CaptionerPayload } from '../../server/contract/payload.ts';
import { Notice } from '../components/notice.tsx';
import { keptRecording, keptRun } from '../storage/runs.ts';
import { text } from '../strings.ts';
import { startAgain } from './job.ts';
import { localMedia } from './local-media.ts';
import { mergePatch } from './merge-patch.ts';

export interface FailedRunProps {
  runId: string;
  result: CaptionerFailedResult;
}

/** The error with its suggestions. */
export function FailedRun({ runId, result }: FailedRunProps) {
  const { error } = result;
  const kept = result.metadata.storage?.sourceAudio.status;
  /** The payload patch to apply once the recording has been chosen again. */
  const pending = useSignal<unknown>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [pending.value]);
  if (error.code === 'cancelled') {
    return (
      <Notice kind="info" title={text.run.cancelled}>
        <p>
          {text.run.cancelledNote}
          {kept && ` ${text.run.recording[kept]}`}
        </p>
      </Notice>
    );
  }

  /** The first suggestion that has a patch, the most likely to help. */
  const first = error.suggestions.findIndex(({ payloadPatch }) => payloadPatch !== undefined);

  const again = async (patch: unknown) => {
    const [record, kept] = await Promise.all([keptRun(runId), keptRecording(runId)]).catch(
      () => [undefined, undefined] as const,
    );
    const name = record?.name ?? payloadOf(result).audio.filename ?? 'recording.mp3';
    const recording = localMedia(runId) ?? (kept && new File([kept], name));
    if (recording) startAgain(recording, patched(result, patch));
    else pending.value = patch ?? {};
  };
  const choose = (file: File | undefined) => {
    if (file) startAgain(file, patched(result, pending.value));
  };

  return (
    <>
      <Notice kind="error" title={text.run.failed}>
        <p>{error.message}</p>
        <p>{text.run.failedAt(text.run.stages[error.stage] ?? error.stage)}</p>
      </Notice>
      <h2>{text.run.tryThis}</h2>
      <ul class="suggestions">
        {error.suggestions.map(({ label, description, payloadPatch }, at) => (
          <li key={label}>
            {payloadPatch ? (
              <button
                type="button"
                class={at === first ? 'primary' : ''}
                onClick={() => void again(payloadPatch)}
              >
                {label}
              </button>
            ) : (
              <strong>{label}</strong>
            )}
            {description && <p class="hint">{description}</p>}
          </li>
        ))}
        <li>
          <button type="button" class={first < 0 ? 'primary' : ''} onClick={() => void again({})}>
            {text.run.again}
          </button>
        </li>
      </ul>
      {pending.value !== null && (
        <>
          <p id="recording-again">{text.run.needFile}</p>
          <div class="actions leading">
            <label class="button">
              {text.run.chooseFile}
              <input
                ref={field}
                type="file"
                class="visually-hidden"
                aria-describedby="recording-again"
                onChange={(event) => choose(event.currentTarget.files?.[0])}
              />
            </label>
          </div>
        </>
      )}
    </>
  );
}

/** The payload of a run, which its result repeats with all defaults filled in. */
function payloadOf({ input }: CaptionerFailedResult): CaptionerPayload {
  const { source, ...rest } = input;
  return { audio: source, ...rest } as unknown as CaptionerPayload;
}

/** The payload with a suggestion's patch applied. */
const patched = (result: CaptionerFailedResult, patch: unknown): CaptionerPayload =>
  mergePatch(payloadOf(result), patch) as CaptionerPayload;
