/** Gives a translation the form of its sentence, without what models write around it. */
import { shownText } from '../captions/italics.ts';
import { soundsOf } from '../captions/sound-labels.ts';
import { withoutTags } from './proof.ts';
import { type Sentence, wordsOf } from './sentences.ts';

/** A longer answer to one sentence is none, in characters. */
const LONGEST_ANSWER = 20_000;

/**
 * A text on one line, as a caption can show it.
 * @example
 * onOneLine(' Hallo\n Welt '); // => 'Hallo Welt'
 */
export const onOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** The quotes that models put around a whole translation. */
const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['„', '“'],
  ['„', '”'],
  ['«', '»'],
  ['»', '«'],
  ['‘', '’'],
  ['‚', '‘'],
  ['「', '」'],
  ['『', '』'],
];
const ANY_QUOTE = /^["'“„«»‘‚「『]/u;

/** A text without the quotes around the whole of it, if its sentence has none. */
function unquoted(text: string, source: string): string {
  if (ANY_QUOTE.test(source)) return text;
  const pair = QUOTES.find(([open, close]) => text.startsWith(open) && text.endsWith(close));
  if (!pair || text.length < 3) return text;
  const inside = text.slice(pair[0].length, -pair[1].length).trim();
  return pair.some((quote) => quote !== "'" && inside.includes(quote)) ? text : inside;
}

/** A label before a translation, in the languages in which models write them. */
const LABEL =
  /^[*_\s]{0,3}(?:(?:the )?translation|übersetzung|übersetzt|traduction|traducción|traduzione|tradução|vertaling|tłumaczenie|перевод|翻译|翻訳|번역|deutsch|german|english|french|spanish|output|text)(?: \([\p{L} ]{2,20}\))?[*_]{0,3}\s?[:：][*_]{0,3}\s*/iu;
/** A remark in brackets after a translation. */
const REMARK =
  /(?<=[\p{L}\p{N}.!?…。！？"”'’])\s*(?:\([^()]{1,200}\)|\[[^[\]]{1,200}\]|（[^（）]{1,200}）)[.\s]*$/u;
const BRACKET = /[([（【［]/u;

/** A text without a label before it and a remark in brackets after it, if its sentence has none. */
function withoutRemarks(text: string, source: string): string {
  let bare = LABEL.test(source) || /^[^\s]{1,30}:/.test(source) ? text : text.replace(LABEL, '');
  if (!BRACKET.test(source)) bare = bare.replace(REMARK, '');
  return bare === '' ? text : bare;
}

/** A text without line breaks that a model has written as two letters. */
const unbroken = (text: string, source: string): string =>
  /\\[rnt]/.test(source) ? text : text.replace(/\\[rnt]/g, ' ');

/**
 * A translation in the form of its sentence: on one line, a sound in brackets, marks of italics in pairs.
 * @param by what a person wrote is kept as it is otherwise
 * @example
 * const sound = { text: '[music]', kind: 'sound', italic: false } as const;
 * fitted(sound, 'Musik'); // => '[Musik]'
 */
export function fitted(
  { kind, italic, text: source }: Pick<Sentence, 'kind' | 'italic' | 'text'>,
  answer: string,
  by: 'model' | 'person' = 'model',
): string {
  // Nobody says so much in one sentence, and all further work is in proportion to the text.
  if (answer.length > LONGEST_ANSWER) return '';
  let text = onOneLine(shownText(onOneLine(by === 'model' ? unbroken(answer, source) : answer)));
  if (by === 'model') {
    const bare = withoutTags(source);
    text = unquoted(withoutRemarks(unquoted(text, bare), bare), bare);
  }
  const opens = text.match(/<i>/gi)?.length ?? 0;
  const closes = text.match(/<\/i>/gi)?.length ?? 0;
  const isNew = by === 'model' && !/<\/i>/i.test(source);
  if (italic || opens !== closes || isNew) text = withoutTags(text);
  if (kind !== 'sound' || text === '') return text;
  const inside = text.replace(/^[([（【［]+|(?<![\])）】］])[\])）】］]+$/gu, '');
  const [open, close] = source.startsWith('(') ? ['(', ')'] : ['[', ']'];
  const whole = `${open}${inside}${close}`;
  const words = wordsOf(whole, 'en').map((word) => word.text);
  // Only square brackets mark a sound in any language.
  return soundsOf(words)[0]?.to === words.length ? whole : `[${inside}]`;
}
