/** Puts a report on captions together: what they are, who changed and heard them, and what rules ask. */
import { diffArrays } from 'diff';
import type { Measurement, MeasurementList } from '../contract/evidence.ts';
import type { Json } from './canonical-json.ts';
import type { ReportWords } from './wording.ts';
import { rulePoints, type RulePoint } from './rule-points.ts';

/** A caption, as far as it matters here. */
interface ReportedCaption {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  readonly speaker?: string | undefined;
}

/** What was changed at a place. */
export interface CaptionChange {
  /** Seconds from the start of the recording. */
  at: number;
  before: string;
  after: string;
}

/** What one person changed in a session of work. */
export interface ReportedSession {
  /** Their address, or what the link of a guest is called; null if it is not known. */
  person: string | null;
  guest: boolean;
  startedAt: string;
  savedAt: string;
  changes: CaptionFacts['changes'];
}

/** How captions keep to the rules of a publisher. */
export interface KeptRules {
  profile: string;
  title: string;
  /** 1 without any fault. */
  score: number;
  /** The captions that break a rule. */
  captions: number;
  /** How often each rule is broken; rules that are kept are left out. */
  broken: Record<string, number>;
}

/** What the texts of captions show. */
export interface CaptionFacts {
  captions: number;
  words: number;
  seconds: number;
  /** What people changed in the captions that the service made. */
  changes: { words: number; listed: CaptionChange[] };
  /** Starts of captions against the times that the recogniser gave to their first words, in seconds. */
  synchrony: {
    compared: number;
    median: number;
    percentile95: number;
    withinHalfSecond: number;
  } | null;
  /** The characters a second of the fastest caption, and those of the median. */
  readingSpeed: { median: number; fastest: number } | null;
  longestLine: number;
  speakersNamed: number;
  soundsDescribed: number;
}

/** Everything that a report is made of. */
export interface ReportParts {
  service: { name: string; version: string };
  madeAt: string;
  run: { id: string; name: string; createdAt: string; models: Json };
  sound: { sha256: string | null; bytes: number | null; note: string };
  files: { format: string; sha256: string }[];
  review: { savedAt: string; finished: boolean } | null;
  /** The sessions of which versions are kept, oldest first, with at most 2,000 changes in all. */
  sessions: ReportedSession[];
  approval: { name: string; at: string; changedSince: boolean } | null;
  facts: CaptionFacts;
  /** The words that were changed since the captions were measured. */
  changedSince: number;
  unheard: number | null;
  /** Their length together, in seconds. */
  unheardSeconds: number | null;
  rules: KeptRules[];
  measurements: Measurement[];
  agreement: MeasurementList['agreement'];
}

/** A report, before it is signed. */
export interface Report extends Omit<ReportParts, 'changedSince'> {
  kind: 'captioner-report';
  version: 1;
  heard: { words: number; share: number; note: string };
  points: RulePoint[];
  notes: string[];
}

/** The most changes that are listed; the number of all is given. */
export const MOST_CHANGES = 2000;
/** The differences that are looked for between two versions; beyond them, all words between count as changed. */
const MOST_EDITS = 4000;

/** Makes the report, in the words of a language; the one that is signed is in English. */
export function reportOf({ changedSince, ...parts }: ReportParts, words: ReportWords): Report {
  const counted = parts.measurements.filter(({ figures }) => figures.accuracy !== null);
  const measurement = counted.at(-1) ?? null;
  const found = measurement
    ? Object.values(measurement.figures.errors).reduce((sum, count) => sum + count, 0)
    : 0;
  const heardWords = new Map(
    parts.measurements.flatMap(({ captions, sample }) =>
      sample
        .filter(({ judgedAt }) => judgedAt !== null)
        .map((passage) => [
          `${captions} ${passage.start}`,
          passage.shown.split(/\s+/).filter(Boolean).length,
        ]),
    ),
  );
  const heard = Math.min(
    parts.facts.words,
    [...heardWords.values()].reduce((sum, count) => sum + count, 0),
  );
  return {
    kind: 'captioner-report',
    version: 1,
    ...parts,
    heard: {
      words: heard,
      share: parts.facts.words > 0 ? heard / parts.facts.words : 0,
      note: words.say('heardNote'),
    },
    points: rulePoints(
      { measurement, isCurrent: changedSince <= found, unheard: parts.unheard },
      words,
    ),
    notes: ['noLegalAdvice', 'intervalNote', 'accuracyNote', 'sessionNote'].map((name) =>
      words.say(name),
    ),
  };
}

