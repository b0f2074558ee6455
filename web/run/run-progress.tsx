/** A run in progress: one line for each stage, with the remaining time. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cancelRun } from '../api/runs.ts';
import { withKey } from '../session.ts';
import { progressText } from '../texts/run-progress.ts';
import { PartialTranscript } from './partial-transcript.tsx';
import type { Job } from './job.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';
import { secondsLeft, SHOWN_STAGES, stageFraction, type Seen } from './stage-fraction.ts';
import type { WatchedRun } from './watch-run.ts';

export interface RunProgressProps {
  runId: string;
  /** The steps before the run, if they happened in this page. */
  job: Job | null;
  watched: WatchedRun;
}

/** The progress lines of a run. */
export function RunProgress({ runId, job, watched }: RunProgressProps) {
  const cancelling = useSignal(false);
  const run = watched.run.value;
  const queued = run?.state === 'queued';
  const ahead = watched.ahead.value;
  return (
    <>
      <ol class="steps">
        {job && <JobLines job={job} />}
        {!run && <ProgressLine state="active" label={progressText.starting} fraction={null} />}
        {queued && (
          <ProgressLine
            state="active"
            label={progressText.queued}
            fraction={null}
            note={ahead === null ? '' : progressText.queuedBehind(ahead)}
          />
        )}
        {run && !queued && <Stages watched={watched} />}
      </ol>
      <PartialTranscript heard={watched.heard} />
      <p class="hint">{progressText.canClose}</p>
      <div class="actions">
        <button
          type="button"
          aria-disabled={cancelling}
          onClick={() => {
            cancelling.value = true;
            withKey((key) => cancelRun(key, runId)).catch(() => {
              cancelling.value = false;
            });
          }}
        >
          {cancelling.value ? progressText.cancelling : progressText.cancel}
        </button>
      </div>
    </>
  );
}

/** The interval at which the elapsed time is updated, in milliseconds. */
const TICK_MS = 1000;

/** The seconds since a run started by the service's clock, updated while the run is shown. */
function useRunningFor(startedAt: string | null): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return startedAt === null ? 0 : (now.value - Date.parse(startedAt)) / 1000;
}

function Stages({ watched }: { watched: WatchedRun }) {
  const progress = useComputed(() => watched.run.value?.progress ?? 0).value;
  const runningFor = useRunningFor(watched.run.value?.startedAt ?? null);
  const first = useRef<Seen | null>(null);
  const fractions = SHOWN_STAGES.map((stage) => stageFraction(stage, progress));
  const active = fractions.findIndex((fraction) => fraction < 1);
  return (
    <>
      {SHOWN_STAGES.map((stage, at) => {
        const fraction = fractions[at]!;
        const state = fraction >= 1 ? 'done' : at === active ? 'active' : 'waiting';
        const isLong = stage === 'transcription' && state === 'active';
        const now = { fraction, at: performance.now() };
        if (isLong) first.current ??= now;
        const left = isLong && first.current ? secondsLeft(first.current, now) : null;
        return (
          <ProgressLine
            key={stage}
            state={state}
            label={progressText.stages[stage] ?? stage}
            // Until the first part is recognised, the progress is unknown.
            fraction={isLong && fraction === 0 ? null : fraction}
            note={state === 'active' ? progressText.percent(fraction) : ''}
            aside={
              left === null
                ? isLong
                  ? progressText.soFar(runningFor)
                  : ''
                : progressText.left(left)
            }
          />
        );
      })}
    </>
  );
}
