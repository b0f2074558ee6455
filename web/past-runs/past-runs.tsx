/** Past runs: those of the workspace, and those stored only in this browser, with what is known of each. */
import { signal, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ReviewState } from '../../server/contract/review-versions.ts';
import type { RunFacts, WorkflowRun } from '../../server/contract/runs.ts';
import { listStates } from '../api/review-versions.ts';
import { loadPart } from '../api/load-part.ts';
import { listRuns, nameRun, readLibrary, type Paging } from '../api/runs.ts';
import { Icon, IconButton } from '../components/icon.tsx';
import { FoundCaptions } from './found-captions.tsx';
import { Notice } from '../components/notice.tsx';
import { SignInButton } from '../components/sign-in-button.tsx';
import { failureText } from '../tab/failure-text.ts';
import { clock, dateTime, fileName, languageName } from '../texts/format.ts';
import { usePageTitle } from '../tab/page-title.ts';
import { go, hrefOf } from '../tab/route.ts';
import { requireSession, session, withKey } from '../tab/session.ts';
import { forgetRun, keptPeaks, keptResult, keptRuns, renameKept } from '../storage/runs.ts';
import { serviceCopy } from '../storage/service-copies.ts';
import { type RunRecord } from '../storage/stores.ts';
import { text } from '../texts/shell.ts';
import { pastRuns } from '../texts/past-runs.ts';
import { reviewWork } from '../texts/review-work.ts';
import { resultOf } from '../job/watch-run.ts';
import { TextField } from '../components/fields.tsx';
import { Dialog } from '../components/dialog.tsx';
import { eraseRun } from './erase-run.ts';
import { EVERYTHING, type LibraryFilter, libraryOf, needsAll, stateOf } from './library-filter.ts';
import { LibraryFilters, LibrarySelection, WorkspaceFiles } from './library-tools.tsx';

const PAGE = 20;

/** The runs that this browser has. */
type Kept = readonly RunRecord[];

