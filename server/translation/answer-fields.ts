/** What the readers of a model's answer share: its entries, and the names of their fields. */

/** What an answer says about one sentence; nothing about it is taken for granted. */
export interface ReadEntry {
  /** The id that it names; absent if it names none. */
  id?: string;
  /** The sentence as it repeats it; absent if it does not. */
  source?: string;
  text: string;
}

/** What the readers know: the names of fields, and the letters of the sentences that were asked about. */
export interface Context {
  fields: Fields;
  asked: ReadonlySet<string>;
}

/**
 * The letters and digits of a text in lower case.
 * @example
 * lettersOf('Well, no. 3!'); // => 'wellno3'
 */
export const lettersOf = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The names of fields, in the order in which they are believed. */
interface Fields {
  text: readonly string[];
  source: ReadonlySet<string>;
}

/** The names of the field with the id of a sentence. */
export const ID_FIELDS = new Set(
  'id ids index idx i n no nr num number key line sentenceid sentencenumber segment segmentid nummer numero número numéro numer номер 编号 番号'.split(
    ' ',
  ),
);
const TEXT_FIELDS =
  'translation translated translatedtext translatedsentence translationtext target targettext output result text value content sentence übersetzung traducción traduction traduzione tradução vertaling tłumaczenie перевод 翻译 翻訳 번역'.split(
    ' ',
  );
const SOURCE_FIELDS =
  'source original originaltext sourcetext sourcesentence src input quelle ausgangstext origen fuente origine оригинал 原文'.split(
    ' ',
  );

/**
 * The name of a field without marks, in lower case.
 * @example
 * nameOf('**Source text**'); // => 'sourcetext'
 */
export const nameOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The fields of an answer. @param languages the tags of the languages, which may name them */
export const fieldsOf = ([from = '', to = '']: readonly string[]): Fields => {
  const tags = (tag: string) => [tag, tag.split('-')[0]!].map(nameOf).filter((name) => name !== '');
  return {
    text: [...tags(to), ...TEXT_FIELDS],
    source: new Set([...SOURCE_FIELDS, ...tags(from)]),
  };
};
