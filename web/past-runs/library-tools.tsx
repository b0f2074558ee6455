/** The choices above the library: which runs are shown in which order, and what is done with several at once. */
import { type Signal, useSignal } from '@preact/signals';
import type { ReviewState } from '../../server/contract/review-versions.ts';
import { changeState } from '../api/review-versions.ts';
import { readEvidence } from '../api/runs.ts';
import { loadPart } from '../api/load-part.ts';
import { DropDown } from '../components/fields.tsx';
import { Dialog } from '../components/dialog.tsx';
import { saveFile } from '../components/save-file.ts';
import { resultOf } from '../job/watch-run.ts';
import { PersonAndDay } from '../components/person-and-day.tsx';
import { withKey } from '../tab/session.ts';
import { failureText } from '../tab/failure-text.ts';
import { text } from '../texts/shell.ts';
import { languageName } from '../texts/format.ts';
import { pastRuns as texts } from '../texts/past-runs.ts';
import { eraseRun } from './erase-run.ts';
import { type LibraryFilter, type LibraryRun, ORDERS, STATES, WORKS } from './library-filter.ts';

/** The choice of runs that are assigned to nobody; nobody is called that. */
const NOBODY = ' ';

interface FilterProps {
  filter: Signal<LibraryFilter>;
  /** Those of the runs. */
  languages: readonly string[];
  /** Those to whom some are assigned. */
  people: readonly string[];
}

/** The search field and the choices. */
export function LibraryFilters({ filter, languages, people }: FilterProps) {
  const change = (changes: Partial<LibraryFilter>): void => {
    filter.value = { ...filter.peek(), ...changes };
  };
  const choice = <Name extends 'state' | 'work' | 'order'>(
    name: Name,
    options: readonly LibraryFilter[Name][],
    names: Readonly<Record<string, string>>,
  ) => (
    <DropDown
      label={texts.filters[name]}
      value={filter.value[name]}
      options={options.map((each) => [each, names[each] ?? ''])}
      onChoose={(value) => {
        const chosen = options.find((each) => each === value);
        if (chosen !== undefined) change({ [name]: chosen });
      }}
    />
  );
  return (
    <div class="library-filters">
      <input
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={filter.value.search}
        onInput={(event) => change({ search: event.currentTarget.value })}
      />
      {choice('state', STATES, texts.options.state)}
      {choice('work', WORKS, texts.options.work)}
      {languages.length > 1 && (
        <DropDown
          label={texts.filters.language}
          value={filter.value.language}
          options={[
            ['', texts.allLanguages],
            ...languages.map((each) => [each, languageName(each)] as const),
          ]}
          onChoose={(language) => change({ language })}
        />
      )}
      {people.length > 0 && (
        <DropDown
          label={texts.filters.person}
          value={filter.value.person ?? NOBODY}
          options={[
            ['', texts.anybody],
            [NOBODY, texts.nobody],
            ...people.map((each) => [each, texts.person(each)] as const),
          ]}
          onChoose={(value) => change({ person: value === NOBODY ? null : value })}
        />
      )}
      {choice('order', ORDERS, texts.options.order)}
    </div>
  );
}

interface SelectionProps {
  /** The runs that are shown. */
  shown: readonly LibraryRun[];
  /** The ids of the selected ones. */
  selected: Signal<ReadonlySet<string>>;
  /** Those to whom runs are assigned already. */
  people: readonly string[];
  onErased(runId: string): void;
  onAssigned(state: ReviewState): void;
  onProblem(message: string): void;
}

