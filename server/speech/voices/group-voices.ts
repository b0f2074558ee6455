/** Groups voiceprints by speaker: the most similar ones are joined until what is left differs as voices do. */

/** A voiceprint, and the seconds of speech that it was made of. */
export interface Voiceprint {
  print: readonly number[];
  seconds: number;
}

/** When voices are one speaker. */
export interface Grouping {
  /** Groups that are at least this similar (cosine, -1..1) are the same speaker. */
  alike: number;
  /** The least speech of a speaker, in seconds; voices of groups with less belong to the most similar speaker. */
  least: number;
  /** The most speakers. */
  most: number;
}

/** A group of voices, with the sum of their prints, each weighted by its seconds. */
interface Group {
  sum: Float64Array;
  /** The length of the sum. */
  length: number;
  seconds: number;
  /** The indexes of its voices. */
  voices: number[];
}

/** The most voices that are compared with all others; the rest, which spoke least, join the most similar group. */
const MOST_COMPARED = 2000;

/**
 * The group of each voice, numbered from 0 in the order of the voices.
 * @example
 * const voices = [[1, 0], [0, 1], [1, 0.1]].map((print) => ({ print, seconds: 3 }));
 * groupVoices(voices, { alike: 0.5, least: 1, most: 40 }); // => [0, 1, 0]
 */
export function groupVoices(
  voices: readonly Voiceprint[],
  { alike, least, most }: Grouping,
): number[] {
  const alone = voices
    .map(({ print, seconds }, at) => groupOf(print, seconds, at))
    .toSorted((a, b) => b.seconds - a.seconds);
  const all = joined(alone.slice(0, MOST_COMPARED), (similarity) => similarity >= alike);
  const spoken = all.filter(({ seconds }) => seconds >= least);
  const groups = joined(spoken.length > 0 ? spoken : all, (_, left) => left > most);
  const groupAt = new Map(groups.flatMap((group) => group.voices.map((at) => [at, group])));
  for (const voice of alone) {
    const [at] = voice.voices;
    if (!groupAt.has(at!)) groupAt.set(at!, mostSimilar(groups, voice)!);
  }
  const numbers = new Map<Group, number>();
  return voices.map((_, at) => {
    const group = groupAt.get(at)!;
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return numbers.get(group)!;
  });
}

function groupOf(print: readonly number[], seconds: number, at: number): Group {
  const sum = Float64Array.from(print, (value) => value * seconds);
  return { sum, length: lengthOf(sum), seconds, voices: [at] };
}

const lengthOf = (vector: Float64Array): number =>
  Math.sqrt(vector.reduce((total, value) => total + value * value, 0));

/**
 * Joins the two most similar groups again and again, as long as they may be.
 * @param may whether groups so similar may be joined while that many are left
 */
function joined(
  groups: readonly Group[],
  may: (similarity: number, left: number) => boolean,
): Group[] {
  const rows = groups.map((group): Group | null => group);
  const nearest = rows.map((_, at) => nearestAfter(rows, at));
  for (let left = rows.length; left > 1; left -= 1) {
    let at = -1;
    let similarity = Number.NEGATIVE_INFINITY;
    for (const [row, near] of nearest.entries()) {
      if (!near || near.similarity <= similarity) continue;
      at = row;
      ({ similarity } = near);
    }
    if (at < 0 || !may(similarity, left)) break;
    const gone = nearest[at]!.other;
    rows[at] = together(rows[at]!, rows[gone]!);
    rows[gone] = null;
    nearest[gone] = null;
    for (const [row, near] of nearest.entries()) {
      // What was nearest is gone or has changed, or the new group is nearer than it.
      if (row === at || near?.other === gone || near?.other === at) {
        nearest[row] = nearestAfter(rows, row);
      } else if (near && row < at) {
        const now = similarityOf(rows[row]!, rows[at]!);
        if (now > near.similarity) nearest[row] = { other: at, similarity: now };
      }
    }
  }
  return rows.filter((group) => group !== null);
}

/** The most similar of the groups after one. */
function nearestAfter(
  rows: readonly (Group | null)[],
  at: number,
): { other: number; similarity: number } | null {
  const own = rows[at];
  if (!own) return null;
  let best: { other: number; similarity: number } | null = null;
  for (let other = at + 1; other < rows.length; other += 1) {
    const row = rows[other];
    const similarity = row ? similarityOf(own, row) : Number.NEGATIVE_INFINITY;
    if (row && (!best || similarity > best.similarity)) best = { other, similarity };
  }
  return best;
}

function together(one: Group, other: Group): Group {
  const sum = one.sum.map((value, at) => value + other.sum[at]!);
  return {
    sum,
    length: lengthOf(sum),
    seconds: one.seconds + other.seconds,
    voices: [...one.voices, ...other.voices],
  };
}

function mostSimilar(groups: readonly Group[], voice: Group): Group | undefined {
  let best: { group: Group; similarity: number } | undefined;
  for (const group of groups) {
    const similarity = similarityOf(group, voice);
    if (!best || similarity > best.similarity) best = { group, similarity };
  }
  return best?.group;
}

/** The cosine of two groups; -1 if one of them has no direction. */
function similarityOf(one: Group, other: Group): number {
  const lengths = one.length * other.length;
  if (!(lengths > 0)) return -1;
  let product = 0;
  for (let at = 0; at < one.sum.length; at += 1) product += one.sum[at]! * other.sum[at]!;
  return product / lengths;
}
