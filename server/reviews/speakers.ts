/** The speakers of a run and their names: read from its review, or from the words of its result, and named in a review. */
import type { Caption } from '../captions/cue.ts';
import type { CaptionerCompletedResult, TranscriptWord } from '../contract/results.ts';
import type { ReviewDocument } from '../contract/review.ts';
import type { RunSpeakers, SpeakerNames } from '../contract/speakers.ts';

/** What a recogniser says of a speaker: a number, from 0. */
const NUMBER = /^\d{1,3}$/;
/** Separates the speakers of the lines of one caption. */
const BETWEEN = '\n';

type ReviewedCue = ReviewDocument['cues'][number];

/** A part that one speaker says. */
interface Part {
  speaker: string;
  seconds: number;
}

/** The speakers of a run, with how often and how long each of them speaks. */
export function speakersOf(
  result: Pick<CaptionerCompletedResult, 'transcript'>,
  review: Pick<ReviewDocument, 'cues' | 'speakers'> | null,
): RunSpeakers['speakers'] {
  const isReviewed = review?.cues.some(({ speaker }) => speaker !== undefined) === true;
  const parts = isReviewed ? review.cues.flatMap(partsOf) : result.transcript.words.flatMap(partOf);
  const names = new Map(review?.speakers.map(({ id, name }) => [id, name]));
  const found = new Map<string, { turns: number; seconds: number }>();
  let [before, all] = ['', 0];
  for (const { speaker, seconds } of parts) {
    const own = found.get(speaker) ?? { turns: 0, seconds: 0 };
    own.turns += speaker === before ? 0 : 1;
    own.seconds += seconds;
    all += seconds;
    before = speaker;
    found.set(speaker, own);
  }
  return [...found].map(([id, { turns, seconds }]) => {
    const name = names.get(id);
    return {
      id,
      ...(name !== undefined && { name }),
      turns,
      seconds: Math.round(seconds * 1000) / 1000,
      share: all > 0 ? Math.round((seconds / all) * 10_000) / 10_000 : 0,
    };
  });
}

/** Each line of a dialogue is as long as the others. */
function partsOf({ speaker, start, end }: ReviewedCue): Part[] {
  const ids = speaker?.split(BETWEEN) ?? [];
  return ids
    .map((id) => ({ speaker: id, seconds: (end - start) / ids.length }))
    .filter((part) => part.speaker !== '');
}

const partOf = ({ speaker, start, end }: TranscriptWord): Part[] =>
  speaker === undefined ? [] : [{ speaker, seconds: end - start }];

/**
 * The review with these names. Speakers that nobody has named are called `Speaker 1` and so on, as in the app.
 * @throws {UnknownSpeaker} for a name of somebody who does not speak
 */
export function withNames(
  result: Pick<CaptionerCompletedResult, 'transcript'>,
  review: ReviewDocument,
  { speakers }: SpeakerNames,
): ReviewDocument {
  const cues = review.cues.some(({ speaker }) => speaker !== undefined)
    ? review.cues
    : withSpeakersOfWords(review.cues, result.transcript.words);
  const ids = speakersOf(result, { ...review, cues }).map(({ id }) => id);
  const names = new Map(review.speakers.map(({ id, name }) => [id, name]));
  for (const id of ids) names.set(id, names.get(id) ?? shownName(id));
  for (const [at, { id, name }] of speakers.entries()) {
    if (!ids.includes(id)) throw new UnknownSpeaker(at);
    names.set(id, name);
  }
  return { ...review, cues, speakers: [...names].map(([id, name]) => ({ id, name })) };
}

/** Thrown for a name of somebody who does not speak in a run. */
export class UnknownSpeaker extends Error {
  override readonly name = 'UnknownSpeaker';
  /** The place of the name in what was sent. */
  readonly at: number;

  constructor(at: number) {
    super('does not name a speaker of this run');
    this.at = at;
  }
}

const shownName = (id: string): string => (NUMBER.test(id) ? `Speaker ${Number(id) + 1}` : id);

