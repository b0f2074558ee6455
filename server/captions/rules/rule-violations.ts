/** Finds the rules of a profile that a caption breaks. */
import type { Caption } from '../cue.ts';
import type { Profile, RuleName } from './profiles/profile.ts';
import { columns, graphemes, charactersOf, countWords } from '../width.ts';
import { withoutItalics } from '../italics.ts';
import { frameAt, isOnFrame } from '../timestamps.ts';
import type { Shots } from './picture-times.ts';

/** The rounding error of quotients of whole numbers. */
const SLACK = 1e-6;
/** A millisecond in seconds, which is the precision of caption files. */
const TOLERANCE = 0.0011;

/** The measures of a caption's lines. Most fixes only change times, so the same lines are measured once. */
interface Measured {
  plain: readonly string[];
  characters: readonly number[];
  columns: readonly number[];
  words: number;
}

const known = new WeakMap<readonly string[], Partial<Measured>>();

/** One of the measures of lines, which are never changed in place. */
function measureOf<Name extends keyof Measured>(
  lines: readonly string[],
  name: Name,
): Measured[Name] {
  const measured = known.get(lines) ?? {};
  known.set(lines, measured);
  return (measured[name] ??= MEASURES[name](lines));
}

const plainOf = (lines: readonly string[]) => measureOf(lines, 'plain');
const MEASURES: { [Name in keyof Measured]: (lines: readonly string[]) => Measured[Name] } = {
  plain: withoutItalics,
  characters: (lines) => plainOf(lines).map(graphemes),
  columns: (lines) => plainOf(lines).map(columns),
  words: (lines) => countWords(plainOf(lines).join(' ')),
};

/** The lengths of lines, as the profile counts them. */
const lineLengths = (lines: readonly string[], { narrow }: Profile): readonly number[] =>
  narrow === 1
    ? measureOf(lines, 'characters')
    : measureOf(lines, 'columns').map((width) => width / 2);

/** The number of characters in a caption. */
export const charactersIn = ({ lines }: Caption): number =>
  charactersOf(measureOf(lines, 'characters'));

/** Checks the lines of a caption, and whether its speakers are marked. */
function* textViolations({ lines, speakers }: Caption, profile: Profile): Generator<RuleViolation> {
  const plain = plainOf(lines);
  const longest = Math.max(0, ...lineLengths(lines, profile));
  if (longest > profile.maxLineChars) {
    const says = () => `has a line of ${longest} characters; at most ${profile.maxLineChars}`;
    yield { rule: 'line_length', says, by: longest, excess: longest / profile.maxLineChars - 1 };
  }
  if (lines.length > profile.maxLines) {
    const says = () => `has ${lines.length} lines; at most ${profile.maxLines}`;
    yield { rule: 'line_count', says, by: lines.length, excess: lines.length - profile.maxLines };
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
    const says = () =>
      heard.size > 2
        ? `has ${heard.size} speakers`
        : lines.length === 2
          ? 'has two speakers without the dashes of its language'
          : 'has two speakers, but not two lines';
    yield { rule: 'two_speakers', says, by: heard.size, excess: 0 };
  }
}

/**
 * The reading speed of a caption, in the unit of the profile, if it were a millisecond longer: this tolerance covers
 * rounding.
 */
function readingRate({ start, end, lines }: Caption, { speed }: Profile): number {
  const seconds = (Math.max(0, Math.round((end - start) * 1000)) + 1) / 1000;
  return speed.unit === 'words'
    ? (measureOf(lines, 'words') * 60) / seconds
    : charactersOf(measureOf(lines, 'characters')) / seconds;
}

/** A time in seconds, with as many decimals as it takes to look different from its limit, and at least as many as given. */
const apart = (seconds: number, limit: number, least = 2): string => {
  const decimals = [0, 1, 2, 3].find(
    (count) => count >= least && seconds.toFixed(count) !== limit.toFixed(count),
  );
  return String(Number(seconds.toFixed(decimals ?? 3)));
};

/** A duration beside its limit, in seconds, and in frames if the picture has a rate. */
function timeSays(seconds: number, limit: number, most: boolean, rate: number | null): string {
  const frames = (time: number): string => {
    if (rate === null) return '';
    const exact = time * rate;
    const whole = Math[most ? 'floor' : 'ceil'](exact - (most ? -SLACK : SLACK));
    return ` (${countOf(time === limit ? whole : frameAt(time, rate), 'frame')})`;
  };
  const bound = `${most ? 'at most' : 'at least'} ${apart(limit, seconds)} s${frames(limit)}`;
  return `${apart(seconds, limit)} s${frames(seconds)}; ${bound}`;
}

