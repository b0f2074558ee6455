/** The screen of the workspace's own terms and of the rules learned from reviews. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  WorkspaceTerm,
  WorkspaceTerms,
  LearnedRules,
} from '../../server/contract/workspace-terms.ts';
import {
  changeTerms,
  exportTerms,
  importTerms,
  readRules,
  readTerms,
  setLearning,
} from '../api/terminology.ts';
import { NumberField, Select, TextField } from '../components/fields.tsx';
import { FileButton } from '../components/file-button.tsx';
import { IconButton } from '../components/icon.tsx';
import { Notice } from '../components/notice.tsx';
import { saveFile } from '../components/save-file.ts';
import { SignInButton } from '../components/sign-in-button.tsx';
import { usePageTitle } from '../tab/page-title.ts';
import { session } from '../tab/session.ts';
import { text } from '../texts/shell.ts';
import { termsText } from '../texts/terms.ts';
import { RuleItem } from './rule-item.tsx';
import { type Asking, decideInList, listOf, useAsking } from './use-terminology.ts';

/** The terms screen. */
export function TermsScreen() {
  usePageTitle(termsText.title);
  const asking = useAsking();
  const key = session.value?.key;
  return (
    <section class="card" aria-labelledby="terms-title">
      <h1 id="terms-title">{termsText.title}</h1>
      <p class="hint">{termsText.intro}</p>
      {asking.problem.value !== '' && (
        <Notice kind="error">
          <p>{asking.problem}</p>
        </Notice>
      )}
      {key === undefined ? (
        <p>
          {termsText.signIn} <SignInButton />
        </p>
      ) : (
        // Remount for each key, so that a late answer is not shown to the next user.
        <Terminology key={key} asking={asking} />
      )}
    </section>
  );
}

/** The terms and the rules. A change of either may change the other, which is then read again. */
function Terminology({ asking }: { asking: Asking }) {
  const found = useSignal<WorkspaceTerms | null>(null);
  const learned = useSignal<LearnedRules | null>(null);
  const readFound = async (): Promise<void> => {
    found.value = (await asking.read(readTerms)) ?? found.peek();
  };
  const readLearned = async (): Promise<void> => {
    learned.value = (await asking.read((key) => readRules(key))) ?? learned.peek();
  };
  useEffect(() => {
    void readFound().then(readLearned);
  }, []);
  return (
    <>
      <Terms asking={asking} found={found} changed={() => void readLearned()} />
      <Learned
        asking={asking}
        learned={learned}
        readAgain={readLearned}
        changed={() => void readFound()}
      />
    </>
  );
}

interface TermsProps {
  asking: Asking;
  found: Signal<WorkspaceTerms | null>;
  changed(): void;
}

