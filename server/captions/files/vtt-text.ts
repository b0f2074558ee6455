/** Reads the text of a WebVTT cue: tags and entities. */
import type { ReadLine } from './portable-captions.ts';

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

/** Matches a tag up to its end or the end of the text, an entity, a line break, or anything else. */
const PARTS = /<([^>]*)>?|(&(?:\w+|#\d{1,7}|#x[\da-f]{1,6});)|(\n)|[^<&\n]+|&/gi;

/**
 * Reads the text of a cue. Italics keep their tags, voices become the speakers of their lines, and other tags are
 * removed but not their text. An unknown entity stays as it is.
 */
export function readVttText(text: string): ReadLine[] {
  if (text === '') return [];
  const lines: ReadLine[] = [{ text: '', speaker: '' }];
  let voice = '';
  let italics = 0;
  const say = (part: string) => {
    const line = lines.at(-1)!;
    if (line.text === '') line.speaker = voice;
    line.text += part;
  };
  for (const [part, tag, entity, lineBreak] of text.matchAll(PARTS)) {
    if (lineBreak) {
      lines.push({ text: '', speaker: voice });
    } else if (tag === undefined) {
      const plain = entity ? readEntity(entity) : part;
      say(italics > 0 ? `<i>${plain}</i>` : plain);
    } else if (/^v[.\s]/i.test(tag)) {
      voice = nameOf(tag);
    } else if (/^\/v$/i.test(tag)) voice = '';
    else if (/^i(?:[.\s]|$)/i.test(tag)) italics += 1;
    else if (/^\/i$/i.test(tag)) italics = Math.max(0, italics - 1);
  }
  return lines;
}

/** The name in `v.loud Ada`. */
const nameOf = (tag: string): string =>
  tag
    .replace(/^\S+/, '')
    .replace(/&(?:\w+|#\d{1,7}|#x[\da-f]{1,6});/gi, readEntity)
    .replace(/\s+/g, ' ')
    .trim();

/** The character that an entity stands for; an unknown entity is returned as it is. */
function readEntity(entity: string): string {
  const [, name, decimal, hex] = /^&(?:(\w+)|#(\d+)|#x([\da-f]+));$/i.exec(entity) ?? [];
  if (name) return ENTITIES[name] ?? entity;
  const code = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity;
}
