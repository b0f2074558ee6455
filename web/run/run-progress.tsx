/** A run in progress: one bar, the time left, and the words so far. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';
import { cancelRun } from '../api/runs.ts';
import { withKey } from '../tab/session.ts';
import { progressText } from '../texts/run-progress.ts';
import { text } from '../texts/shell.ts';
import type { TranscriptPart, WorkflowRun } from '../../server/contract/runs.ts';
import type { Job } from '../job/job.ts';
import { ProgressLine, TellWhenDone } from './progress.tsx';
import {
  type WatchedRun,
  secondsLeftIn,
  transcribedFraction,
  wholeFraction,
  withSeen,
  type Course,
} from '../job/watch-run.ts';

interface RunProgressProps {
  runId: string;
  /** The file name of the recording; empty if it is not known. */
  name: string;
  /** The steps before the run, if they happened in this page. */
  job: Job | null;
  watched: WatchedRun;
}

/** The progress of a run. */
export function RunProgress({ runId, name, job, watched }: RunProgressProps) {
  const cancelling = useSignal(false);
  const ofRun = useSignal(runId);
  return (
    <>
      <Now job={job} watched={watched} />
      <PartialTranscript heard={watched.heard} />
      <p class="hint">{progressText.canClose}</p>
      <TellWhenDone name={name} runId={job?.runId ?? ofRun} />
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

/** The bar and its line. */
function Now({ job, watched }: Pick<RunProgressProps, 'job' | 'watched'>) {
  const run = watched.run.value;
  const ahead = watched.ahead.value;
  const runningFor = useRunningFor(run?.startedAt ?? null);
  const course = useRef<{ of: string; seen: Course }>({ of: '', seen: [] });
  const progress = run?.progress ?? 0;
  const fraction = job ? wholeFraction(job, progress) : progress;
  if (!run) {
    return <ProgressLine label={progressText.starting} fraction={job ? fraction : null} />;
  }
  if (run.state === 'queued') {
    return (
      <ProgressLine
        label={progressText.queued}
        note={ahead === null ? '' : progressText.queuedBehind(ahead)}
        fraction={fraction}
      />
    );
  }
  const loads = isLoading(run);
  const part = loads ? progress / STAGE_PROGRESS.transcription : transcribedFraction(progress);
  const isTranscribing = run.stage === 'transcription' && part < 1;
  const now = performance.now();
  const of = loads ? 'loading' : (run.stage ?? '');
  const seen = course.current.of === of ? course.current.seen : [];
  course.current = { of, seen: withSeen(seen, { fraction: part, at: now }) };
  const left = loads || isTranscribing ? secondsLeftIn(course.current.seen, now) : null;
  if (loads) {
    return (
      <ProgressLine
        label={progressText.loading}
        note={loadedNote(part, run.loadingBytes)}
        fraction={fraction}
        aside={left === null ? '' : progressText.left(left)}
      />
    );
  }
  return (
    <ProgressLine
      label={progressText.stages[run.stage ?? 'payload'] ?? progressText.starting}
      fraction={fraction}
      aside={
        left !== null
          ? progressText.left(left)
          : isTranscribing || run.stage === 'storage'
            ? progressText.soFar(runningFor)
            : ''
      }
    />
  );
}

/** Whether the service is downloading the model of a run, the only thing that progresses before transcription. */
const isLoading = ({ stage, progress }: WorkflowRun): boolean =>
  stage === 'storage' && progress > 0 && progress < STAGE_PROGRESS.transcription;

/** How much of the model is there: of its size, or in percent if that is not known. */
const loadedNote = (part: number, bytes: number | undefined): string =>
  bytes === undefined ? progressText.percent(part) : text.run.uploadNote(part * bytes, bytes);

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
