/** Reads the answers of models that are no JSON: tags, tables, records, subtitles and lines. */
import { decodeHTML } from 'entities';
import Papa from 'papaparse';
import { type Context, ID_FIELDS, lettersOf, nameOf, type ReadEntry } from './answer-fields.ts';

/** Fewer lines without any numbers may be anything, such as a refusal. */
const FEWEST_LINES = 3;

const decoded = (text: string): string => decodeHTML(text).trim();

/** The texts of a document that are marked as such, as others are. */
function withoutSections(text: string): string {
  const [head = '', ...sections] = text.split('<![CDATA[');
  const plain = sections.map((section) => {
    const end = section.indexOf(']]>');
    const inside = section.slice(0, end < 0 ? undefined : end);
    const marked = inside.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return marked + (end < 0 ? '' : section.slice(end + ']]>'.length));
  });
  return head + plain.join('');
}

const ATTRIBUTE = /([\p{L}][\p{L}\p{N}_-]{0,30})\s{0,3}=\s{0,3}(?:"([^"]*)"|'([^']*)')/gu;
const TAGS =
  /<([a-z][\w-]{0,20})(?:\s[^<>]{0,200})?>([^<]*(?:<\/?i>[^<]*)*)<\/\1>|<([a-z][\w-]{0,20})(\s[^<>]{0,4000})>/giu;

