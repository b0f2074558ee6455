/** How far apart two words sound: what it costs to turn the phonemes of one into those of the other. */

// A phoneme is one letter: those of the CMU Pronouncing Dictionary without stress (AA → a, AE → A, CH → C …), and an
// r-coloured vowel as a schwa and an r. Sounds that are formed alike cost little.

/** Vowels by the place of the tongue: how open, how far back, and what they glide to. */
const VOWELS: Readonly<Record<string, readonly [open: number, back: number, glide: number]>> = {
  I: [0, 0, 0],
  i: [0.25, 0.1, 0],
  e: [0.6, 0.1, 0],
  E: [0.45, 0, 0.3],
  A: [0.9, 0.25, 0],
  a: [1, 0.75, 0],
  O: [0.7, 1, 0],
  o: [0.5, 1, 0.3],
  u: [0.25, 0.9, 0],
  U: [0, 1, 0],
  '@': [0.55, 0.5, 0],
  Y: [0.85, 0.5, 0.5],
  W: [0.9, 0.6, -0.5],
  J: [0.6, 0.9, 0.5],
};

/** Consonants by place (lips 0 … throat 7), manner and voice. */
const CONSONANTS: Readonly<Record<string, readonly [place: number, manner: string, voice: 0 | 1]>> =
  {
    p: [0, 'stop', 0],
    b: [0, 'stop', 1],
    t: [3, 'stop', 0],
    d: [3, 'stop', 1],
    k: [6, 'stop', 0],
    g: [6, 'stop', 1],
    f: [1, 'fricative', 0],
    v: [1, 'fricative', 1],
    T: [2, 'fricative', 0],
    D: [2, 'fricative', 1],
    s: [3, 'sibilant', 0],
    z: [3, 'sibilant', 1],
    S: [4, 'sibilant', 0],
    Z: [4, 'sibilant', 1],
    C: [4, 'affricate', 0],
    j: [4, 'affricate', 1],
    m: [0, 'nasal', 1],
    n: [3, 'nasal', 1],
    N: [6, 'nasal', 1],
    l: [3, 'liquid', 1],
    r: [4, 'liquid', 1],
    w: [0, 'glide', 1],
    y: [5, 'glide', 1],
    h: [7, 'fricative', 0],
  };

const KINDS: Readonly<Record<string, number>> = {
  'fricative sibilant': 0.25,
  'affricate sibilant': 0.2,
  'affricate stop': 0.35,
  'fricative stop': 0.35,
  'glide liquid': 0.35,
  'liquid nasal': 0.45,
  'nasal stop': 0.5,
};

const kindsApart = (a: string, b: string): number =>
  a === b ? 0 : (KINDS[[a, b].sort().join(' ')] ?? 0.8);

function costOf(a: string, b: string): number {
  if (a === b) return 0;
  const [vowelA, vowelB] = [VOWELS[a], VOWELS[b]];
  if (vowelA && vowelB) {
    const [open, back, glide] = vowelA.map((value, at) => Math.abs(value - vowelB[at]!));
    return Math.min(0.8, 0.15 + 0.5 * open! + 0.35 * back! + 0.3 * glide!);
  }
  const [consonantA, consonantB] = [CONSONANTS[a], CONSONANTS[b]];
  if (consonantA && consonantB) {
    const place = Math.abs(consonantA[0] - consonantB[0]);
    const voice = consonantA[2] === consonantB[2] ? 0 : 0.2;
    return Math.min(
      1,
      kindsApart(consonantA[1], consonantB[1]) + (place > 0 ? 0.25 + 0.07 * place : 0) + voice,
    );
  }
  const pair = a + b;
  if (/^(?:y[Ii]|[Ii]y|w[UuoW]|[UuoW]w)$/.test(pair)) return 0.4;
  return 1.2;
}

/** What it costs to leave a phoneme out. */
const leftOut = (phoneme: string): number =>
  phoneme === '@'
    ? 0.4
    : phoneme === 'h'
      ? 0.4
      : VOWELS[phoneme]
        ? 0.7
        : 'wyr'.includes(phoneme)
          ? 0.6
          : 'tdsz'.includes(phoneme)
            ? 0.8
            : 1;

const PHONEMES = [...Object.keys(VOWELS), ...Object.keys(CONSONANTS)];
const COUNT = PHONEMES.length;
const NUMBERS = new Uint8Array(128);
for (const [at, phoneme] of PHONEMES.entries()) NUMBERS[phoneme.charCodeAt(0)] = at;
const REPLACE = Float64Array.from({ length: COUNT * COUNT }, (_, at) =>
  costOf(PHONEMES[Math.floor(at / COUNT)]!, PHONEMES[at % COUNT]!),
);
const LEAVE = Float64Array.from(PHONEMES, leftOut);

/** The longest sound that is compared, in phonemes. */
export const MAX_PHONEMES = 40;
const rows = [new Float64Array(MAX_PHONEMES + 1), new Float64Array(MAX_PHONEMES + 1)] as const;
/** The numbers of the phonemes of the second sound. */
const others = new Uint8Array(MAX_PHONEMES);

/**
 * How far apart two sounds are, from 0 (the same) to 1, over the longer one; 1 for more than 40 phonemes, and if they are
 * further apart than asked for.
 * @example
 * soundDistance('m@nro', 'm@nro'); // => 0
 * soundDistance('brAndan', 'brendan') < soundDistance('brAndan', 'maris'); // => true
 */
export function soundDistance(a: string, b: string, most = 1): number {
  if (a === b) return 0;
  const longest = Math.max(a.length, b.length);
  if (longest > MAX_PHONEMES || a === '' || b === '') return 1;
  const { length } = b;
  const bound = most * longest;
  let above: Float64Array = rows[0];
  let here: Float64Array = rows[1];
  above[0] = 0;
  for (let j = 0; j < length; j += 1) {
    const to = NUMBERS[b.charCodeAt(j)]!;
    others[j] = to;
    above[j + 1] = above[j]! + LEAVE[to]!;
  }
  for (let i = 0; i < a.length; i += 1) {
    const from = NUMBERS[a.charCodeAt(i)]!;
    const leave = LEAVE[from]!;
    const row = from * COUNT;
    let before = above[0]! + leave;
    let least = before;
    here[0] = before;
    for (let j = 0; j < length; j += 1) {
      const to = others[j]!;
      let best = above[j]! + REPLACE[row + to]!;
      const removed = above[j + 1]! + leave;
      if (removed < best) best = removed;
      const added = before + LEAVE[to]!;
      if (added < best) best = added;
      here[j + 1] = best;
      if (best < least) least = best;
      before = best;
    }
    if (least > bound) return 1;
    const next = above;
    above = here;
    here = next;
  }
  return Math.min(1, above[length]! / longest);
}

/** The class of each consonant that people and recognisers confuse; vowels and glides have none. */
const CLASSES: Readonly<Record<string, string>> = Object.fromEntries(
  ['pb', 'tdTD', 'kg', 'fv', 'szSZCj', 'nmN', 'l', 'r'].flatMap((group) =>
    [...group].map((phoneme) => [phoneme, group[0]!]),
  ),
);
const SKELETON = Array.from({ length: 128 }, (_, code) => CLASSES[String.fromCharCode(code)] ?? '');

/**
 * The consonants of a sound by their classes, under which sounds that are alike are found.
 * @example
 * skeletonOf('m@nro'); // => 'nnr'
 */
export function skeletonOf(sound: string): string {
  let skeleton = '';
  for (let at = 0; at < sound.length; at += 1) skeleton += SKELETON[sound.charCodeAt(at)]!;
  return skeleton;
}
