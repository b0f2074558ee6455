/** Fixes captions that break a rule, without breaking another. Which change is safe is decided where it is made. */
import type { Checker, Replacement, RuleViolation } from './rule-violations.ts';
import type { Caption } from '../cue.ts';
import { breakLines } from '../divide/lines.ts';
import type { RuleName } from './profiles/profile.ts';
import { withoutItalics } from '../italics.ts';
import { frameAt, secondsAtFrame } from '../timestamps.ts';

/** The longest gap whose other edge may move along, in seconds. */
const NEAR = 1;
/** The rounding error of differences of times in milliseconds, in seconds. */
const SLACK = 0.0021;

/** The two frames next to a time, the nearest first. */
function framesAround(seconds: number, rate: number): number[] {
  const nearest = frameAt(seconds, rate);
  return [nearest, nearest > seconds * rate ? nearest - 1 : nearest + 1];
}

/**
 * The changes that put a caption on frames, those that move it least first: alone, with the end of the caption before,
 * with the start of the one after, and with both.
 */
function* frameFixes(cues: readonly Caption[], at: number, rate: number): Generator<Replacement[]> {
  const cue = cues[at]!;
  const starts = framesAround(cue.start, rate);
  const ends = framesAround(cue.end, rate);
  const moved = (start: number, end: number): number =>
    Math.abs(start / rate - cue.start) + Math.abs(end / rate - cue.end);
  const pairs = starts
    .flatMap((start) => ends.map((end) => [start, end] as const))
    .filter(([start, end]) => end > start)
    .toSorted((one, other) => moved(...one) - moved(...other));
  for (const [start, end] of pairs) {
    const own = {
      at,
      caption: {
        ...cue,
        start: secondsAtFrame(start, rate),
        end: secondsAtFrame(end, rate),
      },
    };
    const before = endingBefore(cues, at, start, rate);
    const after = startingAfter(cues, at, end, rate);
    yield [own];
    if (before) yield [before, own];
    if (after) yield [own, after];
    if (before && after) yield [before, own, after];
  }
}

/** The previous caption, ending before a new start with about the gap it had before, in whole frames. */
function endingBefore(
  cues: readonly Caption[],
  at: number,
  start: number,
  rate: number,
): Replacement | null {
  const before = cues[at - 1];
  const gap = before ? cues[at]!.start - before.end : NEAR;
  if (!before || gap >= NEAR) return null;
  const end = secondsAtFrame(start - Math.max(0, frameAt(gap, rate)), rate);
  return end > before.start ? { at: at - 1, caption: { ...before, end } } : null;
}

/** The next caption, starting after a new end with about the gap it had before, in whole frames. */
function startingAfter(
  cues: readonly Caption[],
  at: number,
  end: number,
  rate: number,
): Replacement | null {
  const after = cues[at + 1];
  const gap = after ? after.start - cues[at]!.end : NEAR;
  if (!after || gap >= NEAR) return null;
  const start = secondsAtFrame(end + Math.max(0, frameAt(gap, rate)), rate);
  return start < after.end ? { at: at + 1, caption: { ...after, start } } : null;
}

/**
 * Whether a rule that was broken before may be broken by a little more, because times are only as fine as frames:
 * a caption that reads too fast may lose a frame at each edge, a gap that is too short may lose half a frame, but none
 * becomes an overlap.
 * @param least the shortest gap that the profile allows, in seconds
 */
function isWithinFrames(
  known: RuleViolation,
  violation: RuleViolation,
  rate: number,
  least: number,
): boolean {
  if (known.rule !== violation.rule) return false;
  switch (violation.rule) {
    case 'reading_speed':
      return true;
    case 'min_duration':
    case 'max_duration':
      return violation.by <= known.by + 1 / rate + SLACK;
    case 'gap':
      return violation.by <= Math.min(known.by + 0.5 / rate, Math.max(known.by, least)) + SLACK;
    default:
      return false;
  }
}

/** The most that may be cut from the end of a caption, in seconds; more would cut its speech. */
const SPARE = 0.25;

/** Changes that may satisfy a rule, the gentlest first. */
function* possibleFixes(
  rule: RuleName,
  cues: readonly Caption[],
  at: number,
  checker: Checker,
): Generator<Replacement[]> {
  const cue = cues[at]!;
  const { profile } = checker;
  switch (rule) {
    case 'line_length':
    case 'line_count':
    case 'two_speakers':
      yield* textChanges(rule, cue, at, checker);
      return;
    case 'max_duration':
      yield [ending(cue, at, cue.start + profile.maxDuration, checker, 'floor')];
      return;
    case 'on_frames':
      if (checker.rate !== null) yield* frameFixes(cues, at, checker.rate);
      return;
    case 'shot_in':
    case 'shot_out':
      yield* shotChanges(rule, cues, at, checker);
      return;
    case 'gap':
      yield* timeChanges(cues, at, checker);
      yield* gapChanges(cues, at, checker);
      return;
    case 'min_duration':
    case 'reading_speed':
      yield* timeChanges(cues, at, checker);
      yield* takenTime(rule, cues, at, checker);
      return;
    default:
      yield* timeChanges(cues, at, checker);
  }
}

