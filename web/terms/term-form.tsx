/** The form for adding or editing a term of the workspace. */
import { useSignal } from '@preact/signals';
import type { WorkspaceTerm } from '../../server/contract/workspace-terms.ts';
import { NumberField, Select, TextField } from '../components/fields.tsx';
import { termOf, typedOf } from './term-lists.ts';
import { termsText } from '../texts/terms.ts';

export interface TermFormProps {
  /** Null for a new one. */
  term: WorkspaceTerm | null;
  save(term: WorkspaceTerm): void;
  cancel(): void;
}

/** The form. Rare fields are folded away, unless the term has values in them. */
export function TermForm({ term, save, cancel }: TermFormProps) {
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
        <Select label={termsText.kind} value={kind} options={termsText.kinds} />
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
