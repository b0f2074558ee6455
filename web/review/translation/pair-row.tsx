/** One sentence: the source on the left, the captions of its translation on the right, which become a field. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Translation } from '../../../server/contract/translations.ts';
import { Icon } from '../../components/icon.tsx';
import { position } from '../../texts/format.ts';
import { translationText as texts } from '../../texts/translation.ts';
import { withoutTags } from '../model/cue.ts';
import type { Playback } from '../play/playback.ts';
import { engineLabel, hasDirection, translators } from './translate-dialog.tsx';
import type { Translating } from './translating.ts';
import { italicRuns } from '../../../server/captions/italics.ts';

type Result = NonNullable<Translation['result']>;

/** A sentence with everything that belongs to it. */
interface RowParts {
  pair: Result['sentences'][number];
  /** From 1. */
  number: number;
  cues: Result['cues'];
  doubts: Result['doubts'];
  warnings: Result['warnings'];
}

export interface PairRowProps {
  row: RowParts;
  terms: NonNullable<Result['terms']>;
  /** Of the source and of the translation, BCP 47. */
  languages: readonly [source: string, target: string];
  /** The number of the sentence whose translation is being changed. */
  editing: Signal<number | null>;
  translating: Translating;
  playback: Playback;
}

const RIGHT_TO_LEFT = /^(?:ar|ckb|dv|fa|he|iw|ks|ps|sd|ug|ur|yi)\b/i;

/**
 * The direction of a language's script.
 * @example
 * directionOf('he'); // => 'rtl'
 */
const directionOf = (language: string): 'rtl' | 'ltr' =>
  RIGHT_TO_LEFT.test(language) ? 'rtl' : 'ltr';

/** The row. */
export function PairRow(props: PairRowProps) {
  const { row, terms, languages, editing, translating, playback } = props;
  const { pair, number, doubts, warnings } = row;
  const [from, to] = languages;
  const isEditing = editing.value === number;
  const keptTerms = terms.map(({ term, translation = term }) => translation);
  const target = { lang: to, dir: directionOf(to) };
  return (
    <li class="pair">
      <button
        type="button"
        class="quiet pair-time"
        aria-label={texts.playFrom(position(pair.start))}
        onClick={() => playback.playFrom(pair.start)}
      >
        {position(pair.start)}
      </button>
      <p
        class="pair-source"
        lang={from || undefined}
        dir={from === '' ? 'auto' : directionOf(from)}
      >
        <Marked text={withoutTags(pair.source)} phrases={terms.flatMap(formsOf)} />
      </p>
      <div class="pair-target">
        {isEditing ? (
          <Field {...props} />
        ) : (
          <button
            type="button"
            class="pair-cues"
            title={texts.edit(number)}
            onClick={() => (editing.value = number)}
            {...target}
          >
            {row.cues.length === 0 ? (
              <span class="pair-cue">{withoutTags(pair.text)}</span>
            ) : (
              row.cues.map(({ index, lines }) => (
                <span class="pair-cue" key={index}>
                  {italicRuns(lines).map((runs, line) => (
                    <span class="pair-line" key={line}>
                      {runs.map(({ text, italic }, at) =>
                        italic ? (
                          <i key={at}>{text}</i>
                        ) : (
                          <Marked key={at} text={text} phrases={keptTerms} />
                        ),
                      )}
                    </span>
                  ))}
                </span>
              ))
            )}
          </button>
        )}
        <ul class="pair-notes">
          {doubts.map(({ kind, message }) => (
            <li class="pair-doubt" key={kind + message}>
              <Icon name="warning" /> {message}
            </li>
          ))}
          {warnings.map(({ cue, rule, message }) => (
            <li key={cue + rule}>{message}</li>
          ))}
        </ul>
        <Settling row={row} translating={translating} />
      </div>
    </li>
  );
}

/** The buttons that settle a sentence: it is right, or it becomes what the model wrote. */
function Settling({
  row: { pair, number, doubts },
  translating,
}: Pick<PairRowProps, 'row' | 'translating'>) {
  const { edited, confirmed, remembered } = pair;
  if (doubts.length === 0 && edited === undefined && !confirmed && !remembered) return null;
  const kept = edited === undefined ? {} : { text: pair.text };
  return (
    <p class="pair-settling">
      {edited !== undefined && <span class="hint">{texts.edited}</span>}
      {remembered && <span class="hint">{texts.remembered[remembered]}</span>}
      {confirmed && <span class="hint">{texts.confirmed}</span>}
      {doubts.length > 0 && (
        <button
          type="button"
          aria-label={texts.confirmLabel(number)}
          onClick={() => void translating.edit(number, { ...kept, confirmed: true })}
        >
          {texts.confirm}
        </button>
      )}
      {confirmed && (
        <button type="button" class="plain" onClick={() => void translating.edit(number, kept)}>
          {texts.reopen}
        </button>
      )}
      {edited !== undefined && (
        <button
          type="button"
          class="plain"
          aria-label={texts.restoreLabel(number)}
          onClick={() => void translating.edit(number, { text: null })}
        >
          {texts.restore}
        </button>
      )}
    </p>
  );
}

