/** The encoding of a text file: by its marks, by its bytes, or as somebody chose. */

/** The encodings that files in this program may have: those that every browser decodes. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
  'x-mac-cyrillic',
  'shift_jis',
  'euc-jp',
  'iso-2022-jp',
  'euc-kr',
  'gbk',
  'gb18030',
  'big5',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A text and the encoding in which it was read. */
export interface DecodedText {
  text: string;
  encoding: Encoding;
}

/** What the detector is asked for, by its names. */
const ASKED = [
  ...Array.from({ length: 9 }, (_, at) => `windows-125${at}`),
  ...[1, 2, 5, 6, 7, 9, 13, 15].map((part) => `iso-8859-${part}`),
  ...'cp874 tis-620 koi8-r koi8-u cp866 mac-cyrillic cp932 shift_jis_2004 euc-jis-2004'.split(' '),
  ...'iso2022-jp-2 cp949 euc-kr gb18030 big5hkscs'.split(' '),
];

/** Its answers that browsers do not know by this name. */
const ALIASES: Readonly<Record<string, string>> = {
  maccyrillic: 'x-mac-cyrillic',
  cp949: 'euc-kr',
  cp932: 'shift_jis',
  'iso8859-15': 'iso-8859-15',
};

/** The most bytes of lines with other characters than ASCII that are looked at. */
const SAMPLE_BYTES = 65_536;

/**
 * Decodes the text of a file. Without a choice, marks of byte order count first, then UTF-16 and UTF-8 by their bytes: a
 * few bad ones among many good become a replacement character each. Anything else is detected by its letters.
 * @param encoding the choice of a person
 * @example
 * await decodeText(new Uint8Array([0x63, 0x61, 0x66, 0xc3, 0xa9])); // => { text: 'café', encoding: 'utf-8' }
 */
export async function decodeText(bytes: Uint8Array, encoding?: Encoding): Promise<DecodedText> {
  const found = encoding ?? markedEncoding(bytes) ?? wideEncoding(bytes);
  if (found) return decoded(bytes, found);
  const { good, bad } = countUtf8(bytes);
  if (bad === 0 || (bad <= Math.max(1, good / 3) && good > 0)) return decoded(bytes, 'utf-8');
  return decoded(bytes, await detected(bytes));
}

const decoded = (bytes: Uint8Array, encoding: Encoding): DecodedText => ({
  text: new TextDecoder(encoding).decode(bytes),
  encoding,
});

function markedEncoding([first, second, third]: Uint8Array): Encoding | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
}

/** UTF-16 without a mark: its ASCII characters, of times and line ends at least, have a null on one side only. */
function wideEncoding(bytes: Uint8Array): Encoding | null {
  const length = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  let [little, big, nulls] = [0, 0, 0];
  for (let at = 0; at < length; at += 2) {
    const [one, two] = [bytes[at]!, bytes[at + 1]!];
    if (two === 0 && one > 0 && one < 0x80) little += 1;
    if (one === 0 && two > 0 && two < 0x80) big += 1;
    if (one === 0 && two === 0) nulls += 1;
  }
  const least = Math.max(2, length / 40);
  if (little > least && big * 20 < little && nulls * 20 < little) return 'utf-16le';
  if (big > least && little * 20 < big && nulls * 20 < big) return 'utf-16be';
  return null;
}

/** The numbers of characters in UTF-8 beyond ASCII, and of bytes that belong to none. */
function countUtf8(bytes: Uint8Array): { good: number; bad: number } {
  let [good, bad] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte < 0x80) continue;
    const more =
      byte >= 0xc2 && byte < 0xe0
        ? 1
        : byte >= 0xe0 && byte < 0xf0
          ? 2
          : byte >= 0xf0 && byte < 0xf5
            ? 3
            : 0;
    let follows = 0;
    while (follows < more && (bytes[at + follows + 1]! & 0xc0) === 0x80) follows += 1;
    if (more > 0 && follows === more) good += 1;
    else bad += 1;
    at += follows;
  }
  return { good, bad };
}

/** Candidates whose confidence is at least this share of the best are equally likely. */
const ALIKE = 0.97;

/** With fewer bytes beyond ASCII than this, a text has no characters of two bytes: they would take letters with them. */
const FEW = 3;
const EAST_ASIAN: ReadonlySet<Encoding> = new Set([
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gbk',
  'gb18030',
  'big5',
]);

/** The encoding by letters; Windows-1252, which old files in the West have, if nothing tells. */
async function detected(bytes: Uint8Array): Promise<Encoding> {
  const sample = foreignLines(bytes);
  // A megabyte of models: only for files that need it.
  const { detectAll } = await import('jschardet');
  const found = detectAll(sample, { detectEncodings: ASKED, minimumThreshold: 0 });
  const least = (found[0]?.confidence ?? 0) * ALIKE;
  const isFew = sample.filter((byte) => byte >= 0x80).length < FEW;
  const alike = found.flatMap(({ encoding, confidence }) => {
    const name = confidence < least ? null : nameInBrowsers(encoding ?? '');
    return name === null || (isFew && EAST_ASIAN.has(name)) ? [] : [name];
  });
  // Where the detector cannot tell, the encodings that Windows writes are far more frequent.
  const name =
    alike.find((each) => each === 'windows-1252') ??
    alike.find((each) => each.startsWith('windows-')) ??
    alike[0] ??
    'windows-1252';
  return name === 'windows-1252' && isLatin9(sample) ? 'iso-8859-15' : name;
}

function nameInBrowsers(answer: string): Encoding | null {
  try {
    const label = answer.toLowerCase();
    const { encoding } = new TextDecoder(ALIASES[label] ?? label);
    return ENCODINGS.find((each) => each === encoding) ?? null;
  } catch {
    return null;
  }
}

/** Whether western text has the € and œ of ISO-8859-15, and none of the characters that only Windows has. */
function isLatin9(bytes: Uint8Array): boolean {
  const isLetter = (byte = 0): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  if (bytes.some((byte) => byte >= 0x80 && byte < 0xa0)) return false;
  return bytes.some(
    (byte, at) =>
      byte === 0xa4 || (byte === 0xbd && (isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]))),
  );
}

/** The lines with other characters than ASCII: times and numbers tell nothing. */
function foreignLines(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(Math.min(bytes.length, SAMPLE_BYTES));
  let length = 0;
  let from = 0;
  let isForeign = false;
  for (let at = 0; at <= bytes.length && length < sample.length; at += 1) {
    const byte = bytes[at] ?? 0x0a;
    if (byte >= 0x80 || byte === 0x1b) isForeign = true;
    if (byte !== 0x0a) continue;
    if (isForeign) {
      const line = bytes.subarray(from, Math.min(at + 1, from + sample.length - length));
      sample.set(line, length);
      length += line.length;
    }
    from = at + 1;
    isForeign = false;
  }
  return sample.subarray(0, length);
}
