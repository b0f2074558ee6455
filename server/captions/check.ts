/** Checks captions against the rules of a profile, and fixes what can be fixed safely. */
import type { Caption } from './cue.ts';
import { mendsFor } from './check-mends.ts';
import type { Checker, Fault, Replacement } from './checker.ts';
import { frameAt, frameRateOf, isOnFrame } from './frames.ts';
import { withoutItalics } from './italics.ts';
import type { Profile, RuleName } from './profiles/profile.ts';
import { charactersOf, countWords } from './reading-speed.ts';
import { shotsAt, type Shots } from './shots.ts';
import { graphemes, columns } from './width.ts';

/** The picture that captions are checked against. */
export interface CheckedPicture {
  /** Frames a second; by default that of the profile, if it has one. */
  frameRate?: number;
  /** The times at which shots begin, in seconds. */
  shots?: readonly number[];
}

/** A rule that a caption breaks. */
export interface Violation {
  /** The caption's position in the list, from 0. */
  at: number;
  rule: RuleName;
  /** The violation as a predicate, to follow the caption's name: “is shown for 0.6 s”. */
  says: string;
  /** The rule in its publisher's words, and the page it is from. */
  sentence: string;
  source: string;
  /**
   * The captions that fix it, each in the place of the present one; null if every change would break another rule,
   * change words or cut speech.
   */
  fix: readonly Replacement[] | null;
}

/** The rounding error of quotients of whole numbers. */
const SLACK = 1e-6;
/** The maximum number of passes over the captions to fix them. */
const MOST_PASSES = 4;
/** A millisecond in seconds, which is the precision of caption files. */
const TOLERANCE = 0.0011;

/** Creates a checker for a profile and a picture. */
function checkerOf(
  profile: Profile,
  { frameRate = profile.frameRate ?? undefined, shots = [] }: CheckedPicture = {},
): Checker {
  const rate = frameRate === undefined ? null : frameRateOf(frameRate).rate;
  const found =
    rate !== null && profile.shots && shots.length > 0
      ? shotsAt(
          shots.map((shot) => frameAt(shot, rate)),
          profile.shots,
          rate,
        )
      : null;
  const checker = { profile, rate, shots: found };
  return {
    ...checker,
    faultsOf: (cue, next) => [
      ...textFaults(cue, profile),
      ...timeFaults(cue, profile),
      ...gapFaults(cue, next, profile, rate),
      ...pictureFaults(cue, rate, found),
    ],
  };
}

/**
 * Checks captions in order of time against a profile. Returns each rule that a caption breaks, with the publisher's own
 * sentence and a safe fix if there is one. Checks only rules that the profile's publisher has written down.
 * @example
 * const cues = [{ start: 0, end: 0.5, lines: ['Hello.'] }];
 * checkCaptions(cues, profileOf('netflix'))[0]?.rule; // => 'min_duration'
 */
export function checkCaptions(
  cues: readonly Caption[],
  profile: Profile,
  picture: CheckedPicture = {},
): Violation[] {
  const checker = checkerOf(profile, picture);
  return cues.flatMap((cue, at) =>
    checker.faultsOf(cue, cues[at + 1]).flatMap(({ rule, says }) => {
      const published = profile.rules[rule];
      if (!published) return [];
      return [{ at, rule, says, ...published, fix: mendsFor(rule, cues, at, checker) }];
    }),
  );
}

/**
 * Captions in order of time with every safe fix made; see checkCaptions.
 * @param only the rules to fix; all of them by default
 * @example
 * mendCaptions([{ start: 0, end: 0.5, lines: ['Hello.'] }], profileOf('netflix'));
 * // => [{ start: 0, end: 0.833, lines: ['Hello.'] }]
 */
export function mendCaptions(
  cues: readonly Caption[],
  profile: Profile,
  picture: CheckedPicture = {},
  only?: readonly RuleName[],
): Caption[] {
  const checker = checkerOf(profile, picture);
  const mended = [...cues];
  // One fix may make room for another, before it or after it.
  for (let pass = 0; pass < MOST_PASSES && mendOnce(mended, checker, only); pass += 1);
  return mended;
}

/** Makes every possible safe fix, and returns whether there was one. */
function mendOnce(mended: Caption[], checker: Checker, only?: readonly RuleName[]): boolean {
  let isChanged = false;
  for (let at = 0; at < mended.length; at += 1) {
    for (const { rule } of checker.faultsOf(mended[at]!, mended[at + 1])) {
      if (!checker.profile.rules[rule] || (only && !only.includes(rule))) continue;
      for (const { at: place, caption } of mendsFor(rule, mended, at, checker) ?? []) {
        mended[place] = caption;
        isChanged = true;
      }
    }
  }
  return isChanged;
}

