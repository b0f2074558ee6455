/** A run in progress: one line for each stage, with the remaining time. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { cancelRun } from '../api/runs.ts';
import { withKey } from '../session.ts';
import { progressText } from '../texts/run-progress.ts';
import type { TranscriptPart } from '../../server/contract/runs.ts';
import type { Job } from './job.ts';
import { JobLines } from './job-lines.tsx';
import { ProgressLine } from './progress-line.tsx';
import { secondsLeft, type Seen, SHOWN_STAGES, stageFraction } from './stage-fraction.ts';
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

/** The interval of progress announcements to screen readers, in milliseconds. */
const ANNOUNCE_EVERY_MS = 60_000;
/** Within this distance of the end, in pixels, the newest words are scrolled into view. */
const NEAR_END = 48;

/** The words so far; nothing before the first. */
export function PartialTranscript({ heard }: { heard: ReadonlySignal<readonly TranscriptPart[]> }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const parts = heard.value;
  useLayoutEffect(() => {
    const { current } = box;
    if (current && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [parts.length]);
  if (parts.length === 0) return null;
  return (
    <div class="heard">
      <h2 id="heard-title">{progressText.heardTitle}</h2>
      {/* Focusable for scrolling with keys. The words are not announced: that would never stop. */}
      <div
        ref={box}
        class="heard-words"
        tabIndex={0}
        role="region"
        aria-labelledby="heard-title"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_END;
        }}
      >
        <p dir="auto">{parts.map((part) => part.text).join(' ')}</p>
      </div>
      <p class="hint">{progressText.heardNote}</p>
      <Announcement heard={heard} />
    </div>
  );
}

/** Announces to screen readers that there are words and, once a minute, how far they reach. */
function Announcement({ heard }: { heard: ReadonlySignal<readonly TranscriptPart[]> }) {
  const until = useComputed(() => heard.value.at(-1)?.end ?? 0);
  const [announced, announce] = useState('');
  useEffect(() => {
    announce(progressText.heardFirst);
    const timer = setInterval(
      () => announce(progressText.heardUntil(until.peek())),
      ANNOUNCE_EVERY_MS,
    );
    return () => clearInterval(timer);
  }, [until]);
  return (
    <p class="visually-hidden" role="status">
      {announced}
    </p>
  );
}