function* textChanges(
  rule: RuleName,
  cue: Caption,
  at: number,
  { profile }: Checker,
): Generator<Replacement[]> {
  const { dialogue, maxLineChars, maxLines, narrow, language } = profile;
  if (rule === 'two_speakers') {
    const lines = cue.lines.map((line, index) => {
      const bare = line.replace(/^[-–—]\s*/, '');
      return index === 0 && dialogue.lines === 'second' ? bare : dialogue.dash + bare;
    });
    yield [{ at, caption: { ...cue, lines } }];
    return;
  }
  // Each of two speakers keeps their own lines.
  if (new Set(cue.speakers).size > 1) return;
  const text = cue.lines.join('\n');
  const lines = breakLines(text, { maxLineChars: maxLineChars / narrow }, language);
  // A publisher without a rule on the number of lines still has the profile's limit.
  if (lines.length > Math.max(maxLines, cue.lines.length)) return;
  const speaker = cue.speakers?.[0];
  const speakers = speaker === undefined ? {} : { speakers: lines.map(() => speaker) };
  yield [{ at, caption: { ...cue, lines, ...speakers } }];
}

/** Changes of start or end that close a gap, restore one, or give more time to read. */
function* timeChanges(
  cues: readonly Caption[],
  at: number,
  checker: Checker,
): Generator<Replacement[]> {
  const cue = cues[at]!;
  const next = cues[at + 1];
  const { profile, rate } = checker;
  const gap = profile.gapFrames / (rate ?? 24);
  const { speed } = profile;
  const plain = withoutItalics(cue.lines).join(' ');
  const needed =
    speed.unit === 'words'
      ? (plain.split(/\s+/).length * 60) / speed.perMinute
      : plain.length / speed.perSecond;
  const wanted = cue.start + Math.max(profile.minDuration, needed);
  if (wanted > cue.end) yield [ending(cue, at, wanted, checker, 'ceil')];
  const latest = next ? next.start - gap : wanted;
  // Never cuts more of an overlap than could be silence, so as not to cut speech.
  if (latest > cue.end - SPARE || (next && cue.end <= next.start))
    yield [ending(cue, at, latest, checker, 'round')];
  const waits = cue.end + gap;
  if (next && waits > next.start && waits - next.start < SPARE) {
    yield [moved(next, at + 1, waits, next.end, checker)];
  }
  const before = cues[at - 1];
  const earlier = cue.start - profile.leadFrames / (rate ?? 24);
  if (earlier > (before ? before.end + gap : 0)) {
    yield [moved(cue, at, earlier, Math.max(cue.end, latest), checker)];
  }
}

/** The shares of a missing gap that the caption before it gives, where there are too many to try each. */
const SHARES = [1, 0.75, 0.5, 0.25, 0];

/** Changes that restore a gap: the end of the one and the start of the other move, alone or with their captions. */
function* gapChanges(
  cues: readonly Caption[],
  at: number,
  { profile, rate }: Checker,
): Generator<Replacement[]> {
  const [cue, next] = [cues[at]!, cues[at + 1]];
  if (!next || cue.end - next.start >= SPARE) return;
  const ticks = rate ?? 1000;
  const gap = rate === null ? Math.ceil((profile.gapFrames * 1000) / 24) : profile.gapFrames;
  const tick = (seconds: number): number => frameAt(seconds, ticks);
  const [end, start] = [tick(cue.end), tick(next.start)];
  const missing = Math.max(1, gap - (start - end));
  const given = new Set(SHARES.map((share) => Math.round(missing * share)));
  const timed = (caption: Caption, from: number, to: number): Caption => ({
    ...caption,
    start: secondsAtFrame(from, ticks),
    end: secondsAtFrame(to, ticks),
  });
  for (const back of given) {
    const on = missing - back;
    const firsts = [timed(cue, tick(cue.start), end - back)];
    if (back > 0) firsts.push(timed(cue, tick(cue.start) - back, end - back));
    const seconds = [timed(next, start + on, tick(next.end))];
    if (on > 0) seconds.push(timed(next, start + on, tick(next.end) + on));
    for (const first of firsts) {
      for (const second of seconds) {
        yield [
          { at, caption: first },
          { at: at + 1, caption: second },
        ];
      }
    }
  }
}

