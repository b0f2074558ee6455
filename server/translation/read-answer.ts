/** Reads what language models answer, whatever form they give it: JSON that is bent or cut off, tags, tables, lines. */
import {
  type Context,
  fieldsOf,
  ID_FIELDS,
  lettersOf,
  nameOf,
  type ReadEntry,
} from './answer-fields.ts';
import { readLooseJson } from './loose-json.ts';
import { inLines, inRecords, inSubtitles, inTable, inTags } from './read-lines.ts';

/** The part of an answer that is read, in characters. */
const MAX_READ = 200_000;
/** The most entries of an answer. */
const MAX_ENTRIES = 2000;
/** The deepest nesting in which entries are looked for. */
const MAX_DEPTH = 8;
/** The most places at which JSON is tried to begin. */
const MAX_BEGINNINGS = 6;
/** The most brackets from which whole JSON is tried to be read. */
const MAX_WHOLES = 1000;
/** The most characters in which bent JSON is looked for, all places together. */
const MAX_BENT = 200_000;

/**
 * The entries of an answer. Thoughts, prose and fences around them are passed over, and what was cut off is left out.
 * @param languages tags that may name the fields: of the sentences, and of the translations
 * @param asked the sentences that were asked about, in order
 * @param cut whether the service says that the answer was cut off
 * @example
 * readAnswer('<think>Hm.</think>{"1": "Hallo."}', ['Hello.'], ['en', 'de']); // => [{ id: '1', text: 'Hallo.' }]
 */
export function readAnswer(
  answer: string,
  asked: readonly string[],
  languages: readonly string[] = [],
  cut = false,
): ReadEntry[] {
  const said = answer.slice(0, MAX_READ).replace(/^[\uFEFF\u200B\s]+/u, '');
  const context = { fields: fieldsOf(languages), asked: new Set(asked.map(lettersOf)) };
  const isCut = cut || answer.length > MAX_READ;
  const text = withoutThoughts(said);
  // A thought that never ends may end in the answer; drafts in one that was cut off are none.
  const isOnlyThought = text === '' && !isCut;
  const readers = isOnlyThought
    ? [inJson]
    : [inJson, inSubtitles, inTags, inTable, inRecords, inLines];
  for (const read of readers) {
    const found = read(isOnlyThought ? said : text, asked, context, isCut)
      .slice(0, MAX_ENTRIES)
      .filter((entry) => entry.text.trim() !== '');
    const placed = withPlaces(found, asked.length);
    if (placed.length > 0) return placed;
  }
  return [];
}

/** Entries that name neither a number nor a sentence are those of the sentences in order, if there are as many. */
function withPlaces(entries: readonly ReadEntry[], asked: number): ReadEntry[] {
  const ids = entries.map(({ id }) => id);
  const isOneId = entries.length > 1 && ids[0] !== undefined && new Set(ids).size === 1;
  // Numbers in words or in Roman numerals say no more than the order.
  const isUnnumbered = ids.every((id) => id === undefined || !/\d/.test(id.normalize('NFKC')));
  if ((isUnnumbered || isOneId) && entries.every(({ source }) => source === undefined)) {
    if (entries.length !== asked) return [];
    return entries.map(({ text }, at) => ({ id: String(at + 1), text }));
  }
  const numbers = ids.map((id) => Number(id?.normalize('NFKC').match(/\d+/g)?.at(-1) ?? NaN));
  const known = new Set(numbers.filter((number) => !Number.isNaN(number)));
  const first = firstOf(known, asked);
  // Numbers that cannot be told from those of other sentences place nothing.
  if (first === null && entries.some(({ source }) => source === undefined)) return [];
  return entries.flatMap((entry, at) => {
    const number = numbers[at]!;
    if (!Number.isNaN(number)) return { ...entry, id: String(number + 1 - (first ?? 1)) };
    return entry.source === undefined ? [] : entry;
  });
}

/** The number of the first sentence, as an answer counts; null if it counts in a way that cannot be known. */
function firstOf(known: ReadonlySet<number>, asked: number): number | null {
  const [least, most] = [Math.min(...known), Math.max(...known)];
  // Who counts from 0 has a 0 and not the last number.
  if (least === 0 && !known.has(asked)) return 0;
  if (least <= 1 || most <= asked) return 1;
  return known.size === asked && most - least + 1 === asked ? least : null;
}

/** Marks before what a model only thinks. */
const THOUGHT_BEGINS =
  /<\|channel\|>(?:analysis|commentary)|\[THINK\]|◁think▷|<(think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)\b[^>]{0,80}>/gi;
/** Marks after it. */
const THOUGHT_ENDS =
  /<\|end\|>|\[\/THINK\]|◁\/think▷|<\/(think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad)>/gi;

/** The kind of a mark, by which the end of a thought is known: its tag, or its first sign. */
const kindOf = ([mark, tag]: RegExpMatchArray): string =>
  tag?.toLowerCase() ?? (mark.startsWith('<|') ? '<|' : mark.slice(0, 1));

