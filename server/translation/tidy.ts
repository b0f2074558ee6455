/** Gives a translation the form of its sentence, without what models write around it. */
import { decodeHTML } from 'entities';
import { shownText } from '../captions/italics.ts';
import { soundsOf } from '../captions/sound-labels.ts';
import { type Sentence, wordsOf, withoutTags } from './sentences.ts';

/** A longer answer to one sentence is none, in characters. */
const LONGEST_ANSWER = 20_000;

/**
 * A text on one line, as a caption can show it.
 * @example
 * onOneLine(' Hallo\n Welt '); // => 'Hallo Welt'
 */
export const onOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** A text whose words need no space between them has none where a line ends. */
const joined = (text: string): string =>
  text.replace(
    /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，！？])[ \t]{0,9}\r?\n[ \t]{0,9}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/gu,
    '',
  );

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
  /^[*_\s]{0,3}(?:(?:the )?(?:\p{L}{3,12} )?translation(?: is)?|übersetzung|übersetzt|traduction|traducción|traduzione|tradução|vertaling|tłumaczenie|перевод|翻译|翻訳|번역|deutsch|german|english|french|spanish|auf deutsch|in english|en español|en français|in italiano|em português|output|text)(?: \([\p{L} ]{2,20}\))?[*_]{0,3}\s?[:：][*_]{0,3}\s*/iu;
/** A remark in brackets after a translation. */
const REMARK =
  /(?<=[\p{L}\p{N}.!?…。！？"”'’])\s*(?:\([^()]{1,200}\)|\[[^[\]]{1,200}\]|（[^（）]{1,200}）)[.\s]*$/u;
/** A remark after the end of a translation, with the word that introduces it. */
const REMARK_AFTER =
  /(?<=[.!?…。！？"”»])\s{0,3}[*_–—-]{0,2}\s{0,3}(?:(?:translator['’]s )?notes?|explanation|hinweis|anmerkung|erklärung|nota|remarque|explicación|explication|примечание|注|译注|備考|참고)\s?[:：].*$/iu;
const BRACKET = /[([（【［]/u;

/** A text without a label before it and a remark after it, if its sentence has none. */
function withoutRemarks(text: string, source: string): string {
  let bare = LABEL.test(source) || /^[^\s]{1,30}:/.test(source) ? text : text.replace(LABEL, '');
  if (!source.includes(':')) bare = bare.replace(REMARK_AFTER, '');
  if (!BRACKET.test(source)) bare = bare.replace(REMARK, '');
  return bare === '' ? text : bare;
}

/** Marks of models that end a turn. */
const TOKENS =
  /<\|[a-z_]{1,30}\|>|<\/?s>|<\/?(?:eos|bos|pad|unk|end_of_turn|start_of_turn)>|\[\/?INST\]/gi;
const BREAK = /<br\s?\/?>/gi;
/** Tags of any name but that of italics. */
const TAG = /<\/?(?!i>)[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,200})?\/?>/gi;
/** Characters that show nothing. Joiners and marks of direction belong to some scripts. */
const UNSEEN = /(?![\t\n\r])\p{Cc}|[\u00ad\u200b\u2060\ufeff]/gu;
const EMOJI = /\s{0,3}\p{Emoji_Presentation}\uFE0F?/gu;
/** Brackets around the whole of a text. */
const AROUND: readonly RegExp[] = [
  /^\{\{([^{}]+)\}\}$/u,
  /^\{([^{}]+)\}$/u,
  /^\[([^[\]]+)\]$/u,
  /^\(([^()]+)\)$/u,
  /^<([^<>]+)>$/u,
];

/** What Windows shows for the bytes from 128 to 159, each with its byte. */
const WINDOWS = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, at) => 128 + at)),
    (sign, at) => [sign, 128 + at] as const,
  ),
);

/** A text whose UTF-8 was read as Latin-1 somewhere, such as “StraÃŸe”, as it was meant; any other as it is. */
function asUtf8(text: string): string {
  if (!/[Â-ô][\u0080-¿\u0152-\u2122]/u.test(text)) return text;
  const bytes = Array.from(text, (sign) => WINDOWS.get(sign) ?? sign.codePointAt(0)!);
  if (bytes.some((byte) => byte > 255)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return text;
  }
}

