/** The character tables of EBU-STL: Latin of ISO 6937, where an accent comes before its letter, and four of ISO 8859. */

/** A table, by its number in the file. */
export type CharacterTable = '00' | '01' | '02' | '03' | '04';

/** The tables of ISO 8859 and the encodings of browsers that are the same. */
const EIGHT_BIT = {
  '01': 'iso-8859-5',
  '02': 'iso-8859-6',
  '03': 'iso-8859-7',
  '04': 'iso-8859-8',
} as const;

/** The characters of the Latin table from 0xa0 and from 0xd0, with a space where there is none. */
const LATIN =
  '\u00a0¡¢£¤¥ §¤‘“«←↑→↓°±²³×µ¶·÷’”»¼½¾¿' +
  ' '.repeat(16) +
  '—¹®©™♪¬¦    ⅛⅜⅝⅞ΩÆÐªĦ ĲĿŁØŒºÞŦŊŉĸæđðħıĳŀłøœßþŧŋ\u00ad';

/** The combining characters of the accents from 0xc0. */
const ACCENTS: readonly (string | undefined)[] = [
  undefined,
  '\u0300',
  '\u0301',
  '\u0302',
  '\u0303',
  '\u0304',
  '\u0306',
  '\u0307',
  '\u0308',
  '\u0308',
  '\u030a',
  '\u0327',
  undefined,
  '\u030b',
  '\u0328',
  '\u030c',
];

/** Languages that write Đ, whose place in the table the Icelandic Ð shares. */
const WITH_STROKE = new Set(['hr', 'sr', 'sh', 'sl', 'bs', 'vi', 'se']);

/** The characters of bytes from 0x20. A byte that means nothing becomes a replacement character. */
export function decodeStl(bytes: readonly number[], table: string, language: string): string {
  if (Object.hasOwn(EIGHT_BIT, table)) {
    return new TextDecoder(EIGHT_BIT[table as keyof typeof EIGHT_BIT]).decode(
      Uint8Array.from(bytes),
    );
  }
  let text = '';
  let accent = '';
  for (const byte of bytes) {
    if (byte >= 0xc0 && byte < 0xd0) {
      if (accent !== '') text += '\ufffd';
      accent = ACCENTS[byte - 0xc0] ?? '';
      if (accent === '') text += '\ufffd';
      continue;
    }
    const latin = byte < 0xa0 ? String.fromCodePoint(byte) : LATIN[byte - 0xa0]!;
    const letter = byte >= 0xa0 && latin === ' ' ? '\ufffd' : latin;
    text += (letter === 'Ð' && WITH_STROKE.has(language) ? 'Đ' : letter) + accent;
    accent = '';
  }
  return text.normalize('NFC');
}

/** What is written for characters that the Latin table does not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  '…': '...',
  '–': '-',
  '‐': '-',
  '‑': '-',
  '−': '-',
  '„': '"',
  '‚': "'",
  '‹': '<',
  '›': '>',
  '♫': '♪',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '‗': '_',
  Đ: 'Ð',
  '\u200e': '',
  '\u200f': '',
  '\u200b': '',
  '\u200d': '',
  '\u200c': '',
};

/** The bytes of characters in the tables of ISO 8859, made when they are first needed. */
const eightBit = new Map<string, ReadonlyMap<string, number>>();

function bytesOf(table: keyof typeof EIGHT_BIT): ReadonlyMap<string, number> {
  const known = eightBit.get(table);
  if (known) return known;
  const decoder = new TextDecoder(EIGHT_BIT[table]);
  const made = new Map<string, number>();
  for (let byte = 0x20; byte < 0x100; byte += 1) {
    if (byte >= 0x7f && byte < 0xa0) continue;
    made.set(decoder.decode(Uint8Array.of(byte)), byte);
  }
  eightBit.set(table, made);
  return made;
}

/** The bytes of one character in a table; null if it has none. */
function bytesOfCharacter(character: string, table: CharacterTable): readonly number[] | null {
  if (table !== '00') {
    const byte = bytesOf(table).get(character);
    if (byte !== undefined) return [byte];
  } else {
    const code = character.codePointAt(0)!;
    if (code >= 0x20 && code < 0x7f) return [code];
    const at = LATIN.indexOf(character);
    if (at >= 0 && character !== ' ' && code !== 0xa0) return [0xa0 + at];
    const [letter, accent, more] = Array.from(character.normalize('NFD'));
    const mark = accent === undefined ? -1 : ACCENTS.indexOf(accent);
    const letterBytes = mark > 0 && more === undefined ? bytesOfCharacter(letter!, '00') : null;
    if (letterBytes?.length === 1) return [0xc0 + mark, letterBytes[0]!];
  }
  return null;
}

/** A text in a table, and the characters that it does not have: they become question marks. */
export function encodeStl(
  text: string,
  table: CharacterTable,
): { bytes: number[]; missing: string[] } {
  const bytes: number[] = [];
  const missing: string[] = [];
  for (const character of text.normalize('NFC')) {
    const own = bytesOfCharacter(character, table);
    const instead = own ? undefined : INSTEAD[character];
    if (own) bytes.push(...own);
    else if (instead !== undefined) {
      for (const each of instead) bytes.push(...(bytesOfCharacter(each, table) ?? [0x3f]));
    } else {
      bytes.push(0x3f);
      missing.push(character);
    }
  }
  return { bytes, missing };
}

/** The table that holds most of a text. */
export function tableFor(text: string): CharacterTable {
  const characters = [...new Set(text.normalize('NFC'))];
  const missing = (table: CharacterTable): number =>
    characters.filter((each) => !bytesOfCharacter(each, table) && INSTEAD[each] === undefined)
      .length;
  let best: CharacterTable = '00';
  let least = missing(best);
  for (const table of ['01', '02', '03', '04'] as const) {
    const count = missing(table);
    if (count < least) [best, least] = [table, count];
  }
  return best;
}