/** Changes that give a caption time that those beside it have to spare: as much as the profile lets it lead, and be late. */
function* takenTime(
  rule: 'min_duration' | 'reading_speed',
  cues: readonly Caption[],
  at: number,
  { profile, rate }: Checker,
): Generator<Replacement[]> {
  const [before, cue, next] = [cues[at - 1], cues[at]!, cues[at + 1]];
  const ticks = rate ?? 1000;
  const inTicks = (frames: number): number =>
    rate === null ? Math.ceil((frames * 1000) / 24) : frames;
  const tick = (seconds: number): number => frameAt(seconds, ticks);
  const gap = inTicks(profile.gapFrames);
  const earliest = tick(cue.start) - inTicks(profile.leadFrames);
  const latest = next ? tick(next.start) + inTicks(profile.lateFrames) - gap : tick(cue.end);
  const moved = (from: number, to: number): Replacement[] => {
    const own = { ...cue, start: secondsAtFrame(from, ticks), end: secondsAtFrame(to, ticks) };
    const change: Replacement[] = [{ at, caption: own }];
    if (before && tick(before.end) > from - gap) {
      change.push({
        at: at - 1,
        caption: { ...before, end: secondsAtFrame(from - gap, ticks) },
      });
    }
    if (next && tick(next.start) < to + gap) {
      change.push({
        at: at + 1,
        caption: { ...next, start: secondsAtFrame(to + gap, ticks) },
      });
    }
    return change;
  };
  const reach = rule === 'min_duration' ? Math.ceil(profile.minDuration * ticks - 1e-6) : Infinity;
  const start = tick(cue.start);
  if (latest > tick(cue.end)) yield moved(start, Math.min(latest, start + reach));
  if (earliest < 0) return;
  const end = Math.max(tick(cue.end), next ? tick(next.start) - gap : 0);
  yield moved(Math.max(earliest, end - reach), end);
  if (latest > end) yield moved(Math.max(earliest, latest - reach), latest);
}

function* shotChanges(
  rule: 'shot_in' | 'shot_out',
  cues: readonly Caption[],
  at: number,
  checker: Checker,
): Generator<Replacement[]> {
  const cue = cues[at]!;
  const { profile, rate, shots } = checker;
  if (rate === null || !shots || !profile.shots) return;
  const framesBefore = profile.shots.before;
  const frame = frameAt(rule === 'shot_in' ? cue.start : cue.end, rate);
  const candidates = shots
    .near(frame)
    .flatMap((shot) =>
      rule === 'shot_in'
        ? [shot, shot - shots.half]
        : [shot - framesBefore, shot + shots.half, shot - shots.half],
    )
    .sort((one, other) => Math.abs(one - frame) - Math.abs(other - frame));
  const before = cues[at - 1];
  for (const candidate of candidates) {
    const seconds = secondsAtFrame(candidate, rate);
    if (rule === 'shot_out') {
      yield [{ at, caption: { ...cue, end: seconds } }];
      continue;
    }
    const own = { at, caption: { ...cue, start: seconds } };
    yield [own];
    // The previous caption makes room.
    const end = secondsAtFrame(candidate - profile.gapFrames, rate);
    if (before && before.end > end && before.end - end < shots.half / rate) {
      yield [{ at: at - 1, caption: { ...before, end } }, own];
    }
  }
}

const ending = (
  cue: Caption,
  at: number,
  end: number,
  { rate }: Checker,
  round: 'floor' | 'ceil' | 'round',
): Replacement => {
  const ticks = rate ?? 1000;
  const slack = round === 'ceil' ? -1e-6 : round === 'floor' ? 1e-6 : 0;
  const tick = Math[round](end * ticks + slack);
  return { at, caption: { ...cue, end: secondsAtFrame(tick, ticks) } };
};

const moved = (
  cue: Caption,
  at: number,
  start: number,
  end: number,
  { rate }: Checker,
): Replacement => {
  const ticks = rate ?? 1000;
  const caption = {
    ...cue,
    start: secondsAtFrame(frameAt(start, ticks), ticks),
    end: secondsAtFrame(frameAt(end, ticks), ticks),
  };
  return { at, caption };
};

/** By how much of the limit a caption that reads too fast may become faster to restore a gap. */
const FASTER = 0.15;

/** A tolerance of a millisecond, the precision of caption times, in seconds. */
const TICK = 0.0015;

/** The change that mends a violation; null if there is none, then with the rules that are in its way. */
export interface SafeFix {
  fix: readonly Replacement[] | null;
  /** The rules that each change that would mend it breaks. */
  blockedBy: readonly RuleName[];
}

/**
 * The first possible change that satisfies a rule that a caption breaks, without making it or its neighbours break any
 * other. Prefers one that leaves fewer flickering gaps beside the caption, even if the publisher has no rule about such
 * gaps.
 */