/** A text without its marked thoughts; one that does not end goes on to the end of the text. */
function withoutMarked(text: string): string {
  const ends = [...text.matchAll(THOUGHT_ENDS)];
  let kept = '';
  let at = 0;
  let next = 0;
  for (const begin of text.matchAll(THOUGHT_BEGINS)) {
    if (begin.index < at) continue;
    kept += text.slice(at, begin.index);
    while (
      next < ends.length &&
      (ends[next]!.index < begin.index || kindOf(ends[next]!) !== kindOf(begin))
    ) {
      next += 1;
    }
    const end = ends[next];
    if (!end) return kept;
    at = end.index + end[0].length;
  }
  return kept + text.slice(at);
}

/**
 * An answer without what the model only thought.
 * @example
 * withoutThoughts('<think>Hm, „Haus“?</think>Haus'); // => 'Haus'
 */
export function withoutThoughts(answer: string): string {
  let text = answer;
  const final = text.lastIndexOf('<|channel|>final');
  if (final >= 0) {
    const begins = text.indexOf('<|message|>', final);
    text = begins < 0 ? '' : text.slice(begins + '<|message|>'.length);
  }
  text = withoutMarked(text).replace(/<\|[a-z_]{1,30}\|>/g, ' ');
  // Some templates put the opening mark into the question.
  const last = [...text.matchAll(THOUGHT_ENDS)].at(-1);
  return (last ? text.slice(last.index + last[0].length) : text).trim();
}

// JSON

function inJson(
  text: string,
  asked: readonly string[],
  context: Context,
  cut: boolean,
): ReadEntry[] {
  let best: ReadEntry[] = [];
  for (const { value, isWhole } of valuesIn(text, cut)) {
    const entries = entriesIn(value, context, 0);
    if (!isWhole) entries.pop();
    if (entries.length > best.length) best = entries;
    if (best.length >= asked.length) break;
  }
  return best;
}

