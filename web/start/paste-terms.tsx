/** Finds names and terms in a pasted text, and adds the ticked ones to the glossary. */
import { useSignal } from '@preact/signals';
import { proposeTerms } from '../../server/terminology/packs/propose-terms.ts';
import { TextArea } from '../components/fields.tsx';
import { paste } from '../texts/start-parts.ts';
import { draft } from '../job/draft.ts';
import { trimmedTerms } from '../../server/contract/glossary.ts';
import { TERM } from '../../server/contract/limits.ts';

/** The field for the text and, after the search, the terms found in it. */
export function PasteTerms() {
  const pasted = useSignal('');
  const found = useSignal<ReturnType<typeof proposeTerms> | null>(null);
  const wasCut = useSignal(false);
  const find = (): void => {
    wasCut.value = pasted.value.length > TERM.maxPastedChars;
    found.value = proposeTerms(pasted.value.slice(0, TERM.maxPastedChars));
  };
  const take = (term: string, isTaken: boolean): void => {
    draft.glossary.value = isTaken
      ? withTerms(draft.glossary.value, [term])
      : withoutTerm(draft.glossary.value, term);
  };
  const proposals = found.value;
  return (
    <>
      <TextArea label={paste.text} hint={paste.textHint} value={pasted} rows={5} />
      <button type="button" onClick={find}>
        {paste.find}
      </button>
      <p role="status">
        {proposals && (proposals.length === 0 ? paste.none : paste.found(proposals.length))}{' '}
        {wasCut.value && paste.cut(TERM.maxPastedChars)}
      </p>
      {proposals && proposals.length > 0 && (
        <>
          <div class="packs">
            {proposals.map(({ term, count }) => (
              <label class="check" key={term}>
                <input
                  type="checkbox"
                  checked={hasTerm(draft.glossary.value, term)}
                  onChange={(event) => take(term, event.currentTarget.checked)}
                />
                <span>
                  {term} {count > 1 && <small>{paste.times(count)}</small>}
                </span>
              </label>
            ))}
          </div>
          <button
            type="button"
            onClick={() =>
              (draft.glossary.value = withTerms(
                draft.glossary.value,
                proposals.map(({ term }) => term),
              ))
            }
          >
            {paste.takeAll}
          </button>
        </>
      )}
    </>
  );
}

/** Whether a glossary contains a term in exactly this spelling. */
const hasTerm = (glossary: string, term: string): boolean => trimmedTerms(glossary).includes(term);

/** Appends the missing terms to the glossary, each on its own line. */
function withTerms(glossary: string, terms: readonly string[]): string {
  const added = terms.filter((term) => !hasTerm(glossary, term));
  return [glossary.trimEnd(), ...added].filter((line) => line !== '').join('\n');
}

/** Removes a term from the glossary; the rest keeps its separators. */
const withoutTerm = (glossary: string, term: string): string =>
  glossary
    .split(/(?=[,;\n])/)
    .filter((part) => part.replace(/^[,;\n]/, '').trim() !== term)
    .join('')
    .replace(/^[,;\n]/, '');
