/**
 * Measures how cues use the time that speech leaves them, on the words of a simulated recogniser, with the times of
 * Whisper: a 20 ms grid, 0.1 s a word and 26 ms a letter, pauses after most punctuation and a few elsewhere, at twelve
 * paces. The texts are those captioned by people.
 */
import { charactersOf, SPEED_LIMIT } from '../server/captions/width.ts';
import { type CaptionCue } from '../server/contract/captions.ts';
import type { Builder } from './builders.ts';
import type { CaptionWord } from '../server/captions/divide/fix-word-times.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../server/contract/caption-defaults.ts';
import { TIMING } from '../server/captions/divide/timing.ts';

/** The paces of the simulated speakers: the time of each word and pause is multiplied by these. */
const PACES = Array.from({ length: 12 }, (_, at) => 0.93 + at / 25);
const GRID = 50;
/** The tolerance, in seconds: times are whole milliseconds. */
const NOTHING = 0.002;

/** A random number from 0 to 1, the same in every run. */
function randomNumbers(): () => number {
  let seed = 7;
  return () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 0x7fff_ffff;
}

/** Words spoken at a pace, as a recogniser would time them. */
function spokenWords(texts: readonly string[], pace: number, random: () => number): CaptionWord[] {
  const onGrid = (seconds: number): number => Math.round(seconds * GRID) / GRID;
  const pauseAfter = (text: string): number => {
    if (/[.?!]["”')]*$/.test(text)) return random() < 0.08 ? 0 : 0.4 + random() * 0.8;
    if (/[,;:]$/.test(text)) return random() < 0.12 ? 0 : 0.1 + random() * 0.4;
    return random() < 0.01 ? 0.15 + random() * 0.5 : 0;
  };
  let at = 0;
  return texts.map((text) => {
    const start = at;
    const letters = text.replace(/[^\p{L}\p{N}]/gu, '').length;
    at += pace * (0.1 + 0.026 * letters) * (0.6 + 0.8 * random());
    const word = { text, start: onGrid(start), end: onGrid(at) };
    at += pace * pauseAfter(text);
    return word;
  });
}

/** The start and end of the speech in each cue, and its characters. */
function speechOf(cues: readonly CaptionCue[], words: readonly CaptionWord[]) {
  let at = 0;
  return cues.map(({ lines }) => {
    const count = lines.join(' ').split(' ').length;
    const [first, last] = [words[at]!, words[at + count - 1]!];
    at += count;
    return {
      start: first.start,
      end: last.end,
      characters: charactersOf(lines.map((line) => line.length)),
    };
  });
}

/** Counts of cues by how they use their time. */
interface TimeCounts {
  cues: number;
  short: number;
  fast: number;
  /** Fast even though silence or a gap next to them is unused. */
  unused: number;
  /** Begin more than two frames before their speech without needing to. */
  early: number;
  /** Gaps of 1 to 83 ms, which flicker. */
  gaps: number;
}

function count(cues: readonly CaptionCue[], words: readonly CaptionWord[], sums: TimeCounts): void {
  const { minDuration, maxDuration } = DEFAULT_CAPTION_SETTINGS;
  const speech = speechOf(cues, words);
  for (const [at, { start, end }] of cues.entries()) {
    const spoken = speech[at]!;
    const [before, next] = [cues[at - 1], cues[at + 1]];
    const shown = end - start;
    const needed = Math.max(minDuration, spoken.characters / SPEED_LIMIT);
    const lead = spoken.start - start;
    const gap = next ? next.start - end : 0;
    const neededBefore = before
      ? Math.max(
          speech[at - 1]!.end,
          before.start + Math.max(minDuration, speech[at - 1]!.characters / SPEED_LIMIT),
        )
      : 0;
    // A cue stays in the silence for a second at most.
    const after = Math.min(gap, Math.max(0, spoken.end + TIMING.linger - end));
    const left = after + Math.max(0, Math.min(TIMING.longLead - lead, start - neededBefore));
    sums.cues += 1;
    if (shown < minDuration - NOTHING) sums.short += 1;
    if (spoken.characters > shown * SPEED_LIMIT + NOTHING) {
      sums.fast += 1;
      if (left > NOTHING && shown < maxDuration - NOTHING) sums.unused += 1;
    }
    if (lead > TIMING.gap + NOTHING && shown - (lead - TIMING.gap) > needed + NOTHING)
      sums.early += 1;
    if (gap > NOTHING && gap < TIMING.gap - NOTHING) sums.gaps += 1;
  }
}

/** A builder's use of time on simulated speech, in per cent of its cues. */
export function timeFigures(build: Builder, texts: readonly string[]) {
  const sums: TimeCounts = { cues: 0, short: 0, fast: 0, unused: 0, early: 0, gaps: 0 };
  const random = randomNumbers();
  for (const pace of PACES) {
    const words = spokenWords(texts, pace, random);
    count(build(words), words, sums);
  }
  const percent = (part: number): string => `${((100 * part) / sums.cues).toFixed(2)}%`;
  return {
    'cues of simulated speech': sums.cues,
    'simulated: under 0.8 s': percent(sums.short),
    'simulated: over 20 CPS': percent(sums.fast),
    'fast, with time left': percent(sums.unused),
    'early without need': percent(sums.early),
    'gaps of 1-83 ms': percent(sums.gaps),
  };
}
