/** The screen of a run: its progress, then the review, or the reason why there are no captions. */
import { useEffect, useMemo } from 'preact/hooks';
import { useSignal, useSignalEffect, type Signal } from '@preact/signals';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { ApiProblem } from '../api/request.ts';
import { Notice } from '../components/notice.tsx';
import { SignInButton } from '../components/sign-in-button.tsx';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { fileName } from '../texts/format.ts';
import { usePageTitle } from '../tab/page-title.ts';
import { go } from '../tab/route.ts';
import { session, SignInDismissed } from '../tab/session.ts';
import { keptResult, keptRun } from '../storage/runs.ts';
import { problemText } from '../texts/problems.ts';
import { text } from '../texts/shell.ts';
import { currentJob } from '../job/job.ts';
import { watchRun, type WatchedRun } from '../job/watch-run.ts';

/** The review, which is loaded when its captions are there. */
export const review = onDemand(() =>
  import('../review/screen/review-screen.tsx').then((part) => part.ReviewScreen),
);

const progress = onDemand(() => import('./run-progress.tsx').then((part) => part.RunProgress));
const failedRun = onDemand(() => import('../job/failed-run.tsx').then((part) => part.FailedRun));
const blockedRun = onDemand(() => import('../job/failed-run.tsx').then((part) => part.BlockedRun));

/** The screen of one run. */
export function RunScreen({ runId }: { runId: string }) {
  const result = useSignal<CaptionerResult | null>(null);
  const watched = useSignal<WatchedRun | null>(null);
  const name = useSignal('');
  const attempt = useSignal(0);
  useEffect(() => {
    const stop = new AbortController();
    void load(runId, { result, watched, name }, stop.signal);
    return () => stop.abort();
  }, [runId, attempt.value]);
  useSignalEffect(() => {
    // Load the run if the user dismissed the sign-in and signs in later.
    if (session.value && watched.peek()?.problem.peek() instanceof SignInDismissed) {
      attempt.value = attempt.peek() + 1;
    }
  });
  useSignalEffect(() => {
    const ended = watched.value?.run.value?.envelope?.result;
    if (ended) result.value = ended;
    const run = watched.value?.run.value;
    if (run && name.peek() === '') name.value = run.name ?? fileName(run.audioKey);
  });
  const title = useMemo(
    () => (name.value === '' ? text.run.untitled : text.run.title(name.value)),
    [name.value],
  );

  usePageTitle(name.value);

  if (result.value?.status === 'completed') {
    return <OnDemand of={review} runId={runId} name={name.value} result={result.value} />;
  }
  const job = currentJob.value?.runId.value === runId ? currentJob.value : null;
  const problem = watched.value?.problem.value;
  return (
    <section class="card" aria-labelledby="run-title">
      <h1 id="run-title">{title}</h1>
      {result.value?.status === 'failed' && (
        <OnDemand of={failedRun} runId={runId} result={result.value} />
      )}
      {result.value?.status === 'blocked' && (
        <OnDemand of={blockedRun} runId={runId} result={result.value} />
      )}
      {!result.value && !problem && watched.value && (
        <OnDemand of={progress} runId={runId} name={name.value} job={job} watched={watched.value} />
      )}
      {problem instanceof SignInDismissed && (
        <p>
          {text.run.signIn} <SignInButton />
        </p>
      )}
      {problem instanceof ApiProblem && (
        <Notice kind="error">
          <p>
            {problem.status === 404 ? text.run.notFound : text.run.refused(problemText(problem))}
          </p>
        </Notice>
      )}
      {(problem instanceof ApiProblem || result.value) && (
        <div class="actions">
          <button type="button" onClick={() => go({ screen: 'start' })}>
            {text.run.startOver}
          </button>
        </div>
      )}
    </section>
  );
}

interface Loaded {
  result: Signal<CaptionerResult | null>;
  watched: Signal<WatchedRun | null>;
  name: Signal<string>;
}

/** Data stored in this browser comes first: it needs neither key nor network. */
async function load(runId: string, into: Loaded, stop: AbortSignal): Promise<void> {
  const [record, kept] = await Promise.all([keptRun(runId), keptResult(runId)]).catch(
    () => [undefined, undefined] as const,
  );
  if (stop.aborted) return;
  // A run that was started elsewhere has no record here.
  into.name.value = record?.name ?? fileName(kept?.metadata.storage?.sourceAudio.key ?? '');
  if (kept) into.result.value = kept;
  else into.watched.value = watchRun(runId, stop);
}