/** The screen of past runs. */
export function PastRuns() {
  usePageTitle(pastRuns.title);
  const kept = useSignal<Kept>([]);
  // One listing for each key, so that a late answer is not shown to the next user.
  const listing = useMemo(emptyListing, [session.value?.key]);
  const { runs, facts, states, cursor, problem, loading } = listing;
  const more = () => loadMore(listing);
  useEffect(() => {
    void keptRuns()
      .catch(() => [])
      .then((found) => (kept.value = found));
  }, []);
  useEffect(() => {
    if (session.value) void more();
  }, [listing]);
  useEffect(() => {
    if (location.hash !== '#/sign-in') return;
    // A link from outside: what is seen after it is the library.
    go({ screen: 'past-runs' }, { replace: true });
    void requireSession().catch(() => {});
  }, []);
  const filter = useSignal(EVERYTHING);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const wanted = filter.value.search.trim().toLowerCase();
  useSignalEffect(() => {
    // What is looked for may be on any page.
    if (needsAll(filter.value) && typeof cursor.value === 'string' && !loading.value) void more();
  });
  const names = new Map(kept.value.map(({ runId, name }) => [runId, name]));
  const nameOf = ({ runId, name, audioKey }: WorkflowRun): string =>
    name ?? names.get(runId) ?? fileName(audioKey);
  const isWanted = (name: string): boolean => name.toLowerCase().includes(wanted);
  const onService = new Set(runs.value.map(({ runId }) => runId));
  // Until the first page arrives, it is not known which stored runs are on the service as well.
  const isLoading = session.value && cursor.value === undefined && problem.value === '';
  const allHere = isLoading ? [] : kept.value.filter(({ runId }) => !onService.has(runId));
  // Of these, only the name is known.
  const onlyHere = filterless(filter.value) ? allHere.filter(({ name }) => isWanted(name)) : [];
  const library = runs.value.map((run) => ({
    run,
    name: nameOf(run),
    known: facts.value.get(run.runId),
    review: states.value.get(run.runId),
  }));
  const shown = libraryOf(library, filter.value);
  const languages = [...new Set(library.flatMap(({ known }) => known?.language ?? []))].sort();
  const people = [...new Set(library.flatMap(({ review }) => review?.assignee ?? []))].sort();
  const isFiltered = !filterless(filter.value);
  const isEmpty = cursor.value === null && runs.value.length === 0 && allHere.length === 0;
  const onProblem = (message: string) => (problem.value = message);
  const erased = (gone: string) => {
    runs.value = runs.value.filter(({ runId }) => runId !== gone);
    kept.value = kept.value.filter(({ runId }) => runId !== gone);
  };
  return (
    <section class="card library" aria-labelledby="past-runs-title">
      <h1 id="past-runs-title">{pastRuns.title}</h1>
      {problem.value !== '' && (
        <Notice kind="error">
          <p>{problem}</p>
        </Notice>
      )}
      {isEmpty && <p>{pastRuns.none}</p>}
      {(runs.value.length + allHere.length > 1 || typeof cursor.value === 'string') && (
        <LibraryFilters filter={filter} languages={languages} people={people} />
      )}
      {(wanted !== '' || isFiltered) && !loading.value && shown.length + onlyHere.length === 0 && (
        <p role="status">
          {isFiltered ? pastRuns.noneSuch : pastRuns.notFound(filter.value.search.trim())}
        </p>
      )}
      {shown.length > 1 && (
        <LibrarySelection
          shown={shown}
          selected={selected}
          people={people}
          onErased={erased}
          onAssigned={(state) => (states.value = new Map(states.peek()).set(state.runId, state))}
          onProblem={onProblem}
        />
      )}
      {session.value && (
        <FoundCaptions words={filter.value.search.trim()} session={session.value} />
      )}
      {shown.length > 0 && (
        <ul class="runs" aria-label={pastRuns.onService}>
          {shown.map((each) => {
            const { run, name, known, review } = each;
            const { runId, createdAt, finishedAt } = run;
            const state = stateOf(each);
            const rename = async (to: string) => {
              await withKey((key) => nameRun(key, runId, to));
              await renameKept(runId, to).catch(() => {});
              runs.value = runs.value.map((each) =>
                each.runId === runId ? { ...each, name: to } : each,
              );
            };
            return (
              <li key={runId} class={shown.length > 1 ? 'selectable' : undefined}>
                {shown.length > 1 && (
                  <label class="run-select">
                    <input
                      type="checkbox"
                      aria-label={pastRuns.select(name)}
                      checked={selected.value.has(runId)}
                      onChange={({ currentTarget: { checked } }) => {
                        const others = [...selected.peek()].filter((other) => other !== runId);
                        selected.value = new Set(checked ? [...others, runId] : others);
                      }}
                    />
                  </label>
                )}
                <About
                  runId={runId}
                  name={name}
                  createdAt={createdAt}
                  {...(known && { known })}
                  {...(review && { review })}
                />
                <span class={`state ${state}`}>{pastRuns.states[state]}</span>
                <span class="run-actions">
                  <RenameRun
                    name={name}
                    hint={pastRuns.renameHint}
                    onRename={rename}
                    onProblem={onProblem}
                  />
                  {state === 'completed' && (
                    <DownloadRun runId={runId} name={name} onProblem={onProblem} />
                  )}
                  {finishedAt !== null && (
                    <EraseRun
                      run={run}
                      name={name}
                      onErased={() => erased(runId)}
                      onProblem={onProblem}
                    />
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {session.value && shown.length > 0 && <WorkspaceFiles onProblem={onProblem} />}
      {onlyHere.length > 0 && (
        <>
          <h2>{pastRuns.here}</h2>
          <ul class="runs">
            {onlyHere.map(({ runId, name, createdAt }) => (
              <li key={runId}>
                <About runId={runId} name={name} createdAt={createdAt} />
                <span class="run-actions">
                  <RenameRun
                    name={name}
                    onRename={async (to) => {
                      await renameKept(runId, to);
                      kept.value = kept.value.map((each) =>
                        each.runId === runId ? { ...each, name: to } : each,
                      );
                    }}
                    onProblem={onProblem}
                  />
                  <DownloadRun runId={runId} name={name} onProblem={onProblem} />
                  <IconButton
                    icon="cross"
                    class="quiet"
                    label={pastRuns.forget(name)}
                    onClick={() => void forget(runId, kept)}
                  />
                </span>
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

/** What is known of a run, with the loudness if this browser has it. */
interface Shown extends Omit<RunFacts, 'captions'> {
  peaks: Uint8Array | null;
}

/** Whether runs of which only the name is known are shown. */
const filterless = (filter: LibraryFilter): boolean =>
  !needsAll({ ...filter, search: '', order: 'newest' });

/** What this browser knows of a run. */
async function keptFacts(runId: string): Promise<Shown> {
  const [result, peaks, copy] = await Promise.all([
    keptResult(runId),
    keptPeaks(runId),
    serviceCopy(runId),
  ]);
  const completed = result?.status === 'completed' ? result : null;
  const language = completed?.input['language'];
  return {
    seconds: peaks?.seconds ?? completed?.captions.cues.at(-1)?.end ?? 0,
    language: typeof language === 'string' && language !== 'auto' ? language : null,
    doubts: 0,
    reviewed: copy?.finished === true,
    peaks: peaks?.values ?? null,
  };
}

interface AboutProps {
  runId: string;
  name: string;
  createdAt: string | number;
  /** What the service knows of it. */
  known?: RunFacts;
  review?: ReviewState;
}

/** The waveform of a run, its name with the link to it, and what is known of it. */
function About({ runId, name, createdAt, known, review }: AboutProps) {
  const kept = useSignal<Shown | null>(null);
  useEffect(() => {
    // A browser that blocks its storage knows nothing of it.
    void keptFacts(runId)
      .catch(() => null)
      .then((found) => (kept.value = found));
  }, [runId]);
  // What the service knows is the same on every device, and newer.
  const { seconds, language, doubts, reviewed, peaks } = { ...NOTHING, ...kept.value, ...known };
  const work = review ? reviewWork.state(review) : '';
  return (
    <>
      <span class="run-wave">
        {peaks && peaks.length > 0 ? (
          <svg viewBox="0 0 48 24" aria-hidden="true">
            <path d={waveOf(peaks)} stroke="currentColor" fill="none" />
          </svg>
        ) : (
          <Icon name="wave" />
        )}
      </span>
      <div class="run-about">
        <a href={hrefOf({ screen: 'run', runId })} dir="auto">
          {name}
        </a>
        <p class="hint">
          <time dateTime={new Date(createdAt).toISOString()}>{dateTime(createdAt)}</time>
          {seconds > 0 && ` · ${clock(seconds)}`}
          {language !== null && ` · ${languageName(language)}`}
          {reviewed && ` · ${pastRuns.reviewed}`}
          {doubts > 0 && ` · ${pastRuns.doubts(doubts)}`}
          {work !== '' && ` · ${work}`}
        </p>
      </div>
    </>
  );
}

const NOTHING: Shown = { seconds: 0, language: null, doubts: 0, reviewed: false, peaks: null };

/** The bars of a waveform in a picture of 48 by 24. */
function waveOf(peaks: Uint8Array): string {
  const bars = Array.from({ length: 16 }, (_, at) => {
    const part = peaks.subarray(
      Math.floor((at / 16) * peaks.length),
      Math.ceil(((at + 1) / 16) * peaks.length),
    );
    const loudness = part.reduce((most, value) => Math.max(most, value), 0) / 255;
    const half = Math.max(0.5, Math.round(loudness * 11 * 10) / 10);
    return ['M', at * 3 + 1.5, ' ', 12 - half, 'v', half * 2].join('');
  });
  return bars.join('');
}

interface RenameRunProps {
  name: string;
  hint?: string;
  onRename(name: string): Promise<void>;
  onProblem(message: string): void;
}

/** The button that gives a run another name. */
function RenameRun({ name, hint, onRename, onProblem }: RenameRunProps) {
  const typed = useSignal<string | null>(null);
  const rename = (to: string) => {
    if (to === '' || to === name) return;
    onRename(to).catch((error: unknown) => onProblem(failureText(error) ?? ''));
  };
  return (
    <>
      <IconButton
        icon="pencil"
        class="quiet"
        label={pastRuns.rename(name)}
        onClick={() => (typed.value = name)}
      />
      {typed.value !== null && (
        <Dialog
          title={pastRuns.renameTitle}
          close={text.cancel}
          onClose={() => (typed.value = null)}
          actions={[{ label: pastRuns.save, run: () => rename(newName.peek().trim()) }]}
        >
          <NewName name={name} {...(hint && { hint })} />
        </Dialog>
      )}
    </>
  );
}

/** The name that is typed; only one dialog is open at a time. */
const newName = signal('');

function NewName({ name, hint }: { name: string; hint?: string }) {
  useMemo(() => (newName.value = name), []);
  return <TextField label={pastRuns.newName} value={newName} {...(hint && { hint })} />;
}

/** The button that saves the captions of a run, with the edits made in this browser. */
function DownloadRun({
  runId,
  name,
  onProblem,
}: {
  runId: string;
  name: string;
  onProblem(message: string): void;
}) {
  const download = async () => {
    const { downloadSaved } = await loadPart(() => import('../review/save/caption-download.ts'));
    const result = await resultOf(runId);
    const isMade =
      result?.status === 'completed' && (await downloadSaved(runId, name, result, 'srt'));
    if (!isMade) onProblem(pastRuns.nothing(name));
  };
  return (
    <IconButton
      icon="download"
      class="quiet"
      label={pastRuns.download(name)}
      onClick={() => void download().catch((error: unknown) => onProblem(failureText(error) ?? ''))}
    />
  );
}

async function forget(runId: string, kept: Signal<Kept>): Promise<void> {
  await forgetRun(runId);
  kept.value = kept.value.filter((run) => run.runId !== runId);
}

interface Listing {
  runs: Signal<readonly WorkflowRun[]>;
  /** What the service knows of them, by run id; it comes after the list. */
  facts: Signal<ReadonlyMap<string, RunFacts>>;
  /** Which of them are assigned, in review or approved, by run id. */
  states: Signal<ReadonlyMap<string, ReviewState>>;
  /** The cursor of the next page: undefined before the first, null after the last. */
  cursor: Signal<string | null | undefined>;
  problem: Signal<string>;
  loading: Signal<boolean>;
}

const emptyListing = (): Listing => ({
  runs: signal([]),
  facts: signal(new Map()),
  states: signal(new Map()),
  cursor: signal(undefined),
  problem: signal(''),
  loading: signal(false),
});

async function loadMore(listing: Listing): Promise<void> {
  const { runs, cursor, problem, loading } = listing;
  if (loading.value) return;
  loading.value = true;
  problem.value = '';
  try {
    const from = cursor.value;
    const asked = { limit: PAGE, ...(typeof from === 'string' ? { cursor: from } : {}) };
    const page = await withKey((key) => listRuns(key, asked));
    runs.value = [...runs.value, ...page.runs];
    cursor.value = page.nextCursor;
    if (page.runs.some(({ state }) => state === 'completed')) void addFacts(listing, asked);
  } catch (error) {
    problem.value = failureText(error) ?? '';
  } finally {
    loading.value = false;
  }
}

async function addFacts({ facts, states }: Listing, page: Paging): Promise<void> {
  // Without the library, the list shows what this browser knows.
  const [known, found] = await Promise.all([
    withKey((key) => readLibrary(key, page)).catch(() => null),
    withKey((key) => listStates(key, page)).catch(() => null),
  ]);
  const added = known?.runs.map(({ runId, ...each }) => [runId, each] as const) ?? [];
  facts.value = new Map([...facts.value, ...added]);
  const more = found?.states.map((each) => [each.runId, each] as const) ?? [];
  states.value = new Map([...states.value, ...more]);
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
      <IconButton
        icon="cross"
        class="quiet"
        label={pastRuns.erase.button(name)}
        disabled={isErasing.value}
        onClick={() => (asks.value = true)}
      />
      {asks.value && (
        <Dialog
          title={pastRuns.erase.title}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[{ label: pastRuns.erase.confirm, danger: true, run: () => void act() }]}
        >
          <p>{pastRuns.erase.ask(name)}</p>
          <p class="hint">{pastRuns.erase.hint}</p>
        </Dialog>
      )}
    </>
  );
}