/** Texts in tags, whose ids and sentences are attributes or tags beside them. */
export function inTags(
  answer: string,
  _asked: readonly string[],
  { fields }: Context,
): ReadEntry[] {
  if (!/<\/\w+>/.test(answer)) return [];
  const text = withoutSections(answer);
  const numbered = Array.from(
    text.matchAll(/<(\d{1,5})>([^<]*(?:<\/?i>[^<]*)*)<\/\1>/giu),
    ([, id = '', inside = '']) => ({ id, text: decoded(inside) }),
  );
  if (numbered.length > 0) return numbered;
  const entries: ReadEntry[] = [];
  let open: Partial<ReadEntry> = {};
  const give = () => {
    if (open.text !== undefined) entries.push({ ...open, text: open.text });
    open = {};
  };
  const ids = /\b(?:id|n|no|num|index|key)\s*=\s*["']?([\w.-]{1,40})/i;
  for (const [tag, name = '', inside] of text.matchAll(TAGS)) {
    const id = ids.exec(/^<[^>]*>/.exec(tag)?.[0] ?? '')?.[1];
    if (id !== undefined) {
      give();
      open.id = id;
    }
    if (inside === undefined) {
      for (const [, attribute = '', double, single] of tag.matchAll(ATTRIBUTE)) {
        const value = decoded(double ?? single ?? '');
        if (fields.source.has(nameOf(attribute))) open.source = value;
        else if (fields.text.includes(nameOf(attribute))) open.text ??= value;
      }
      continue;
    }
    const field = nameOf(name);
    if (ID_FIELDS.has(field) && id === undefined) {
      give();
      open.id = decoded(inside);
    } else if (fields.source.has(field)) {
      if (open.text !== undefined) give();
      open.source = decoded(inside);
    } else if (field !== 'i') {
      if (open.text !== undefined) give();
      open.text = decoded(inside);
    }
  }
  give();
  return entries;
}

/** The rows of a Markdown table, or of values with commas. */
export function inTable(text: string, _asked: readonly string[], context: Context): ReadEntry[] {
  const rows = text
    .split('\n')
    .filter((line) => /^\s*\|.*\|\s*$/.test(line))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
  return (rows.length > 0 ? rows : valuesIn(text)).flatMap((cells) => {
    const id = cells.find((cell) => /^\W*\d{1,5}\W*$/.test(cell));
    const rest = cells.filter((cell) => cell !== id && cell !== '');
    const source = rest.find((cell) => context.asked.has(lettersOf(cell)));
    const translation = rest.findLast((cell) => cell !== source);
    if (translation === undefined || (id === undefined && source === undefined)) return [];
    return [{ ...(id && { id }), ...(source !== undefined && { source }), text: translation }];
  });
}

/** The rows of values in quotation marks with commas between them, if each begins with a number. */
function valuesIn(text: string): string[][] {
  const lines = text.split('\n').filter((line) => /^\s*"?\d{1,5}"?\s?[,;]\s?"/.test(line));
  return lines.length === 0 ? [] : Papa.parse<string[]>(lines.join('\n')).data;
}

/** Subtitles, with their times. */
export function inSubtitles(text: string): ReadEntry[] {
  if (!TIMES.test(text)) return [];
  return text.split(/\n\s*\n/).flatMap((block) => {
    const lines = block.split('\n').map((line) => line.trim());
    const at = lines.findIndex((line) => TIMES.test(line));
    if (at < 0) return [];
    const id = /^\d{1,5}$/.exec(lines[at - 1] ?? '')?.[0];
    return [{ ...(id !== undefined && { id }), text: lines.slice(at + 1).join('\n') }];
  });
}

/** Records of lines, such as `id: 1` and `text: Hallo`. */
export function inRecords(
  text: string,
  _asked: readonly string[],
  { fields }: Context,
  cut: boolean,
): ReadEntry[] {
  const entries: ReadEntry[] = [];
  let open: Partial<ReadEntry> = {};
  const give = () => {
    if (open.text !== undefined && (open.id ?? open.source) !== undefined) {
      entries.push({ ...open, text: open.text });
    }
    open = {};
  };
  for (const line of text.split('\n')) {
    const [field, value] = fieldAndValue(line);
    if (ID_FIELDS.has(field)) {
      give();
      open.id = value;
    } else if (fields.source.has(field)) {
      if (open.text !== undefined) give();
      open.source = unquoted(value);
    } else if (fields.text.includes(field)) open.text ??= unquoted(value);
  }
  // The last line of what was cut off is not whole.
  if (!cut) give();
  return entries;
}

/** The longest name of a field, with its marks. */
const MAX_NAME = 40;

/** The field and the value of a line such as `- **Text:** Hallo,`; a field without letters if it is no such line. */
function fieldAndValue(line: string): [field: string, value: string] {
  const at = line.indexOf(':');
  if (at < 0 || at > MAX_NAME) return ['', ''];
  const value = line
    .slice(at + 1)
    .replace(/^\*{1,3}/, '')
    .trim();
  return [nameOf(line.slice(0, at)), value.endsWith(',') ? value.slice(0, -1).trimEnd() : value];
}

/** A value of a record without the quotes around it. */
const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;

const NUMBERED =
  /^[\s*#>(["-]{0,6}(?:(?:sentence|satz|line|id)\s{0,2})?#?(\d{1,5})[*"]{0,2} {0,3}[.):\]|=\-–—\t][*"]{0,2}[.):]?(.*)$/iu;
const ARROW = /^\s*(?:→|->|=>|⇒|[-–—]{1,2}|[:=|\t])\s*/u;

/** The times of a subtitle. */
const TIMES = /\d[\d:.,]{3,14}\s{0,3}-->\s{0,3}\d/;
/** The most lines that are read. */
const MAX_LINES = 5000;

/** A line each, with its number or its sentence before it; or as many lines as sentences. */
export function inLines(
  text: string,
  asked: readonly string[],
  context: Context,
  cut: boolean,
): ReadEntry[] {
  const lines = text
    .split('\n', MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => !/^(?:```.*|-{3,})?$/.test(line));
  if (cut) lines.pop();
  const isAsked = (line: string): boolean => context.asked.has(lettersOf(line));
  const entries: ReadEntry[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, id, rest = ''] = NUMBERED.exec(lines[at]!) ?? [];
    const said = withoutLabel(rest.trim());
    const next = lines[at + 1];
    if (id === undefined || said === '') {
      const pair = id === undefined ? pairIn(lines[at]!, asked) : null;
      if (pair) entries.push(pair);
    } else if (isAsked(said) && next !== undefined && !NUMBERED.test(next) && !isAsked(next)) {
      // The translation is below its sentence.
      entries.push({ id, source: said, text: withoutLabel(next.replace(ARROW, '')) });
      at += 1;
    } else entries.push({ id, text: withoutSource(said, asked[Number(id) - 1]) });
  }
  if (entries.length > 0) return entries;
  const bare = lines.filter((line, at) => !(at === 0 && /[:：]$/u.test(line)));
  return bare.length >= FEWEST_LINES
    ? bare.map((line) => ({ text: line.replace(/^[-*•]\s+/u, '') }))
    : [];
}

/** A line without the language in bold type before it. */
const withoutLabel = (line: string): string =>
  line.replace(/^(?:\*\*|__)[\p{L} ]{2,20}(?::(?:\*\*|__)|(?:\*\*|__)\s?:)\s*/u, '');

/** A sentence and its translation with an arrow between them; null if a line is something else. */
function pairIn(line: string, asked: readonly string[]): ReadEntry | null {
  const bare = line.replace(/^[-*•]\s+/u, '');
  for (const source of asked) {
    const text = withoutSource(bare, source);
    if (text !== bare && text !== '') return { source, text };
  }
  return null;
}

/** A line without the sentence that it repeats before the translation. */
function withoutSource(line: string, source: string | undefined): string {
  if (source === undefined) return line;
  const bare = line.replace(/^["'“„«]/u, '');
  if (!bare.startsWith(source)) return line;
  const rest = bare.slice(source.length).replace(/^["'”“»]/u, '');
  return ARROW.test(rest) ? rest.replace(ARROW, '') : line;
}