function Terms({ asking: { ask }, found, changed }: TermsProps) {
  /** The term being edited; `new` for a new one. */
  const edited = useSignal<WorkspaceTerm | 'new' | null>(null);
  const wanted = useSignal('');
  const message = useSignal('');
  const take = (terms: WorkspaceTerms | null): boolean => {
    if (!terms) return false;
    found.value = terms;
    changed();
    return true;
  };
  if (!found.value) return <p class="loading">{text.loading}</p>;
  const { terms, limit } = found.value;
  const like = wanted.value.trim().toLowerCase();
  const shown = terms.filter(({ canonical, mishears = [] }) =>
    [canonical, ...mishears].some((form) => form.toLowerCase().includes(like)),
  );
  const save = async (term: WorkspaceTerm): Promise<void> => {
    const before = edited.peek();
    const isRenamed = before && before !== 'new' && before.canonical !== term.canonical;
    const patch = { terms: [term], ...(isRenamed ? { remove: [before.canonical] } : {}) };
    if (take(await ask((key) => changeTerms(key, patch)))) edited.value = null;
  };
  const read = async (file: File): Promise<void> => {
    const type = /\.ya?ml$/i.test(file.name) ? 'application/yaml' : 'text/plain';
    const content = await file.text();
    const now = await ask((key) => importTerms(key, content, type));
    if (take(now)) message.value = termsText.imported(now?.terms.length ?? 0);
  };
  const write = async (format: 'yaml' | 'txt'): Promise<void> => {
    const content = await ask((key) => exportTerms(key, format));
    if (content !== null) saveFile(content, `terms.${format}`, 'text/plain');
  };
  return (
    <>
      <p class="hint">{termsText.count(terms.length, limit)}</p>
      {edited.value === null ? (
        <p class="rule-actions">
          <button type="button" class="primary" onClick={() => (edited.value = 'new')}>
            {termsText.add}
          </button>
          <FileButton
            label={termsText.import}
            accept=".yaml,.yml,.txt,.csv,text/plain"
            onFiles={([file]) => void read(file)}
          />
          {terms.length > 0 && (
            <>
              <button type="button" onClick={() => void write('yaml')}>
                {termsText.exportYaml}
              </button>
              <button type="button" onClick={() => void write('txt')}>
                {termsText.exportList}
              </button>
            </>
          )}
        </p>
      ) : (
        <TermForm
          term={edited.value === 'new' ? null : edited.value}
          save={(term) => void save(term)}
          cancel={() => (edited.value = null)}
        />
      )}
      <p role="status">{message}</p>
      {terms.length === 0 && <p>{termsText.none}</p>}
      {terms.length > 8 && <TextField label={termsText.find} value={wanted} />}
      {terms.length > 0 && shown.length === 0 && <p>{termsText.noneFound}</p>}
      <ul class="runs terms">
        {shown.map((term) => (
          <li key={term.canonical}>
            <span>
              <strong>{term.canonical}</strong>{' '}
              <span class="hint">
                {[
                  ...(term.mishears?.length ? [termsText.heard(term.mishears)] : []),
                  ...(term.source ? [termsText.sources[term.source.kind]] : []),
                ].join(' · ')}
              </span>
            </span>
            <span class="rule-actions">
              <button
                type="button"
                aria-label={termsText.edit(term.canonical)}
                onClick={() => (edited.value = term)}
              >
                {termsText.editRule}
              </button>
              <IconButton
                icon="cross"
                class="quiet"
                label={termsText.remove(term.canonical)}
                onClick={() =>
                  void ask((key) => changeTerms(key, { remove: [term.canonical] })).then(take)
                }
              />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface LearnedProps {
  asking: Asking;
  learned: Signal<LearnedRules | null>;
  readAgain(): Promise<void>;
  changed(): void;
}

function Learned({ asking, learned, readAgain, changed }: LearnedProps) {
  if (!learned.value) return null;
  const { automatic, rules } = learned.value;
  const turn = async (on: boolean): Promise<void> => {
    await asking.ask((key) => setLearning(key, on));
    await readAgain();
  };
  return (
    <>
      <h2>{termsText.learnedTitle}</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={automatic}
          onChange={({ currentTarget }) => void turn(currentTarget.checked)}
        />
        <span>
          {termsText.switch}
          <span class="hint">{termsText.switchHint}</span>
        </span>
      </label>
      {rules.length === 0 && <p>{termsText.nothingLearned}</p>}
      <ul class="rules">
        {rules.map((rule) => (
          <RuleItem
            key={rule.id}
            rule={rule}
            decide={(patch) => void decideInList(learned, asking, rule, patch).then(changed)}
          />
        ))}
      </ul>
    </>
  );
}

interface TermFormProps {
  /** Null for a new one. */
  term: WorkspaceTerm | null;
  save(term: WorkspaceTerm): void;
  cancel(): void;
}

/** The form. Rare fields are folded away, unless the term has values in them. */
function TermForm({ term, save, cancel }: TermFormProps) {
  const typed = typedOf(term);
  const canonical = useSignal(typed.canonical);
  const kind = useSignal(typed.kind);
  const mishears = useSignal(typed.mishears);
  const risky = useSignal(typed.risky);
  const near = useSignal(typed.near);
  const aliases = useSignal(typed.aliases);
  const say = useSignal(typed.say);
  const weight = useSignal(typed.weight);
  const note = useSignal(typed.note);
  const problem = useSignal('');
  const send = (event: Event) => {
    event.preventDefault();
    problem.value = canonical.value.trim() === '' ? termsText.needsTerm : '';
    if (problem.value !== '') return;
    save(
      termOf(term, {
        canonical: canonical.value,
        kind: kind.value,
        mishears: mishears.value,
        risky: risky.value,
        near: near.value,
        aliases: aliases.value,
        say: say.value,
        weight: weight.value,
        note: note.value,
      }),
    );
  };
  // Every saved term has a kind, so that alone unfolds nothing.
  const hasMore = [typed.risky, typed.near, typed.aliases].some((text) => text !== '');
  return (
    <form class="term-form" onSubmit={send}>
      <h2>{term ? termsText.editing(term.canonical) : termsText.add}</h2>
      <TextField label={termsText.canonical} hint={termsText.canonicalHint} value={canonical} />
      <TextField label={termsText.mishears} hint={termsText.mishearsHint} value={mishears} />
      <TextField label={termsText.say} hint={termsText.sayHint} value={say} />
      <TextField label={termsText.note} value={note} />
      <details open={hasMore}>
        <summary>{termsText.more}</summary>
        <Select label={termsText.kind} value={kind} options={Object.entries(termsText.kinds)} />
        <TextField label={termsText.risky} hint={termsText.riskyHint} value={risky} />
        <TextField label={termsText.nearWords} hint={termsText.nearWordsHint} value={near} />
        <TextField label={termsText.aliases} hint={termsText.aliasesHint} value={aliases} />
        <NumberField label={termsText.weight} value={weight} minimum={1} maximum={10} step={1} />
      </details>
      <p role="alert">{problem}</p>
      <p class="rule-actions">
        <button type="submit" class="primary">
          {termsText.save}
        </button>
        <button type="button" onClick={cancel}>
          {termsText.cancel}
        </button>
      </p>
    </form>
  );
}

/** What a person has typed into the form of a term; lists are separated by commas. */
interface TypedTerm {
  canonical: string;
  /** One of the contract's kinds; empty for none. */
  kind: string;
  mishears: string;
  risky: string;
  near: string;
  aliases: string;
  say: string;
  /** 1 to 10. */
  weight: number;
  note: string;
}

/** The weight of a term that names none. */
const DEFAULT_WEIGHT = 10;

/** What the form of a term shows at first. */
const typedOf = (term: WorkspaceTerm | null): TypedTerm => ({
  canonical: term?.canonical ?? '',
  kind: term?.kind ?? '',
  mishears: term?.mishears?.join(', ') ?? '',
  risky: term?.risky?.join(', ') ?? '',
  near: term?.near?.join(', ') ?? '',
  aliases: term?.aliases?.join(', ') ?? '',
  say: term?.say ?? '',
  weight: term?.weight ?? DEFAULT_WEIGHT,
  note: term?.note ?? '',
});

/**
 * The term from a form. Fields that the form does not show keep their values; its source is that of a person. A risky
 * word is a mishear, so it is added to the mishears.
 */
function termOf(before: WorkspaceTerm | null, typed: TypedTerm): WorkspaceTerm {
  const risky = listOf(typed.risky);
  const mishears = [...new Set([...listOf(typed.mishears), ...risky])];
  const [near, aliases] = [listOf(typed.near), listOf(typed.aliases)];
  const [say, note] = [typed.say.trim(), typed.note.trim()];
  // A word that is no longer a risky mishear is not a confirmed one either.
  const confirmed = (before?.confirmed ?? []).filter((entry) => risky.includes(entry));
  return {
    ...(before?.keyterm === undefined ? {} : { keyterm: before.keyterm }),
    ...(before?.translations && { translations: before.translations }),
    canonical: typed.canonical.trim(),
    ...(typed.kind === '' ? {} : { kind: typed.kind as NonNullable<WorkspaceTerm['kind']> }),
    ...(mishears.length > 0 ? { mishears } : {}),
    ...(risky.length > 0 ? { risky } : {}),
    ...(near.length > 0 ? { near } : {}),
    ...(confirmed.length > 0 ? { confirmed } : {}),
    ...(aliases.length > 0 ? { aliases } : {}),
    ...(say === '' ? {} : { say }),
    ...(typed.weight === DEFAULT_WEIGHT ? {} : { weight: typed.weight }),
    ...(note === '' ? {} : { note }),
  };
}