/** A text without the marks of other forms: of HTML, of Markdown, of JSON and of models, as far as its sentence has none. */
function withoutMarks(answer: string, source: string): string {
  let text = asUtf8(answer).normalize('NFC').replace(UNSEEN, '').replace(TOKENS, '');
  if (!/\\[rntu"]/.test(source)) {
    text = text
      .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
      .replace(/\\[rnt]/g, ' ')
      .replaceAll('\\"', '"');
  }
  if (!/&[#a-z0-9]{1,10};/i.test(source)) text = decodeHTML(text);
  if (!/<(?!\/?i>)/i.test(source)) text = text.replace(BREAK, ' ').replace(TAG, '');
  if (!/[{}\]]/.test(source) && !text.includes('{'))
    text = text.replace(/["”]?\s{0,3}\}[}\]"]{0,3}\s{0,3}$/u, '');
  if (!source.includes('`')) text = text.replaceAll('`', '');
  if (!source.includes('*')) text = text.replace(/\*{1,3}/g, '');
  if (!EMOJI.test(source)) text = text.replace(EMOJI, '');
  EMOJI.lastIndex = 0;
  if (!/^[-–—•]/u.test(source)) text = text.replace(/^\s*[-–—•]\s+/u, '');
  return text.trim();
}

/** A text without the brackets around the whole of it, if its sentence has none. */
const unbracketed = (text: string, source: string): string =>
  BRACKET.test(source) || source.includes('{')
    ? text
    : AROUND.reduce((bare, pattern) => bare.replace(pattern, '$1').trim(), text);

/** A text without the sentence itself, which some models put before or after its translation. */
function withoutSentence(text: string, source: string): string {
  if (text.length <= source.length) return text;
  const isOfWords = /\p{L}.?\s\p{L}/u.test(source);
  if (text.startsWith(source)) {
    const rest = text.slice(source.length);
    if (!isOfWords && !/^\s*(?:→|[-=]>)/u.test(rest)) return text;
    const isApart = /^\s*(?:→|[-=]>|[-–—=:|/]|\n)/u.test(rest) || /[.!?…]["”]?$/u.test(source);
    const bare = rest.replace(/^\s*(?:→|[-=]>|[-–—=:|/])?\s*/u, '');
    return isApart && /\p{L}/u.test(bare) ? bare : text;
  }
  const whole = text.endsWith(`(${source})`) ? text.slice(0, -1) : text;
  if (!isOfWords || !whole.endsWith(source)) return text;
  const bare = whole
    .slice(0, -source.length)
    .trimEnd()
    .replace(/(?:→|[-=]>|[-–—=:|/(])$/u, '')
    .trimEnd();
  return /\p{L}/u.test(bare) ? bare : text;
}

/** The scripts whose sentences end with the marks of Latin ones. */
const WITH_PERIODS =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{N}]["”“»’']?$/u;
const WIDE: Readonly<Record<string, string>> = {
  '。': '.',
  '．': '.',
  '，': ', ',
  '、': ', ',
  '？': '?',
  '！': '!',
  '：': ': ',
  '；': '; ',
  '（': ' (',
  '）': ')',
};
const ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A text with the marks of its script, and with the mark at its end that its sentence has. */
function punctuated(text: string, source: string): string {
  let marked = text;
  if (!ASIAN.test(text)) {
    marked = text
      .replace(/(?<=\p{N})[，．：](?=\p{N})/gu, (sign) => sign.normalize('NFKC'))
      .replace(/\s?[。．，、？！：；（）]\s?/gu, (sign) => WIDE[sign.trim()]!)
      .trim();
  }
  const [, end = ''] = /([.?!]|…|\.\.\.)["”»’']?$/u.exec(source) ?? [];
  return end !== '' && WITH_PERIODS.test(marked) ? `${marked}${end}` : marked;
}

/** The fewest translations of which a part that all have is no coincidence. */
const FEWEST = 4;
/** The longest part of that kind, in characters. */
const LONGEST_FRAME = 200;

/**
 * Translations without what a model has put before or after all of them: a label, a remark, a number each.
 * @param pairs sentences and their translations
 */
export function withoutFrames(
  pairs: readonly (readonly [source: string, text: string])[],
): string[] {
  const texts = pairs.map(([, text]) => text.trim());
  if (texts.length < FEWEST) return texts;
  const NUMBER = /^[[(#]?\d{1,5}[\]).:]\s+(?=\S)/u;
  if (
    texts.every((text) => NUMBER.test(text)) &&
    pairs.every(([source]) => !/^[[(#]?\d/u.test(source))
  ) {
    return texts.map((text) => text.replace(NUMBER, ''));
  }
  const [first = ''] = texts;
  const [label = ''] =
    /^(?:[^:：]{1,60}[:：]|\[[^[\]]{1,30}\]|\([^()]{1,30}\))\s*/u.exec(first) ?? [];
  const isOwn = /^[[(]/.test(label) && pairs.some(([source]) => source.startsWith(label[0]!));
  const bare =
    label !== '' && !isOwn && texts.every((text) => text.startsWith(label))
      ? texts.map((text) => text.slice(label.length))
      : texts;
  const remark = commonEnd(bare);
  return remark === '' || pairs.some(([source]) => source.endsWith(remark.trim()))
    ? bare
    : bare.map((text) => text.slice(0, -remark.length));
}

/** The words with which all texts end, from after the end of a sentence; empty if there are none. */
function commonEnd(texts: readonly string[]): string {
  let end = texts[0]?.slice(-LONGEST_FRAME) ?? '';
  for (const text of texts) {
    while (end !== '' && !text.endsWith(end)) end = end.slice(1);
  }
  const [found = ''] = /\s\S.*$/u.exec(end) ?? [];
  const isAfter = texts.every((text) => /[.!?…。！？]["”»]?$/u.test(text.slice(0, -found.length)));
  return found.trim().length > 1 && isAfter ? found : '';
}

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
  const bare = withoutTags(source);
  const marked = by === 'model' ? withoutMarks(answer, bare) : answer;
  let text = onOneLine(shownText(onOneLine(joined(marked))));
  if (by === 'model') {
    text = unquoted(withoutRemarks(unquoted(withoutSentence(text, bare), bare), bare), bare);
    if (kind !== 'sound') text = unbracketed(text, bare);
    text = punctuated(text, bare);
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
