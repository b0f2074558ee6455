/** Spoils captions, so that a check has every rule to report. */

/** A caption as the program builds it. */
interface Built {
  start: number;
  end: number;
  lines: readonly string[];
  speakers?: readonly string[];
}

type Spoil = (cue: Built, amount: number) => Built;

/** The most by which a time is moved by whole frames, in seconds. */
const MOST_SECONDS = 0.6;
/** A change of less than this is one of milliseconds, not of frames. */
const SLIGHT = 0.005;
/** The seconds by which a caption is made longer. */
const LONGER = 8;

const ms = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** The ways to spoil a caption, each by an amount from 0 to 1. */
const WAYS: readonly Spoil[] = [
  (cue, amount) => ({ ...cue, end: cue.end + amount * LONGER }),
  (cue, amount) => ({ ...cue, end: cue.end - amount * (cue.end - cue.start) }),
  (cue, amount) => ({ ...cue, end: cue.end + (amount - 0.5) * 2 * MOST_SECONDS }),
  (cue, amount) => ({ ...cue, start: cue.start + (amount - 0.5) * 2 * MOST_SECONDS }),
  (cue, amount) => ({ ...cue, end: cue.end + (amount < 0.5 ? 0.002 : 0.004) }),
  (cue, amount) => ({ ...cue, start: cue.start - (amount < 0.5 ? 0.002 : 0.004) }),
  (cue) => ({ ...cue, lines: cue.lines.map((line) => line.replace(/^- ?/, '')) }),
  (cue) => ({ ...cue, lines: cue.lines.map((line) => line.replace(/^-(?! )/, '- ')) }),
  (cue) => ({ ...cue, lines: cue.lines.map((line) => line.replace(/^(?:- ?)?/, '-')) }),
  (cue) => ({ ...cue, lines: [cue.lines.join(' ')], ...voices(cue, () => 'A') }),
  (cue) => ({ ...cue, lines: [...cue.lines, ...cue.lines], ...voices(cue, () => 'B', 2) }),
  (cue) => ({ ...cue, ...voices(cue, (at) => (at === 0 ? 'A' : 'B')) }),
  (cue) => ({ ...cue, lines: [...cue.lines, 'no', 'yes'], ...voices(cue, (at) => `${at}`, 1, 2) }),
];

/** The speakers of lines, if the caption has speakers. */
const voices = (
  { lines, speakers }: Built,
  of: (line: number) => string,
  times = 1,
  more = 0,
): { speakers?: string[] } =>
  speakers
    ? { speakers: Array.from({ length: lines.length * times + more }, (_, at) => of(at)) }
    : {};

/**
 * Captions of which about a third are spoiled, still in order and each at least a tick long; some may overlap.
 * @param next pseudo-random numbers from 0 to 1
 * @param rate frames a second, on which most times remain; null for milliseconds
 */
export function spoiled(cues: readonly Built[], next: () => number, rate: number | null): Built[] {
  const ticks = rate ?? 1000;
  return cues.map((cue, at) => {
    if (next() > 1 / 3) return cue;
    const way = WAYS[Math.floor(next() * WAYS.length)]!;
    const changed = way(cue, next());
    const isSlight = Math.abs(changed.start - cue.start) + Math.abs(changed.end - cue.end) < SLIGHT;
    const timed = (seconds: number): number =>
      ms(isSlight ? seconds : Math.round(seconds * ticks) / ticks);
    const start = timed(Math.max(at === 0 ? 0 : cues[at - 1]!.start, changed.start));
    // As in files: without spaces at their ends, and not blank.
    const lines = changed.lines.map((line) => line.trim() || '…');
    return { ...changed, lines, start, end: Math.max(ms(start + 1 / ticks), timed(changed.end)) };
  });
}