/** A bracket with which JSON may begin. */
const BEGINNING = /[{[](?=\s*(?:["'“„‘«{[\]]|\/[/*]|[\p{L}_$]+\s*:|\d+\s*[:,]))/gu;

/** The JSON values that a text may mean, the likeliest first. */
function* valuesIn(text: string, cut: boolean): Generator<{ value: unknown; isWhole: boolean }> {
  const whole = parsed(text);
  if (whole !== undefined) yield { value: whole, isWhole: true };
  let left = MAX_BENT;
  function* mended(bent: string): Generator<{ value: unknown; isWhole: boolean }> {
    const part = bent.slice(0, left);
    left -= part.length;
    const value = parsed(part);
    const read = value === undefined ? readLooseJson(part) : { value, isWhole: true };
    if (read) yield read;
  }
  // The last of several is what the model has settled on.
  const fenced = text.split('```', 2 * MAX_BEGINNINGS).filter((_, at) => at % 2 === 1);
  for (const part of fenced.toReversed()) {
    const inside = part.replace(/^[a-z0-9]{0,10}\s/i, '').trim();
    if (/[{[]/.test(inside)) yield* mended(inside);
  }
  const lines = text.split('\n').filter((line) => /^\s*[{[].*[}\]],?\s*$/.test(line));
  if (lines.length > 1) {
    const values: unknown[] = [];
    for (const line of lines.slice(0, MAX_ENTRIES)) {
      const value = parsed(line.replace(/,\s*$/, ''));
      if (value === undefined) break;
      values.push(value);
    }
    const areAll = values.length === Math.min(lines.length, MAX_ENTRIES);
    if (areAll) yield { value: values, isWhole: true };
  }
  for (const value of wholesIn(text).toReversed()) yield { value, isWhole: true };
  let tried = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    if ((tried += 1) > MAX_BEGINNINGS || left <= 0) return;
    const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
    const rest = text.slice(index);
    const hasEnd = last > index && !cut;
    yield* mended(hasEnd ? text.slice(index, last + 1) : rest);
    // What looks closed may be cut off after a bracket in its middle.
    if (hasEnd && last + 1 < text.trimEnd().length) yield* mended(rest);
  }
}

/** The JSON values of a text that stand one after the other, and are not damaged. */
function wholesIn(text: string): unknown[] {
  const values: unknown[] = [];
  let [from, left, tries] = [0, MAX_READ, MAX_WHOLES];
  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < from) continue;
    const end = endOf(text, index);
    left -= (end ?? text.length) - index;
    tries -= 1;
    if (left < 0 || tries < 0) break;
    const value = end === null ? undefined : parsed(text.slice(index, end));
    if (value !== undefined) values.push(value);
    if (values.length === MAX_BEGINNINGS || (value === undefined && end === null)) break;
    if (value !== undefined) from = end!;
  }
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The place after the JSON value that begins at a bracket; null if it is not closed. */
function endOf(text: string, from: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at]!;
    if (quoted && sign === '\\') at += 1;
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === '{' || sign === '[')) depth += 1;
    else if (!quoted && (sign === '}' || sign === ']') && (depth -= 1) === 0) return at + 1;
  }
  return null;
}

/** Whether a string holds a JSON value of some size once more. */
const isJson = (text: string): boolean => /^\s*[{["]/.test(text) && parsed(text) !== undefined;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

/** The lines of a text that is given as a list of them. */
const linesOf = (value: unknown): string | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string')
    ? value.join('\n')
    : undefined;

function entriesIn(value: unknown, context: Context, depth: number): ReadEntry[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') {
    return isJson(value) ? entriesIn(parsed(value), context, depth + 1) : [];
  }
  if (Array.isArray(value)) return itemsIn(value, context, depth);
  return isRecord(value) ? membersIn(value, context, depth) : [];
}

function itemsIn(items: readonly unknown[], context: Context, depth: number): ReadEntry[] {
  const strings = items.filter((item) => typeof item === 'string');
  if (strings.length === items.length) {
    const inner = strings.flatMap((text) => entriesIn(text, context, depth + 1));
    return inner.length > 0 ? inner : strings.map((text) => ({ text }));
  }
  return items.flatMap((item) => {
    if (!Array.isArray(item)) return entriesIn(item, context, depth + 1);
    const [id, ...rest] = item.map(textOf);
    const isRow = typeof item[0] === 'number' || /^\D{0,12}\d+$/.test(id ?? '');
    const text = rest.at(-1);
    if (!isRow || id === undefined || text === undefined)
      return entriesIn(item, context, depth + 1);
    return [{ id, ...(rest.length > 1 && rest[0] !== undefined && { source: rest[0] }), text }];
  });
}

function membersIn(
  record: Readonly<Record<string, unknown>>,
  context: Context,
  depth: number,
): ReadEntry[] {
  const own = entryOf(record, context);
  if (own) return [own];
  const members = Object.entries(record).filter(
    ([, value]) => !isListOfAsked(value, context) || Object.keys(record).length === 1,
  );
  return members.flatMap(([key, value]): ReadEntry[] => {
    if (ID_FIELDS.has(nameOf(key))) return [];
    const isId = /^\D{0,12}\d+\D{0,2}$/.test(key);
    const isSource = context.asked.has(lettersOf(key)) && lettersOf(key) !== '';
    const named = isSource ? { source: key } : { id: key };
    if (typeof value === 'string' && (isId || isSource)) return [{ ...named, text: value }];
    if (isRecord(value) && (isId || isSource)) {
      const inner = entryOf(value, context) ?? onlyText(value, context);
      return inner ? [{ ...named, ...inner }] : [];
    }
    return entriesIn(value, context, depth + 1);
  });
}

/** Whether a value only lists the sentences that were asked about. */
const isListOfAsked = (value: unknown, { asked }: Context): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => typeof item === 'string' && asked.has(lettersOf(item)));

/** The entry that a record is; null if it is none. */
function entryOf(
  record: Readonly<Record<string, unknown>>,
  { fields, asked }: Context,
): ReadEntry | null {
  const members = Object.entries(record).map(([key, value]) => [nameOf(key), value] as const);
  if (members.some(([, value]) => typeof value === 'string' && isJson(value))) return null;
  const id = textOf(
    members.find(([key, value]) => ID_FIELDS.has(key) && textOf(value) !== undefined)?.[1],
  );
  const source = textOf(members.find(([key]) => fields.source.has(key))?.[1]);
  const isSame = (text: string): boolean => asked.has(lettersOf(text));
  const hasPlace = id !== undefined || source !== undefined;
  const named = fields.text.flatMap((field) => {
    const value = members.find(([key]) => key === field)?.[1];
    const text =
      textOf(value) ??
      (hasPlace ? linesOf(value) : undefined) ??
      (isRecord(value) ? onlyText(value, { fields, asked })?.text : undefined);
    return text === undefined ? [] : [text];
  });
  const others = members.flatMap(([key, value]) =>
    typeof value === 'string' && !ID_FIELDS.has(key) && !fields.source.has(key) ? [value] : [],
  );
  // Where no field has a name that is known, the only other text is the translation.
  const isClear = others.filter((text) => !isSame(text)).length === 1;
  const texts = named.length === 0 && hasPlace && isClear ? others : named;
  // Of a sentence and its translation in fields of any name, the one that was not asked is the translation.
  const fresh = texts.find((text) => !isSame(text));
  const repeated = source ?? (fresh === undefined ? undefined : texts.find(isSame));
  let text = fresh ?? texts[0];
  if (text !== undefined && isSame(text) && repeated !== undefined && !isSame(repeated)) {
    text = repeated;
  }
  if (text === undefined || (id === undefined && source === undefined && texts.length === 0)) {
    return null;
  }
  if (id === undefined && repeated === undefined && members.length > 2) return null;
  return {
    ...(id !== undefined && { id }),
    ...(repeated !== undefined && repeated !== text && { source: repeated }),
    text,
  };
}

/** The only text of a record. */
function onlyText(
  record: Readonly<Record<string, unknown>>,
  { fields }: Context,
): ReadEntry | null {
  const texts = Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'string' && !fields.source.has(nameOf(key)) && !ID_FIELDS.has(nameOf(key))
      ? [value]
      : [],
  );
  return texts.length === 1 ? { text: texts[0]! } : null;
}
