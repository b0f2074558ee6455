/**
 * Italics in captions: `<i>…</i>`, the only markup in caption lines, and the characters that they do not show. A tag
 * without its partner counts as text, and so does every other tag.
 */
/** A part of a line that is entirely italic or upright. */
export interface ItalicRun {
  text: string;
  italic: boolean;
}

/** Lines without their tags, and which characters are italic. */
interface ItalicLines {
  lines: string[];
  /** One entry for each UTF-16 unit that is not white space, in order, across all lines. */
  marks: boolean[];
}

const TAG = /<(\/?)i>/gi;
const SPACE = /\s/;

/** Whether lines may contain italics, which need a closing tag. */
const mayHold = (lines: readonly string[]): boolean => lines.some((line) => /<\/i>/i.test(line));

/**
 * Separates italics from lines. A pair of tags may span lines of one caption. To edit captions with italics, edit the
 * plain lines and restore the italics with writeItalics: the marks stay valid as long as the same characters follow in
 * the same order, whatever their spacing, line breaks or division into captions.
 * @example
 * readItalics(['a <i>b</i>']); // => { lines: ['a b'], marks: [false, true] }
 */
export function readItalics(lines: readonly string[]): ItalicLines {
  const plain: string[] = [];
  const marks: boolean[] = [];
  for (const runs of rawRuns(lines)) {
    plain.push(runs.map(({ text }) => text).join(''));
    for (const { text, italic } of runs) {
      for (let at = 0; at < text.length; at += 1) if (!SPACE.test(text[at]!)) marks.push(italic);
    }
  }
  return { lines: plain, marks };
}

/**
 * Writes italics as tags, each pair within its line. Characters beyond the marks are upright.
 * @example
 * writeItalics(['a b'], [false, true]); // => ['a <i>b</i>']
 */
export const writeItalics = (lines: readonly string[], marks: readonly boolean[]): string[] =>
  runsOf(lines, marks).map((runs) =>
    runs.map(({ text, italic }) => (italic ? `<i>${text}</i>` : text)).join(''),
  );

/**
 * The runs of each line, for display or for writing. White space at the edge of italics is upright.
 * @example
 * italicRuns(['a <i>b</i>']); // => [[{ text: 'a ', italic: false }, { text: 'b', italic: true }]]
 */
export function italicRuns(lines: readonly string[]): ItalicRun[][] {
  if (!mayHold(lines)) return lines.map((text) => [{ text, italic: false }]);
  const { lines: plain, marks } = readItalics(lines);
  return runsOf(plain, marks);
}

/**
 * Lines with each pair of tags inside one line.
 * @example
 * withinLines(['a <i>b', 'c</i>']); // => ['a <i>b</i>', '<i>c</i>']
 */
export function withinLines(lines: readonly string[]): string[] {
  if (!mayHold(lines)) return [...lines];
  const { lines: plain, marks } = readItalics(lines);
  return writeItalics(plain, marks);
}

/**
 * Lines without the tags of italics, as a reader sees them.
 * @example
 * withoutItalics(['<i>Hello</i> <b>there</b>']); // => ['Hello <b>there</b>']
 */
export const withoutItalics = (lines: readonly string[]): readonly string[] =>
  mayHold(lines) ? readItalics(lines).lines : lines;

/** The runs exactly as tagged. */
function rawRuns(lines: readonly string[]): ItalicRun[][] {
  const paired = pairs(lines);
  let tag = 0;
  let depth = 0;
  return lines.map((line) => {
    const runs: ItalicRun[] = [];
    let from = 0;
    for (const match of line.matchAll(TAG)) {
      const isPaired = paired.has(tag);
      tag += 1;
      if (!isPaired) continue;
      runs.push({ text: line.slice(from, match.index), italic: depth > 0 });
      depth += match[1] ? -1 : 1;
      from = match.index + match[0].length;
    }
    runs.push({ text: line.slice(from), italic: depth > 0 });
    return runs;
  });
}

/** The indices of the tags that have a partner. */
function pairs(lines: readonly string[]): Set<number> {
  const paired = new Set<number>();
  const open: number[] = [];
  let tag = 0;
  for (const line of lines) {
    for (const [, closes] of line.matchAll(TAG)) {
      const partner = closes ? open.pop() : undefined;
      if (!closes) open.push(tag);
      else if (partner !== undefined) paired.add(partner).add(tag);
      tag += 1;
    }
  }
  return paired;
}

function runsOf(lines: readonly string[], marks: readonly boolean[]): ItalicRun[][] {
  let mark = 0;
  return lines.map((line) => {
    const runs: ItalicRun[] = [];
    /** White space that is italic only if italic characters surround it. */
    let spaces = '';
    for (let at = 0; at < line.length; at += 1) {
      const unit = line[at]!;
      if (SPACE.test(unit)) {
        spaces += unit;
        continue;
      }
      const italic = marks[mark] ?? false;
      mark += 1;
      const last = runs.at(-1);
      if (last?.italic === italic) last.text += spaces + unit;
      else if (last && italic) {
        last.text += spaces;
        runs.push({ text: unit, italic });
      } else if (spaces !== '' && italic) {
        runs.push({ text: spaces, italic: false }, { text: unit, italic });
      } else runs.push({ text: spaces + unit, italic });
      spaces = '';
    }
    const last = runs.at(-1);
    if (last && !last.italic) last.text += spaces;
    else if (spaces !== '' || !last) runs.push({ text: spaces, italic: false });
    return runs;
  });
}

/** Invisible characters, and those that a player would interpret. */
// oxlint-disable-next-line no-control-regex
const UNSHOWN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u200b\u2060\ufeff\ufffe\uffff]/g;

/**
 * Embeddings, overrides and isolates. An unclosed one reverses the rest of a player's line, and an override shows text
 * backwards. The marks LRM and RLM do neither, so they stay, and Arabic and Hebrew letters keep their natural
 * direction.
 */
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text that needs no cleaning: Latin letters and punctuation without a space or an arrow. */
const CLEAN = /^[!-=?-~\u00a1-\u02ff\u2010-\u2027]+$/;

/**
 * A text without the controls that change the direction of the text after them.
 * @example
 * withoutDirectionControls('a\u202eb'); // => 'ab'
 */
export const withoutDirectionControls = (text: string): string =>
  text.replace(DIRECTION_CONTROLS, '');

/**
 * A provider's text as a caption can show it; empty if nothing of it is visible. `-->` becomes an arrow, because it
 * separates the times of a cue and would end the cue in a player.
 * @example
 * shownText(' well \n'); // => 'well'
 */
export function shownText(text: unknown): string {
  if (typeof text !== 'string') return '';
  if (CLEAN.test(text)) return text;
  // Invisible characters go first, since they could hide an arrow.
  const shown = withoutDirectionControls(text.toWellFormed().replace(UNSHOWN, ''));
  return shown.replaceAll('-->', '→').trim();
}
