/** Finds names and terms in a pasted text or in files, and adds the ticked ones to the glossary. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { HANDOUT_ENDINGS } from '../../server/handouts/endings.ts';
import type { ProposedTerm } from '../../server/terminology/packs/propose-terms.ts';
import { TextArea } from '../components/fields.tsx';
import { FileButton } from '../components/file-button.tsx';
import { paste } from '../texts/start-parts.ts';
import { namedFiles } from '../job/chosen-file.ts';
import { draft } from '../job/draft.ts';
import { namesIn } from './read-handouts.ts';
import { trimmedTerms } from '../../server/contract/glossary.ts';
import { TERM } from '../../server/contract/limits.ts';

/** The fields for the text and the files and, after the search, the terms found in them. */
export function PasteTerms() {
  const pasted = useSignal('');
  const found = useSignal<readonly ProposedTerm[] | null>(null);
  const remark = useSignal('');
  const running = useRef(new AbortController());
  const search = async (given: readonly File[] | string, meanwhile: string): Promise<void> => {
    running.current.abort();
    const { signal } = (running.current = new AbortController());
    found.value = null;
    remark.value = meanwhile;
    const { proposals, refusals } = await namesIn(given, signal);
    // Something else may be searched meanwhile.
    if (signal.aborted) return;
    found.value = proposals;
    const refused = refusals.map(({ name, why }) => `${name}: ${why ?? paste.unreadable}`);
    if (typeof given !== 'string') remark.value = refused.join(' ');
    else if (!proposals) remark.value = paste.notSearched;
  };
  const find = (): void => {
    const wasCut = pasted.value.length > TERM.maxPastedChars;
    void search(
      pasted.value.slice(0, TERM.maxPastedChars),
      wasCut ? paste.cut(TERM.maxPastedChars) : '',
    );
  };
  useSignalEffect(() => {
    const files = namedFiles.value;
    if (files.length > 0) {
      void search(files, paste.reading(files.map(({ name }) => name).join(', ')));
    }
  });
  useEffect(() => () => running.current.abort(), []);
  const proposals = found.value;
  return (
    <>
      <FileButton
        label={paste.file}
        multiple
        accept={HANDOUT_ENDINGS.map((ending) => `.${ending}`).join(',')}
        onFiles={(files) => (namedFiles.value = files)}
      />
      <TextArea label={paste.text} hint={paste.textHint} value={pasted} rows={5} />
      <button type="button" onClick={find}>
        {paste.find}
      </button>
      <p role="status">
        {proposals && (proposals.length === 0 ? paste.none : paste.found(proposals.length))}{' '}
        {remark}
      </p>
      {proposals && proposals.length > 0 && <Found proposals={proposals} />}
    </>
  );
}

/** What is found, in groups; the group with the most likely name comes first. */
function Found({ proposals }: { proposals: readonly ProposedTerm[] }) {
  const terms = proposals.map(({ term }) => term);
  const groups = Map.groupBy(proposals, ({ kind }) => paste.groups[kind] ?? paste.others);
  return (
    <>
      <div class="actions">
        <button
          type="button"
          onClick={() => (draft.glossary.value = withTerms(draft.glossary.value, terms))}
        >
          {paste.takeAll}
        </button>
        <button
          type="button"
          onClick={() => (draft.glossary.value = terms.reduce(withoutTerm, draft.glossary.value))}
        >
          {paste.takeNone}
        </button>
      </div>
      {[...groups].map(([group, members]) => (
        <fieldset key={group}>
          <legend>{group}</legend>
          <div class="packs">
            {members.map(({ term, count }) => (
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
        </fieldset>
      ))}
    </>
  );
}

function take(term: string, isTaken: boolean): void {
  draft.glossary.value = isTaken
    ? withTerms(draft.glossary.value, [term])
    : withoutTerm(draft.glossary.value, term);
}

/** A term as it is written in the glossary, where commas and semicolons separate terms: "Acme, Inc" is "Acme Inc". */
const asWritten = (term: string): string =>
  term
    .split(/[,;]/)
    .map((part) => part.trim())
    .join(' ')
    .trim();

/** Whether a glossary contains a term in exactly this spelling. */
const hasTerm = (glossary: string, term: string): boolean =>
  trimmedTerms(glossary).includes(asWritten(term));

/** Appends the missing terms to the glossary, each on its own line. */
function withTerms(glossary: string, terms: readonly string[]): string {
  const has = new Set(trimmedTerms(glossary));
  const added = terms.map(asWritten).filter((term) => !has.has(term));
  return [glossary.trimEnd(), ...added].filter((line) => line !== '').join('\n');
}

/** Removes a term from the glossary; the rest keeps its separators. */
const withoutTerm = (glossary: string, term: string): string =>
  glossary
    .split(/(?=[,;\n])/)
    .filter((part) => part.replace(/^[,;\n]/, '').trim() !== asWritten(term))
    .join('')
    .replace(/^[,;\n]/, '');