/** What is done with the selected runs. */
export function LibrarySelection({
  shown,
  selected,
  people,
  onErased,
  onAssigned,
  onProblem,
}: SelectionProps) {
  const asks = useSignal(false);
  const assigns = useSignal(false);
  /** What is being done, in words. */
  const doing = useSignal('');
  const chosen = shown.filter(({ run }) => selected.value.has(run.runId));
  const erasable = chosen.filter(({ run }) => run.finishedAt !== null);
  const work = async (job: () => Promise<void>): Promise<void> => {
    try {
      await job();
    } catch (error) {
      onProblem(failureText(error) ?? '');
    }
    doing.value = '';
  };
  const download = () =>
    work(async () => {
      const { savedCaptions, zipped } = await loadPart(
        () => import('../review/save/caption-download.ts'),
      );
      const files: { name: string; content: string | Uint8Array }[] = [];
      for (const [at, { run, name }] of chosen.entries()) {
        doing.value = texts.downloading(at + 1, chosen.length);
        const result = await resultOf(run.runId);
        const made =
          result?.status === 'completed'
            ? await savedCaptions(run.runId, name, result, 'srt')
            : null;
        if (made) files.push(made);
      }
      if (files.length === 0) onProblem(texts.nothingSelected);
      else saveFile(await zipped(files), 'captions.zip', 'application/zip');
    });
  const erase = () =>
    work(async () => {
      for (const [at, { run }] of erasable.entries()) {
        doing.value = texts.erasing(at + 1, erasable.length);
        await eraseRun(run.runId);
        onErased(run.runId);
      }
    });
  const completed = chosen.filter(({ run }) => run.state === 'completed');
  const assign = (assignee: string | null, due: string | null) =>
    work(async () => {
      for (const [at, { run }] of completed.entries()) {
        doing.value = texts.assigning(at + 1, completed.length);
        onAssigned(await withKey((key) => changeState(key, run.runId, { assignee, due })));
      }
    });
  const isBusy = doing.value !== '';
  return (
    <div class="library-selection">
      <label class="check">
        <input
          type="checkbox"
          checked={chosen.length > 0 && chosen.length === shown.length}
          onChange={({ currentTarget: { checked } }) => {
            selected.value = new Set(checked ? shown.map(({ run }) => run.runId) : []);
          }}
        />
        <span>
          {chosen.length === 0 ? texts.selectAll(shown.length) : texts.selected(chosen.length)}
        </span>
      </label>
      {chosen.length > 0 && (
        <span class="actions">
          <button type="button" disabled={isBusy} onClick={() => void download()}>
            {texts.downloadSelected}
          </button>
          <button
            type="button"
            disabled={isBusy || completed.length === 0}
            onClick={() => (assigns.value = true)}
          >
            {texts.assignSelected}
          </button>
          <button
            type="button"
            class="danger"
            disabled={isBusy || erasable.length === 0}
            onClick={() => (asks.value = true)}
          >
            {texts.eraseSelected}
          </button>
        </span>
      )}
      <span role="status">{doing}</span>
      {assigns.value && (
        <AssignDialog
          runs={completed.length}
          people={people}
          onAssign={(who, due) => void assign(who, due)}
          onClose={() => (assigns.value = false)}
        />
      )}
      {asks.value && (
        <Dialog
          title={texts.eraseManyTitle(erasable.length)}
          close={text.cancel}
          onClose={() => (asks.value = false)}
          actions={[{ label: texts.erase.confirm, danger: true, run: () => void erase() }]}
        >
          <p>{texts.eraseMany}</p>
          <ul>
            {erasable.slice(0, 10).map(({ run, name }) => (
              <li key={run.runId} dir="auto">
                {name}
              </li>
            ))}
          </ul>
          {erasable.length > 10 && <p>{texts.andMore(erasable.length - 10)}</p>}
          <p class="hint">{texts.erase.hint}</p>
        </Dialog>
      )}
    </div>
  );
}

interface AssignDialogProps {
  runs: number;
  people: readonly string[];
  onAssign(assignee: string | null, due: string | null): void;
  onClose(): void;
}

/** Asks to whom runs are assigned, and until when. */
function AssignDialog({ runs, people, onAssign, onClose }: AssignDialogProps) {
  const [assignee, due] = [useSignal(''), useSignal('')];
  const run = () => onAssign(assignee.peek().trim() || null, due.peek() || null);
  return (
    <Dialog
      title={texts.assignTitle(runs)}
      close={text.cancel}
      onClose={onClose}
      actions={[{ label: texts.assign, run }]}
    >
      <PersonAndDay assignee={assignee} due={due} people={people} />
    </Dialog>
  );
}

/** The files about all talks of the workspace. */
export function WorkspaceFiles({ onProblem }: { onProblem(message: string): void }) {
  const isReading = useSignal(false);
  const save = async (file: 'evidence.csv' | 'statement.html'): Promise<void> => {
    isReading.value = true;
    try {
      const blob = await withKey((key) => readEvidence(key, file));
      saveFile(blob, file, blob.type);
    } catch (error) {
      onProblem(failureText(error) ?? '');
    }
    isReading.value = false;
  };
  return (
    <details class="workspace-files">
      <summary>{texts.files.title}</summary>
      <p class="hint">{texts.files.about}</p>
      <p class="run-actions">
        <button type="button" disabled={isReading.value} onClick={() => void save('evidence.csv')}>
          {texts.files.table}
        </button>
        <button
          type="button"
          disabled={isReading.value}
          onClick={() => void save('statement.html')}
        >
          {texts.files.statement}
        </button>
      </p>
    </details>
  );
}
