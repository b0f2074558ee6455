/** Past runs: those of the workspace, and those stored only in this browser. */
import { signal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { WorkflowRun } from '../../server/contract/runs.ts';
import { hasCaptions, listRuns } from '../api/runs.ts';
import { Icon } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { SignInButton } from '../components/sign-in-button.tsx';
import { failureText } from '../failure-text.ts';
import { dateTime, fileName } from '../format.ts';
import { usePageTitle } from '../page-title.ts';
import { hrefOf } from '../route.ts';
import { session, withKey } from '../session.ts';
import type { RunRecord } from '../storage/database.ts';
import { forgetRun, keptResult, keptRuns } from '../storage/runs.ts';
import { text } from '../texts/shell.ts';
import { eraseText, pastRuns } from '../texts/past-runs.ts';
import { ApiProblem, ask } from '../api/request.ts';
import { Dialog } from '../components/dialog.tsx';

const PAGE = 20;

/** The screen of past runs. */
export function PastRuns() {
  usePageTitle(pastRuns.title);
  const kept = useSignal<readonly RunRecord[]>([]);
  // One listing for each key, so that a late answer is not shown to the next user.
  const listing = useMemo(emptyListing, [session.value?.key]);
  const { runs, cursor, problem, loading } = listing;
  const more = () => loadMore(listing);
  useEffect(() => {
    void keptRuns()
      .catch(() => [])
      .then((found) => (kept.value = found));
  }, []);
  const silent = useSignal<ReadonlySet<string>>(new Set());
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (session.value) void more();
  }, [listing]);
  useEffect(() => {
    const stop = new AbortController();
    const done = runs.value.filter(({ state }) => state === 'completed');
    const ids = done.map(({ runId }) => runId);
    void findSilentRuns(ids, asked.current, stop.signal, (runId) => {
      silent.value = new Set([...silent.value, runId]);
    });
    return () => stop.abort();
  }, [runs.value]);

  const names = new Map(kept.value.map(({ runId, name }) => [runId, name]));
  const onService = new Set(runs.value.map(({ runId }) => runId));
  // Until the first page arrives, it is not known which stored runs are on the service as well.
  const isLoading = session.value && cursor.value === undefined && problem.value === '';
  const onlyHere = isLoading ? [] : kept.value.filter(({ runId }) => !onService.has(runId));
  const isEmpty = cursor.value === null && runs.value.length === 0 && onlyHere.length === 0;
  return (
    <section class="card" aria-labelledby="past-runs-title">
      <h1 id="past-runs-title">{pastRuns.title}</h1>
      {problem.value !== '' && (
        <Notice kind="error">
          <p>{problem}</p>
        </Notice>
      )}
      {isEmpty && <p>{pastRuns.none}</p>}
      {runs.value.length > 0 && (
        <ul class="runs" aria-label={pastRuns.onService}>
          {runs.value.map((run) => {
            const { runId, createdAt, finishedAt, audioKey } = run;
            const state = silent.value.has(runId) ? 'silent' : run.state;
            const name = names.get(runId) ?? fileName(audioKey);
            const onErased = () => {
              runs.value = runs.value.filter((each) => each.runId !== runId);
              kept.value = kept.value.filter((each) => each.runId !== runId);
            };
            return (
              <li key={runId}>
                <a href={hrefOf({ screen: 'run', runId })}>{name}</a>
                <span class={`state ${state}`}>{pastRuns.states[state]}</span>
                <time dateTime={createdAt}>{dateTime(createdAt)}</time>
                {finishedAt !== null && (
                  <EraseRun
                    run={run}
                    name={name}
                    onErased={onErased}
                    onProblem={(message) => (problem.value = message)}
                  />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {onlyHere.length > 0 && (
        <>
          <h2>{pastRuns.here}</h2>
          <ul class="runs">
            {onlyHere.map(({ runId, name, createdAt }) => (
              <li key={runId}>
                <a href={hrefOf({ screen: 'run', runId })}>{name}</a>
                <button
                  type="button"
                  class="quiet"
                  aria-label={pastRuns.forget(name)}
                  onClick={() => void forget(runId, kept)}
                >
                  <Icon name="cross" />
                </button>
                <time>{dateTime(createdAt)}</time>
              </li>
            ))}
          </ul>
        </>
      )}
      {loading.value && <p class="loading">{text.loading}</p>}
      {!session.value && (
        <p>
          {pastRuns.signIn} <SignInButton />
        </p>
      )}
      {cursor.value && (
        <button type="button" onClick={() => void more()}>
          {pastRuns.more}
        </button>
      )}
    </section>
  );
}

async function forget(runId: string, kept: Signal<readonly RunRecord[]>): Promise<void> {
  await forgetRun(runId);
  kept.value = kept.value.filter((run) => run.runId !== runId);
}

interface Listing {
  runs: Signal<readonly WorkflowRun[]>;
  /** The cursor of the next page: undefined before the first, null after the last. */
  cursor: Signal<string | null | undefined>;
  problem: Signal<string>;
  loading: Signal<boolean>;
}

const emptyListing = (): Listing => ({
  runs: signal([]),
  cursor: signal(undefined),
  problem: signal(''),
  loading: signal(false),
});

async function loadMore({ runs, cursor, problem, loading }: Listing): Promise<void> {
  if (loading.value) return;
  loading.value = true;
  problem.value = '';
  try {
    const from = cursor.value;
    const page = await withKey((key) =>
      listRuns(key, { limit: PAGE, ...(typeof from === 'string' ? { cursor: from } : {}) }),
    );
    runs.value = [...runs.value, ...page.runs];
    cursor.value = page.nextCursor;
  } catch (error) {
    problem.value = failureText(error) ?? '';
  } finally {
    loading.value = false;
  }
}

/**
 * Looks at finished runs one after the other, so that a page of runs does not burden the service.
 * @param asked the runs that were checked before; those of this call are added
 * @param onSilent called with the id of each run without captions
 */
async function findSilentRuns(
  runIds: readonly string[],
  asked: Set<string>,
  stop: AbortSignal,
  onSilent: (runId: string) => void,
): Promise<void> {
  for (const runId of runIds) {
    if (asked.has(runId)) continue;
    const silent = await isSilent(runId, stop);
    if (stop.aborted) return;
    asked.add(runId);
    if (silent) onSilent(runId);
  }
}

async function isSilent(runId: string, stop: AbortSignal): Promise<boolean> {
  try {
    const kept = await keptResult(runId).catch(() => undefined);
    if (kept?.status === 'completed' && kept.captions.cues.length > 0) return false;
    // Captions may have been written by hand.
    return !(await withKey((key) => hasCaptions(key, runId, stop)));
  } catch {
    // The list shows only that the run is done.
    return false;
  }
}

interface EraseRunProps {
  run: WorkflowRun;
  name: string;
  /** Called once the run is erased on the service and in this browser. */
  onErased(): void;
  /** Called with the error message. */
  onProblem(message: string): void;
}

/** The erase button of a run. */
function EraseRun({ run, name, onErased, onProblem }: EraseRunProps) {
  const asks = useSignal(false);
  const isErasing = useSignal(false);
  const act = async () => {
    isErasing.value = true;
    try {
      await eraseRun(run.runId);
      onErased();
    } catch (error) {
      const words = failureText(error);
      if (words !== null) onProblem(words);
    } finally {
      isErasing.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={eraseText.button(name)}
        disabled={isErasing.value}
        onClick={() => (asks.value = true)}
      >
        <Icon name="cross" />
      </button>
      {asks.value && (
        <Dialog
          title={eraseText.title}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[{ label: eraseText.confirm, run: () => void act() }]}
        >
          <p>{eraseText.ask(name)}</p>
          <p class="hint">{eraseText.hint}</p>
        </Dialog>
      )}
    </>
  );
}

/** Erases a run on the service, then in this browser, even if the service no longer has it. */
async function eraseRun(runId: string): Promise<void> {
  const path = `/workflows/captioner/${encodeURIComponent(runId)}/data`;
  await withKey((key) => ask(path, { method: 'DELETE', key })).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
  // A browser that blocks storage has nothing to delete.
  await forgetRun(runId).catch(() => {});
}
