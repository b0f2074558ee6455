/** The form for adding or editing a term of the workspace. */
import { useSignal } from '@preact/signals';
import type { WorkspaceTerm } from '../../server/contract/workspace-terms.ts';
import { TextField } from '../components/fields.tsx';
import { termOf } from './term-lists.ts';
import { termsText } from './terms-strings.ts';

export interface TermFormProps {
  /** Null for a new one. */
  term: WorkspaceTerm | null;
  save(term: WorkspaceTerm): void;
  cancel(): void;
}

/** The form. */
export function TermForm({ term, save, cancel }: TermFormProps) {
  const canonical = useSignal(term?.canonical ?? '');
  const mishears = useSignal(term?.mishears?.join(', ') ?? '');
  const say = useSignal(term?.say ?? '');
  const note = useSignal(term?.note ?? '');
  const problem = useSignal('');
  const send = (event: Event) => {
    event.preventDefault();
    problem.value = canonical.value.trim() === '' ? termsText.needsTerm : '';
    if (problem.value !== '') return;
    save(
      termOf(term, {
        canonical: canonical.value,
        mishears: mishears.value,
        say: say.value,
        note: note.value,
      }),
    );
  };
  return (
    <form class="term-form" onSubmit={send}>
      <h2>{term ? termsText.editing(term.canonical) : termsText.add}</h2>
      <TextField label={termsText.canonical} hint={termsText.canonicalHint} value={canonical} />
      <TextField label={termsText.mishears} hint={termsText.mishearsHint} value={mishears} />
      <TextField label={termsText.say} hint={termsText.sayHint} value={say} />
      <TextField label={termsText.note} value={note} />
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