/** What the texts of captions show, and what was changed in those that the service made. */
export function captionFacts(
  original: readonly ReportedCaption[],
  current: readonly ReportedCaption[],
  spoken: readonly { start: number; text: string }[],
  seconds: number,
): CaptionFacts {
  const words = current.flatMap(({ lines }) => wordsIn(lines));
  const speeds = current
    .filter(({ start, end }) => end > start)
    .map(({ start, end, lines }) => lines.join('').length / (end - start))
    .toSorted((one, other) => one - other);
  const text = current.map(({ lines }) => lines.join('\n')).join('\n');
  return {
    captions: current.length,
    words: words.length,
    seconds,
    changes: changesBetween(original, current),
    synchrony: synchronyOf(current, spoken),
    readingSpeed:
      speeds.length > 0
        ? { median: rounded(at(speeds, 0.5)), fastest: rounded(speeds.at(-1)!) }
        : null,
    longestLine: Math.max(0, ...text.split('\n').map((line) => [...line].length)),
    speakersNamed: new Set(current.flatMap(({ speaker }) => speaker?.split('\n') ?? [])).size,
    soundsDescribed: (text.match(/\[[^[\]]{1,80}\]/g) ?? []).length,
  };
}

/** The same for people outside the workspace, who are not told the addresses of others, nor what it calls its links. */
export function forOutsiders(
  { sessions, approval }: Pick<Report, 'sessions' | 'approval'>,
  { say }: ReportWords,
): Pick<Report, 'sessions' | 'approval'> {
  const people = [...new Set(sessions.flatMap(({ person }) => person ?? []))];
  return {
    sessions: sessions.map(({ person, ...session }) => ({
      person: person === null ? null : say('personNumber', { number: people.indexOf(person) + 1 }),
      ...session,
    })),
    approval: approval?.name.includes('@') ? { ...approval, name: say('somebody') } : approval,
  };
}

/** How many words of two versions of captions differ. */
export const changedWords = (
  one: readonly ReportedCaption[],
  other: readonly ReportedCaption[],
): number => changesBetween(one, other).words;

/** What was changed between two versions of captions: the number of words, and the first 2,000 places. */
export function changesBetween(
  one: readonly ReportedCaption[],
  other: readonly ReportedCaption[],
): CaptionFacts['changes'] {
  const timed = (captions: readonly ReportedCaption[]) =>
    captions.flatMap(({ start, lines }) => wordsIn(lines).map((word) => ({ word, start })));
  const [before, after] = [timed(one), timed(other)];
  const runs = diffArrays(
    before.map(({ word }) => word),
    after.map(({ word }) => word),
    { maxEditLength: MOST_EDITS },
  ) as ReturnType<typeof diffArrays> | undefined;
  if (!runs) return { words: Math.max(before.length, after.length), listed: [] };
  const listed: CaptionChange[] = [];
  let [words, from, to] = [0, 0, 0];
  let [was, is]: [string[], string[]] = [[], []];
  const settle = (): void => {
    if (was.length + is.length === 0) return;
    words += Math.max(was.length, is.length);
    const place = before[from - was.length] ?? after[to - is.length] ?? { start: 0 };
    if (listed.length < MOST_CHANGES) {
      listed.push({ at: rounded(place.start), before: was.join(' '), after: is.join(' ') });
    }
    [was, is] = [[], []];
  };
  for (const { added, removed, value } of runs) {
    if (removed) [was, from] = [[...was, ...(value as string[])], from + value.length];
    else if (added) [is, to] = [[...is, ...(value as string[])], to + value.length];
    else {
      settle();
      [from, to] = [from + value.length, to + value.length];
    }
  }
  settle();
  return { words, listed };
}

/** The first words of captions beside the same words as the recogniser timed them, within three seconds. */
function synchronyOf(
  captions: readonly ReportedCaption[],
  spoken: readonly { start: number; text: string }[],
): CaptionFacts['synchrony'] {
  const off: number[] = [];
  let from = 0;
  for (const { start, lines } of captions) {
    const first = bare(wordsIn(lines)[0] ?? '');
    while (spoken[from] && spoken[from]!.start < start - 3) from += 1;
    let nearest = Number.POSITIVE_INFINITY;
    for (let each = from; spoken[each] && spoken[each]!.start <= start + 3; each += 1) {
      const away = Math.abs(spoken[each]!.start - start);
      if (first !== '' && bare(spoken[each]!.text) === first && away < nearest) nearest = away;
    }
    if (Number.isFinite(nearest)) off.push(nearest);
  }
  if (off.length === 0) return null;
  const sorted = off.toSorted((one, other) => one - other);
  return {
    compared: off.length,
    median: rounded(at(sorted, 0.5)),
    percentile95: rounded(at(sorted, 0.95)),
    withinHalfSecond: rounded(off.filter((away) => away <= 0.5).length / off.length),
  };
}

const wordsIn = (lines: readonly string[]): string[] =>
  lines
    .join(' ')
    .replaceAll(/<\/?i>/g, '')
    .split(/\s+/)
    .filter(Boolean);

const bare = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
