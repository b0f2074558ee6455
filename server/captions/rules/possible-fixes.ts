/** Changes to captions that may satisfy a publisher's rule. Which of them are safe is decided where they are made. */
import { breakLines } from '../divide/break-lines.ts';
import type { Checker, Replacement } from './rule-violations.ts';
import type { Caption } from '../cue.ts';
import { frameFixes } from './frame-fixes.ts';
import { frameAt, secondsAt } from '../frames.ts';
import { withoutItalics } from '../italics.ts';
import type { RuleName } from './profiles/profile.ts';

/** The most that may be cut from the end of a caption, in seconds; more would cut its speech. */
const SPARE = 0.25;

/** Changes that may satisfy a rule, the gentlest first. */
export function* possibleFixes(
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
    const seconds = secondsAt(candidate, rate);
    if (rule === 'shot_out') {
      yield [{ at, caption: { ...cue, end: seconds } }];
      continue;
    }
    const own = { at, caption: { ...cue, start: seconds } };
    yield [own];
    // The previous caption makes room.
    const end = secondsAt(candidate - profile.gapFrames, rate);
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
  return { at, caption: { ...cue, end: secondsAt(tick, ticks) } };
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
    start: secondsAt(frameAt(start, ticks), ticks),
    end: secondsAt(frameAt(end, ticks), ticks),
  };
  return { at, caption };
};