/** The field for the whole translation of a sentence. */
function Field({ row: { pair, number }, languages, editing, translating }: PairRowProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const left = translating.unsaved.value;
  const unsaved = left?.sentence === number ? left : null;
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.focus();
    current.setSelectionRange(current.value.length, current.value.length);
    grow(current);
  }, []);
  const save = async (): Promise<boolean> => {
    const text = field.current?.value.trim() ?? '';
    // An empty field means what was there before.
    if (text !== '' && (text !== pair.text || unsaved)) {
      if (!(await translating.edit(number, { text }))) return false;
    }
    if (editing.peek() === number) editing.value = null;
    return true;
  };
  const saveAndGoOn = async (): Promise<void> => {
    if (await save()) editing.value = number + 1;
  };
  const cancel = (): void => {
    translating.forget();
    editing.value = null;
  };
  return (
    <>
      <textarea
        ref={field}
        aria-label={texts.field(number)}
        title={texts.fieldHint}
        lang={languages[1]}
        dir={directionOf(languages[1])}
        rows={2}
        defaultValue={unsaved?.text ?? pair.text}
        onInput={({ currentTarget }) => grow(currentTarget)}
        onBlur={({ relatedTarget }) => {
          const isOffer = relatedTarget instanceof Element && relatedTarget.closest('.pair-offers');
          if (!isOffer && !translating.unsaved.peek()) void save();
        }}
        onKeyDown={(event) => {
          const isSave = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
          // Nothing is lost if the input method still composes.
          if (event.isComposing || (!isSave && event.key !== 'Escape')) return;
          event.preventDefault();
          event.stopPropagation();
          if (isSave) {
            void saveAndGoOn();
          } else cancel();
        }}
      />
      <Offers
        pair={pair}
        take={(text) => {
          const { current } = field;
          if (!current) return;
          current.value = text;
          grow(current);
          current.focus();
        }}
        anew={(provider) => {
          editing.value = null;
          void translating.anew(number, provider);
        }}
        find={translating.similar}
        languages={languages}
      />
      {unsaved && (
        <p class="not-saved" role="alert">
          {unsaved.why}{' '}
          <button type="button" onClick={() => void save()}>
            {texts.retry}
          </button>
        </p>
      )}
    </>
  );
}

interface OffersProps {
  pair: RowParts['pair'];
  languages: PairRowProps['languages'];
  /** Finds what was translated before and is like the sentence. */
  find: Translating['similar'];
  take(text: string): void;
  anew(provider: string): void;
}

/** What else the sentence could be: as similar ones were translated before, or as an engine translates it now. */
function Offers({ pair, languages, find, take, anew }: OffersProps) {
  const [, language] = languages;
  const found = useSignal<Awaited<ReturnType<typeof find>>>([]);
  useEffect(() => {
    void find(pair.source).then(
      (matches) => (found.value = matches.filter(({ text }) => text !== pair.text)),
    );
  }, [pair]);
  const engines = translators().filter(({ directions }) => hasDirection(directions, languages));
  return (
    <div class="pair-offers">
      {found.value.map(({ source, text, likeness, who }) => (
        <button type="button" class="plain" key={text} title={source} onClick={() => take(text)}>
          <span class="hint">{texts.similar(likeness, who)}</span>{' '}
          <span lang={language} dir={directionOf(language)}>
            {withoutTags(text)}
          </span>
        </button>
      ))}
      {engines.map((engine) => (
        <button type="button" class="plain" key={engine.name} onClick={() => anew(engine.name)}>
          {engines.length > 1 ? texts.anewBy(engineLabel(engine)) : texts.anew}
        </button>
      ))}
    </div>
  );
}

/** Makes a field as high as its text. */
function grow(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

const formsOf = ({ term, aliases = [] }: NonNullable<Result['terms']>[number]): string[] => [
  term,
  ...aliases,
];

/** A text in which names and terms are marked. */
function Marked({ text, phrases }: { text: string; phrases: readonly string[] }) {
  const lower = text.toLowerCase();
  // Some letters change their length in lower case.
  if (lower.length !== text.length) return <>{text}</>;
  const found = phrases
    .map((phrase) => [lower.indexOf(phrase.toLowerCase()), phrase.length] as const)
    .filter(([at, length]) => at >= 0 && length > 0)
    .toSorted((a, b) => a[0] - b[0] || b[1] - a[1]);
  const parts = [];
  let from = 0;
  for (const [at, length] of found) {
    if (at < from) continue;
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + length)}</mark>);
    from = at + length;
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  );
}