/** Matches a name that says nothing: that of a speaker whom nobody has named, in any language. */
const UNNAMED = /^(?:\p{L}+ ?)?\d{1,3}$/u;

/**
 * The voices of a result that the speakers of a review are, each with the name that somebody gave them, or null. A voice
 * belongs to the speaker of most of its words; where two speak in one caption, nobody knows which.
 */
export function voicesOfReview(
  { transcript: { words } }: Pick<CaptionerCompletedResult, 'transcript'>,
  review: Pick<ReviewDocument, 'cues' | 'speakers'> | null,
): { voice: string; id: string; name: string | null }[] {
  const isReviewed = review?.cues.some(({ speaker }) => speaker !== undefined) === true;
  if (!isReviewed) {
    const voices = new Set(words.flatMap(({ speaker }) => speaker ?? []));
    return [...voices].map((voice) => ({ voice, id: voice, name: null }));
  }
  const names = new Map(review.speakers.map(({ id, name }) => [id, name]));
  const spoken = new Map<string, Map<string, number>>();
  let at = 0;
  for (const { speaker: voice, start, end } of words) {
    if (voice === undefined) continue;
    while (at < review.cues.length && review.cues[at]!.end < (start + end) / 2) at += 1;
    const id = review.cues[at]?.speaker ?? '';
    const seconds = spoken.get(voice) ?? new Map<string, number>();
    spoken.set(voice, seconds.set(id, (seconds.get(id) ?? 0) + Math.max(0, end - start)));
  }
  const found = [...spoken].flatMap(([voice, shares]) => {
    const all = [...shares.values()].reduce((sum, seconds) => sum + seconds, 0);
    const [id, seconds] = [...shares].toSorted((a, b) => b[1] - a[1])[0]!;
    return id === '' || id.includes(BETWEEN) || seconds * 2 <= all ? [] : [{ voice, id, seconds }];
  });
  // Two voices of one speaker are one voice that was taken for two, or several people: the longer one counts.
  const longest = new Map<string, (typeof found)[number]>();
  for (const each of found) {
    if (each.seconds > (longest.get(each.id)?.seconds ?? 0)) longest.set(each.id, each);
  }
  return [...longest.values()].map(({ voice, id }) => {
    const name = (names.get(id) ?? id).trim();
    const isUnnamed = name === '' || name === voice || UNNAMED.test(name);
    return { voice, id, name: isUnnamed ? null : name };
  });
}

/** Captions with the speaker of most of their words; two lines with dashes have the two that speak. */
function withSpeakersOfWords(
  cues: readonly ReviewedCue[],
  words: readonly TranscriptWord[],
): ReviewedCue[] {
  let first = 0;
  const middle = ({ start, end }: TranscriptWord): number => (start + end) / 2;
  return cues.map((cue) => {
    while (first < words.length && middle(words[first]!) < cue.start) first += 1;
    const counts = new Map<string, number>();
    for (let at = first; at < words.length && middle(words[at]!) < cue.end; at += 1) {
      const { speaker } = words[at]!;
      if (speaker !== undefined) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
    }
    const isDialogue = cue.lines.length === 2 && cue.lines[1]!.startsWith('-') && counts.size === 2;
    const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
    if (!most) return cue;
    return { ...cue, speaker: isDialogue ? [...counts.keys()].join(BETWEEN) : most[0] };
  });
}

/** The captions of a review with the names of their speakers, as files have them. */
export function namedCaptions({
  cues,
  // Those of the first versions have none.
  speakers = [],
}: Pick<ReviewDocument, 'cues'> & Partial<Pick<ReviewDocument, 'speakers'>>): Caption[] {
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? shownName(id);
  return cues.map(({ speaker, ...cue }) => {
    if (speaker === undefined) return cue;
    const [one = '', ...others] = (names.get(speaker) ?? speaker).split(BETWEEN);
    const isOne = others.length === 0;
    const all = [one, ...others].map((id) => (id === '' ? '' : nameOf(id)));
    return { ...cue, speakers: cue.lines.map((_, at) => (isOne ? all[0]! : (all[at] ?? ''))) };
  });
}
