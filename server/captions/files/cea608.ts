/** The characters and codes of CEA-608, the captions of analogue television that SCC files hold. */

/** Rows of a picture, and characters of a row. */
export const [ROWS_608, COLUMNS_608] = [15, 32];

/** Characters of one byte that are not those of ASCII. */
const CHANGED: Readonly<Record<number, string>> = {
  0x2a: 'á',
  0x5c: 'é',
  0x5e: 'í',
  0x5f: 'ó',
  0x60: 'ú',
  0x7b: 'ç',
  0x7c: '÷',
  0x7d: 'Ñ',
  0x7e: 'ñ',
  0x7f: '█',
};

/** Characters of two bytes: those after 0x11 from 0x30, and those after 0x12 and 0x13 from 0x20, which replace one. */
const SPECIAL = '®°½¿™¢£♪à\u00a0èâêîôû';
const EXTENDED = ["ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»", 'ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤┃ÅåØø┌┐└┘'] as const;

/**
 * The character of one byte, from 0x20 to 0x7f.
 * @example
 * characterOf(0x2a); // => 'á'
 */
export const characterOf = (byte: number): string => CHANGED[byte] ?? String.fromCodePoint(byte);

/** The character of two bytes without the bits of channel and parity; null if they are none. */
export function wideCharacterOf(
  first: number,
  second: number,
): { character: string; replaces: boolean } | null {
  if (first === 0x11 && second >= 0x30 && second < 0x40) {
    return { character: SPECIAL[second - 0x30]!, replaces: false };
  }
  if ((first === 0x12 || first === 0x13) && second >= 0x20 && second < 0x40) {
    return { character: EXTENDED[first - 0x12]![second - 0x20]!, replaces: true };
  }
  return null;
}

/** What is written for characters that there are none of. */
const INSTEAD: Readonly<Record<string, string>> = {
  '’': "'",
  '‚': "'",
  '„': '"',
  '–': '-',
  '‐': '-',
  '‑': '-',
  '…': '...',
  '♫': '♪',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u200e': '',
  '\u200f': '',
  '\u200b': '',
};

/** A byte for a character; a word of two bytes, with the character that other decoders show instead, if it replaces one. */
type Written = { byte: number } | { word: [number, number]; stand: string | null };

const WRITTEN: ReadonlyMap<string, Written> = new Map<string, Written>([
  ...EXTENDED.flatMap((list, at) =>
    Array.from(list, (character, n): [string, Written] => [
      character,
      { word: [0x12 + at, 0x20 + n], stand: standFor(character) },
    ]),
  ),
  ...Array.from(SPECIAL, (character, n): [string, Written] => [
    character,
    { word: [0x11, 0x30 + n], stand: null },
  ]),
  ...Array.from({ length: 0x5f }, (_, at): [string, Written] => [
    characterOf(0x20 + at),
    { byte: 0x20 + at },
  ]),
]);

/** The character of one byte that an extended one replaces: its letter without the accent. */
function standFor(character: string): string {
  const [letter = ' '] = character.normalize('NFD');
  return /^[A-Za-z]$/.test(letter)
    ? letter
    : character === '“' || character === '”'
      ? '"'
      : character === '‘'
        ? "'"
        : character === '—'
          ? '-'
          : ' ';
}

/** How a text is written, and the characters that cannot be: they become question marks. */
export function encode608(text: string): { written: Written[]; missing: string[] } {
  const written: Written[] = [];
  const missing: string[] = [];
  for (const character of text.normalize('NFC')) {
    const own = WRITTEN.get(character);
    if (own) written.push(own);
    else if (INSTEAD[character] !== undefined) {
      for (const each of INSTEAD[character]) written.push(WRITTEN.get(each)!);
    } else {
      const [letter = ''] = character.normalize('NFD');
      const plain = letter === character ? undefined : WRITTEN.get(letter);
      written.push(plain ?? WRITTEN.get('?')!);
      missing.push(character);
    }
  }
  return { written, missing };
}

/** The colours of the codes in a row, from the white one; italics have a code of their own after them. */
export const COLOURS_608 = ['white', 'lime', 'blue', 'cyan', 'red', 'yellow', 'magenta'] as const;

/** The first bytes of the codes that begin rows 1 to 15, and the bit of the second byte. */
const ROW_CODES: readonly [number, number][] = [
  [0x11, 0x40],
  [0x11, 0x60],
  [0x12, 0x40],
  [0x12, 0x60],
  [0x15, 0x40],
  [0x15, 0x60],
  [0x16, 0x40],
  [0x16, 0x60],
  [0x17, 0x40],
  [0x17, 0x60],
  [0x10, 0x40],
  [0x13, 0x40],
  [0x13, 0x60],
  [0x14, 0x40],
  [0x14, 0x60],
];

/** The code that begins a row, from 1, at a column that is a multiple of four. */
export function rowCode(row: number, column: number): [number, number] {
  const [first, base] = ROW_CODES[row - 1]!;
  return [first, base + 0x10 + (column / 4) * 2];
}

/** Where a code begins a row, and with which look; null if it is no such code. */
export function readRowCode(
  first: number,
  second: number,
): { row: number; column: number; colour: string; italic: boolean } | null {
  if (second < 0x40 || second > 0x7f) return null;
  const base = second & 0x60;
  const row =
    ROW_CODES.findIndex(([code, bit]) => code === first && (code === 0x10 || bit === base)) + 1;
  if (row === 0) return null;
  const look = second & 0x1f;
  const isIndented = look >= 0x10;
  return {
    row,
    column: isIndented ? ((look - 0x10) >> 1) * 4 : 0,
    colour: isIndented ? 'white' : (COLOURS_608[look >> 1] ?? 'white'),
    italic: look === 0x0e || look === 0x0f,
  };
}

/** A byte with its bit of parity: the number of ones is odd. */
export function withParity(byte: number): number {
  let ones = 0;
  for (let rest = byte; rest > 0; rest >>= 1) ones += rest & 1;
  return ones % 2 === 1 ? byte : byte | 0x80;
}