export function safeFix(
  rule: RuleName,
  cues: readonly Caption[],
  at: number,
  checker: Checker,
): SafeFix {
  const before = violationsAround(cues, at, checker);
  if (!before.some((violation) => violation.at === at && violation.rule === rule)) {
    return { fix: null, blockedBy: [] };
  }
  let best: readonly Replacement[] | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  const blocking = new Set<RuleName>();
  for (const change of possibleFixes(rule, cues, at, checker)) {
    const after = violationsAround(cues, at, checker, change);
    if (after.some((violation) => violation.at === at && violation.rule === rule)) continue;
    const broken = change.flatMap((each) => brokenLength(each, cues, checker, rule) ?? []);
    if (overlaps(cues, at, change) > overlaps(cues, at)) broken.push('gap');
    for (const violation of after) {
      const isKnown = before.some(
        (known) => known.at === violation.at && isNoWorse(known, violation, rule, checker),
      );
      if (!isKnown) broken.push(violation.rule);
    }
    for (const each of broken) blocking.add(each);
    if (broken.length > 0) continue;
    const gaps = smallGaps(cues, at, checker, change);
    if (gaps >= fewest) continue;
    best = change;
    fewest = gaps;
    if (gaps === 0) break;
  }
  return { fix: best, blockedBy: best ? [] : [...blocking] };
}

/** Whether a violation does not get worse, or only by as much as aligning times with frames requires. */
function isNoWorse(
  known: RuleViolation,
  violation: RuleViolation,
  fixing: RuleName,
  { profile, rate }: Checker,
): boolean {
  if (known.rule === violation.rule && violation.by <= known.by + TICK) return true;
  // A gap of two frames matters more than how much too fast a caption reads.
  if (fixing === 'gap' && known.rule === violation.rule && violation.rule === 'reading_speed') {
    return violation.excess <= known.excess + FASTER;
  }
  if (fixing !== 'on_frames' || rate === null) return false;
  return isWithinFrames(known, violation, rate, profile.gapFrames / rate);
}

/**
 * The rule that a caption would break by its new length, even if its publisher has no rule on lengths; null if it still
 * lasts as long as the profile requires, and no longer than it allows. One that broke the limit before must not get
 * further away from it, except by a frame where its times are put on frames.
 */
function brokenLength(
  { at, caption }: Replacement,
  cues: readonly Caption[],
  { profile, rate }: Checker,
  fixing: RuleName,
): RuleName | null {
  const cue = cues[at]!;
  const before = cue.end - cue.start;
  const after = caption.end - caption.start;
  const frame = fixing === 'on_frames' && rate !== null ? 1 / rate : 0;
  const least = Math.min(before - frame, profile.minDuration);
  const most = Math.max(before + frame, profile.maxDuration);
  if (caption.start < 0 || after <= least - TICK) return 'min_duration';
  return after < most + TICK ? null : 'max_duration';
}

/** The captions once a change is made, by position. */
const changedBy =
  (cues: readonly Caption[], change: readonly Replacement[]) =>
  (index: number): Caption | undefined =>
    change.find((replaced) => replaced.at === index)?.caption ?? cues[index];

/** The overlap of a caption with its neighbours, in seconds; the rules tolerate a millisecond. */
function overlaps(
  cues: readonly Caption[],
  at: number,
  change: readonly Replacement[] = [],
): number {
  const cueAt = changedBy(cues, change);
  return [at - 1, at, at + 1].reduce((sum, index) => {
    const [cue, next] = [cueAt(index), cueAt(index + 1)];
    return cue && next ? sum + Math.max(0, cue.end - next.start) : sum;
  }, 0);
}

/** The number of small gaps beside a caption. */
function smallGaps(
  cues: readonly Caption[],
  at: number,
  { violationsOf }: Checker,
  change: readonly Replacement[],
): number {
  const cueAt = changedBy(cues, change);
  return [at - 1, at].filter((index) => {
    const cue = cueAt(index);
    return cue && violationsOf(cue, cueAt(index + 1)).some(({ rule }) => rule === 'small_gap');
  }).length;
}

/** The violations of a caption and its neighbours once a change is made. */
function violationsAround(
  cues: readonly Caption[],
  at: number,
  { profile, violationsOf }: Checker,
  change: readonly Replacement[] = [],
): (RuleViolation & { at: number })[] {
  const cueAt = changedBy(cues, change);
  return [at - 1, at, at + 1].flatMap((index) => {
    const cue = cueAt(index);
    if (!cue) return [];
    return violationsOf(cue, cueAt(index + 1))
      .filter(({ rule }) => profile.rules[rule])
      .map((violation) => ({ ...violation, at: index }));
  });
}
