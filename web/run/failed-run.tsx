/** A failed run: the failure, and the next steps. */
import type {
  CaptionerBlockedResult,
  CaptionerFailedResult,
} from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { progressText } from '../texts/run-progress.ts';
import { runEndText as texts, type NextStep, nextSteps } from '../texts/run-ends.ts';
import { position } from '../format.ts';
import {
  runInstead,
  ChooseRecording,
  PlayRecording,
  OtherSettings,
  useRunAgain,
} from './run-again.tsx';

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
      <p>{error.message}</p>
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