/** The length of a line, as the profile counts it. */
const lineLength = (line: string, { narrow }: Profile): number =>
  narrow === 1 ? graphemes(line) : columns(line) / 2;

function* textFaults({ lines, speakers }: Caption, profile: Profile): Generator<Fault> {
  const plain = withoutItalics(lines);
  const longest = Math.max(0, ...plain.map((line) => lineLength(line, profile)));
  if (longest > profile.maxLineChars) {
    yield { rule: 'line_length', says: `has a line of ${longest} characters`, by: longest };
  }
  if (lines.length > profile.maxLines) {
    yield { rule: 'line_count', says: `has ${lines.length} lines`, by: lines.length };
  }
  const heard = new Set(speakers?.filter((speaker) => speaker !== ''));
  if (heard.size < 2) return;
  const { dialogue } = profile;
  const isMarked =
    heard.size === 2 &&
    lines.length === 2 &&
    plain.every((line, at) =>
      at === 0 && dialogue.lines === 'second'
        ? !line.startsWith('-')
        : line.startsWith(dialogue.dash) && (dialogue.dash !== '-' || !line.startsWith('- ')),
    );
  if (!isMarked) {
    const says =
      heard.size > 2
        ? `has ${heard.size} speakers`
        : lines.length === 2
          ? 'has two speakers without the dashes of its language'
          : 'has two speakers, but not two lines';
    yield { rule: 'two_speakers', says, by: heard.size };
  }
}

/**
 * The speed at which a caption reads, in the unit of the profile, if it were a millisecond longer: that much is
 * tolerated.
 */
function readingRate({ start, end, lines }: Caption, { speed }: Profile): number {
  const seconds = (Math.max(0, Math.round((end - start) * 1000)) + 1) / 1000;
  const plain = withoutItalics(lines);
  return speed.unit === 'words'
    ? (countWords(plain.join(' ')) * 60) / seconds
    : charactersOf(plain.map(graphemes)) / seconds;
}

function* timeFaults(cue: Caption, profile: Profile): Generator<Fault> {
  const duration = cue.end - cue.start;
  const shown = `is shown for ${Math.round(duration * 1000) / 1000} s`;
  if (duration < profile.minDuration - TOLERANCE) {
    yield { rule: 'min_duration', says: shown, by: profile.minDuration - duration };
  }
  if (duration > profile.maxDuration + TOLERANCE) {
    yield { rule: 'max_duration', says: shown, by: duration - profile.maxDuration };
  }
  const { speed } = profile;
  const limit = speed.unit === 'words' ? speed.perMinute : speed.perSecond;
  const rate = readingRate(cue, profile);
  if (rate > limit + SLACK) {
    const unit = speed.unit === 'words' ? 'words a minute' : 'characters a second';
    yield {
      rule: 'reading_speed',
      says: `reads at ${Math.round(rate * 10) / 10} ${unit}`,
      by: rate,
    };
  }
}

function* gapFaults(
  cue: Caption,
  next: Caption | undefined,
  profile: Profile,
  rate: number | null,
): Generator<Fault> {
  if (!next) return;
  const left = next.start - cue.end;
  const least = profile.gapFrames / (rate ?? 24);
  const small = rate === null ? profile.closedGap : Math.ceil(profile.closedGap * rate) / rate;
  if (left < least - TOLERANCE) {
    const says = left < -TOLERANCE ? 'overlaps the next' : `leaves ${Math.round(left * 1000)} ms`;
    yield { rule: 'gap', says, by: least - left };
  } else if (left > least + TOLERANCE && left < small - TOLERANCE) {
    yield { rule: 'small_gap', says: `leaves a gap of ${Math.round(left * 1000)} ms`, by: 0 };
  }
}

function* pictureFaults(
  { start, end }: Caption,
  rate: number | null,
  shots: Shots | null,
): Generator<Fault> {
  if (rate === null) return;
  if (!isOnFrame(start, rate) || !isOnFrame(end, rate)) {
    yield { rule: 'on_frames', says: 'does not begin and end on frames', by: 0 };
  }
  if (!shots) return;
  if (!shots.mayBegin(frameAt(start, rate))) {
    yield { rule: 'shot_in', says: 'begins near a shot change, but not on it', by: 0 };
  }
  if (!shots.mayEnd(frameAt(end, rate))) {
    yield { rule: 'shot_out', says: 'ends near a shot change', by: 0 };
  }
}
