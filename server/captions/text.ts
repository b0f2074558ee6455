/** Reads and writes plain text: paragraphs, with the names of speakers. */
import type { Caption } from './cue.ts';
import { heldSpeakers } from './held-lines.ts';
import { withoutItalics } from './italics.ts';
import { joinWords } from './width.ts';

/** A silence that begins a new paragraph, in seconds. */
const PARAGRAPH_PAUSE = 2;

/** One speaker's text without a longer pause. */
export interface Paragraph {
  text: string;
  /** Empty if unknown. */
  speaker: string;
}

/**
 * The text of the captions, without times, positions and italics; empty for none. A longer pause
 * and a new speaker begin a paragraph. If speakers are known, a paragraph begins with the name:
 * `Ada: Good evening.`
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
    const speakers = heldSpeakers(cue);
    let begins = cue.start - lastEnd >= PARAGRAPH_PAUSE;
    for (const [at, line] of withoutItalics(cue.lines).entries()) {
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

/** A name before a colon: up to four words, the first with a capital or in another script. */
const NAME = /^([\p{Lu}\p{Lo}\p{N}][^\s:：]*(?: [^\s:：]+){0,3})[:：] +(?=\S)/u;

/**
 * Reads plain text: paragraphs are separated by blank lines and may begin with a speaker's name.
 * @param speakers the possible names; without them, a label that looks like a name and begins at
 * least two paragraphs counts as one
 * @example
 * readPlainText('Ada: Hello.', ['Ada']); // => [{ speaker: 'Ada', text: 'Hello.' }]
 */
export function readPlainText(text: string, speakers?: readonly string[]): Paragraph[] {
  const paragraphs = text
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => joinWords(paragraph.split('\n').filter((line) => line !== '')))
    .filter((paragraph) => paragraph !== '');
  const names = new Set(speakers ?? repeatedNames(paragraphs));
  return paragraphs.map((paragraph) => {
    const at = paragraph.search(/[:：]/);
    const speaker = paragraph.slice(0, Math.max(0, at));
    if (!names.has(speaker) || speaker === '') return { speaker: '', text: paragraph };
    return { speaker, text: paragraph.slice(at + 1).trim() };
  });
}

function repeatedNames(paragraphs: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const paragraph of paragraphs) {
    const [, name] = NAME.exec(paragraph) ?? [];
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].flatMap(([name, count]) => (count > 1 ? [name] : []));
}