const countOf = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : `${noun}s`}`;

/** Checks the duration of a caption and its reading speed. */
function* timeViolations(
  cue: Caption,
  profile: Profile,
  rate: number | null,
): Generator<RuleViolation> {
  const duration = cue.end - cue.start;
  const { minDuration, maxDuration } = profile;
  if (duration < minDuration - TOLERANCE) {
    const by = minDuration - duration;
    const says = () => `is shown for ${timeSays(duration, minDuration, false, rate)}`;
    yield { rule: 'min_duration', says, by, excess: by / minDuration };
  }
  if (duration > maxDuration + TOLERANCE) {
    const by = duration - maxDuration;
    const says = () => `is shown for ${timeSays(duration, maxDuration, true, rate)}`;
    yield { rule: 'max_duration', says, by, excess: by / maxDuration };
  }
  const { speed } = profile;
  const limit = speed.unit === 'words' ? speed.perMinute : speed.perSecond;
  const read = readingRate(cue, profile);
  if (read > limit + SLACK) {
    const unit = speed.unit === 'words' ? 'words a minute' : 'characters a second';
    const says = () => `reads at ${apart(read, limit, 1)} ${unit}; at most ${limit}`;
    yield { rule: 'reading_speed', says, by: read, excess: read / limit - 1 };
  }
}

/** Checks the gap between a caption and the next. */
function* gapViolations(
  cue: Caption,
  next: Caption | undefined,
  profile: Profile,
  rate: number | null,
): Generator<RuleViolation> {
  if (!next) return;
  const left = next.start - cue.end;
  const least = profile.gapFrames / (rate ?? 24);
  const small = rate === null ? profile.closedGap : Math.ceil(profile.closedGap * rate) / rate;
  const ms = Math.round(left * 1000);
  const length = (): string =>
    `${Math.abs(ms)} ms${rate === null ? '' : ` (${countOf(frameAt(Math.abs(left), rate), 'frame')})`}`;
  const bound = countOf(profile.gapFrames, 'frame');
  if (left < least - TOLERANCE) {
    const says = () =>
      ms < 0
        ? `overlaps the next caption by ${length()}`
        : `leaves ${ms === 0 ? 'no gap' : `a gap of ${length()}`} before the next caption; at least ${bound}`;
    yield { rule: 'gap', says, by: least - left, excess: ms < 0 ? 1 : 0 };
  } else if (left > least + TOLERANCE && left < small - TOLERANCE) {
    const says = () =>
      `leaves a gap of ${length()} before the next caption; ${profile.gapFrames === 0 ? 'none' : bound}, or at least ${apart(profile.closedGap, left)} s`;
    yield { rule: 'small_gap', says, by: 0, excess: 0 };
  }
}

/** Checks a caption's times against the frames and shots of the picture. */
function* pictureViolations(
  { start, end }: Caption,
  rate: number | null,
  shots: Shots | null,
): Generator<RuleViolation> {
  if (rate === null) return;
  if (!isOnFrame(start, rate) || !isOnFrame(end, rate)) {
    const says = () => 'does not begin and end on frames';
    yield { rule: 'on_frames', says, by: 0, excess: 0 };
  }
  if (!shots) return;
  const away = (time: number): string => {
    const frame = frameAt(time, rate);
    const near = shots.near(frame).map((shot) => shot - frame);
    const [nearest = 0] = near.toSorted((one, other) => Math.abs(one) - Math.abs(other));
    return `${countOf(Math.abs(nearest), 'frame')} ${nearest > 0 ? 'before' : 'after'} a shot change`;
  };
  if (!shots.mayBegin(frameAt(start, rate))) {
    yield { rule: 'shot_in', says: () => `begins ${away(start)}`, by: 0, excess: 0 };
  }
  if (!shots.mayEnd(frameAt(end, rate))) {
    yield { rule: 'shot_out', says: () => `ends ${away(end)}`, by: 0, excess: 0 };
  }
}

/** A caption to put in place of another. */
export interface Replacement {
  at: number;
  caption: Caption;
}

/** A violation without its fix. */
export interface RuleViolation {
  rule: RuleName;
  /** The violation as a predicate, with its figure and the limit; only made where it is read. */
  says: () => string;
  /** How far the caption is beyond the rule, in the unit of the rule. */
  by: number;
  /** The same as a share of the limit; for lines and overlaps, in whole ones. */
  excess: number;
}

/** The context of a check. */
export interface Checker {
  profile: Profile;
  /** Frames a second; null if the picture's rate is unknown. */
  rate: number | null;
  shots: Shots | null;
  /** The violations of one caption, alone and next to the following one. */
  violationsOf: (cue: Caption, next: Caption | undefined) => RuleViolation[];
}

/** Creates a checker. */
export const checkerOf = (profile: Profile, rate: number | null, shots: Shots | null): Checker => ({
  profile,
  rate,
  shots,
  violationsOf: (cue, next) => [
    ...textViolations(cue, profile),
    ...timeViolations(cue, profile, rate),
    ...gapViolations(cue, next, profile, rate),
    ...pictureViolations(cue, rate, shots),
  ],
});
