/** Reads and writes plain text: paragraphs with the names of speakers. */
import type { Caption } from '../cue.ts';
import { portableSpeakers, writableText } from './portable-captions.ts';
import { joinWords } from '../width.ts';
import { withoutItalics } from '../italics.ts';

/** A silence of this many seconds begins a new paragraph. */
const PARAGRAPH_PAUSE = 2;

/** A paragraph: one speaker's text without a longer pause. */
interface Paragraph {
  text: string;
  /** Empty if unknown. */
  speaker: string;
}

/**
 * Writes the text of captions, without times, positions and italics; empty if there are none. A long pause or a new
 * speaker begins a paragraph. If speakers are known, each paragraph begins with a name: `Ada: Good evening.`
 * @example
 * toPlainText([{ start: 0, end: 1, lines: ['Hello', 'there.'] }]); // => 'Hello there.\n'
 */
export const toPlainText = (cues: readonly Caption[]): string =>
  paragraphsOf(cues)
    .map(({ text, speaker }) => `${speaker === '' ? '' : `${speaker}: `}${text}\n`)
    .join('\n');

/** The paragraphs of captions. */
function paragraphsOf(cues: readonly Caption[]): Paragraph[] {
  const paragraphs: { speaker: string; lines: string[] }[] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const cue of cues) {
    const speakers = portableSpeakers(cue);
    let begins = cue.start - lastEnd >= PARAGRAPH_PAUSE;
    for (const [at, line] of withoutItalics(cue.lines.map(writableText)).entries()) {
      const speaker = speakers[at] ?? '';
      const last = paragraphs.at(-1);
      if (begins || last?.speaker !== speaker) paragraphs.push({ speaker, lines: [line] });
      else last.lines.push(line);
      begins = false;
    }
    lastEnd = cue.end;
  }
  return paragraphs.map(({ speaker, lines }) => ({ speaker, text: joinWords(lines) }));
}

/** Matches a name before a colon: up to four words, the first of them capitalised or in a script without capitals. */
const NAME = /^([\p{Lu}\p{Lo}\p{N}][^\s:：]*(?: [^\s:：]+){0,3})[:：] +(?=\S)/u;

/**
 * Reads plain text: paragraphs are separated by blank lines and may begin with a speaker's name.
 * @param speakers the possible names; without them, a label counts as a name if it looks like one and begins at least
 *   `fewest` paragraphs
 * @example
 * readPlainText('Ada: Hello.', ['Ada']); // => [{ speaker: 'Ada', text: 'Hello.' }]
 */
export function readPlainText(text: string, speakers?: readonly string[], fewest = 2): Paragraph[] {
  const paragraphs = text
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => joinWords(paragraph.split('\n').filter((line) => line !== '')))
    .filter((paragraph) => paragraph !== '');
  const names = new Set(speakers ?? namesIn(paragraphs, fewest));
  return paragraphs.map((paragraph) => {
    const at = paragraph.search(/[:：]/);
    const speaker = paragraph.slice(0, Math.max(0, at));
    if (!names.has(speaker) || speaker === '') return { speaker: '', text: paragraph };
    return { speaker, text: paragraph.slice(at + 1).trim() };
  });
}

/**
 * The same text with a paragraph for each line that may begin with a speaker's name.
 * @example
 * speakersApart('Ada: Hello.\nBen: Good day.'); // => 'Ada: Hello.\n\nBen: Good day.'
 */
export const speakersApart = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => (NAME.test(line.trim()) ? `\n${line}` : line))
    .join('\n')
    .trimStart();

function namesIn(paragraphs: readonly string[], fewest: number): string[] {
  const counts = new Map<string, number>();
  for (const paragraph of paragraphs) {
    const [, name] = NAME.exec(paragraph) ?? [];
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].flatMap(([name, count]) => (count >= fewest ? [name] : []));
}
