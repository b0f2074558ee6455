/**
 * The rules of every profile over 50,000 captions: in all languages, at all frame rates, with shots, speakers, real
 * sentences and strange words. The captions are written to files, read back by other readers, and checked by the
 * publishers' rules, which are written a second time for this test.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { buildProfiled } from '../../../server/captions/build/build.ts';
import { findBrokenRules } from '../../../server/captions/rules/check.ts';
import type { Caption } from '../../../server/captions/cue.ts';
import { PROFILE_NAMES, profileOf } from '../../../server/captions/rules/profiles/profiles.ts';
import type { Profile } from '../../../server/captions/rules/profiles/profile.ts';
import { toSrt } from '../../../server/captions/files/srt.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { SPEECH } from '../../captions/page.ts';
import { sequence } from '../../captions/support.ts';
import { readSrtFile, readVttFile } from '../../support/captions/caption-files.ts';
import {
  exactRate,
  hasCountedWords,
  publishedFaults,
  RATES,
  type Found,
  type Shown,
} from '../../support/captions/published-faults.ts';
import { limitsOf } from '../../support/captions/published-limits.ts';
import { spoiled } from '../../support/captions/spoiled-captions.ts';
import { wordsOfCaptions } from '../../support/captions/spoken-captions.ts';
import { rounds } from '../../support/fuzz.ts';
import type { CaptionWord } from '../../../server/captions/divide/fix-word-times.ts';

setDefaultTimeout(300_000);

const CAPTIONS = rounds(50_000);
const WORDS_OF_A_TALK = 160;

/** Rules that can be kept for any speech, besides the order of captions. */
const ALWAYS_KEPT = new Set([
  'line_count',
  'max_duration',
  'gap',
  'small_gap',
  'on_frames',
  'two_speakers',
]);

const STRANGE = [
  'https://example.com/a/very/long/address/of-a-page/that-nobody-reads',
  'a-->b',
  '<i>leaning</i>',
  '<b>',
  '{\\an8}',
  'R&D',
  '3.5',
  'U.S.',
  '👩‍👩‍👧',
  '-',
  '- no',
  '“',
  '字幕、です。',
  'مرحبا',
  'ก็ดี',
  '2026年',
  '[Applause]',
  '…',
];
/**
 * The most seconds by which a caption may disappear before its last word: a gap and a frame, or half a second and a gap
 * before a shot change; the gap that a profile has closed where the caption would be too long if it stayed until the next.
 */
const CUT = 3 / 23.976;
const CUT_BY_SHOTS = 0.75;
/** After most words. */
const NO_PAUSES = Array<number>(80).fill(0);
const STOP = /[.?!。।]$/u;

const next = sequence(28);
const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!;
const between = (least: number, most: number): number => least + next() * (most - least);

/** A talk from anywhere in the sample, with pauses, speakers, and times and words as bad as recognisers make them. */
function talkIn(language: string): CaptionWord[] {
  const speech = SPEECH.get(language)!;
  const secondsPerLetter = 1 / between(6, 30);
  const speakers = pick([[], [], ['A', 'B'], ['A', 'B', 'C'], ['A', undefined]]);
  const strangeness = pick([0, 0.03, 0.15]);
  // In a dialogue, people say a few words each.
  const isDialogue = speakers.length > 1 && next() < 0.5;
  let [at, place, speaker] = [between(0, 4), Math.floor(next() * speech.length), speakers[0]];
  return Array.from({ length: WORDS_OF_A_TALK }, () => {
    const said = next() < strangeness ? pick(STRANGE) : speech[place++ % speech.length]!;
    const isTurn = isDialogue ? next() < 0.3 : next() < (STOP.test(said) ? 0.3 : 0.01);
    const text = isTurn && isDialogue && !STOP.test(said) ? `${said}.` : said;
    const start = at;
    // A letter of these scripts is at least a syllable.
    const letters = /[\p{Lo}]/u.test(text) && language !== 'ar' ? text.length * 2.5 : text.length;
    at += next() < 0.02 ? 0 : (letters + 1) * secondsPerLetter * between(0.6, 1.4);
    const word = { text, start, end: at, ...(speaker === undefined ? {} : { speaker }) };
    // Now and then a word has no time, overlaps the next, or is followed by silence.
    if (/\p{P}$/u.test(text)) at += next() < 0.5 ? 0 : between(0, 1.2);
    else at += pick([...NO_PAUSES, between(0.2, 5), -between(0, 0.3)]);
    if (isTurn) speaker = pick(speakers.length > 0 ? speakers : [undefined]);
    return word;
  });
}

/** Frames at which shots begin: none, a few, or many close together. */
function shotFramesOf(seconds: number, rate: number): number[] {
  const apart = pick([0, 8, 3, 0.7]);
  const frames: number[] = [];
  if (apart === 0) return frames;
  for (let at = between(0, apart); at < seconds; at += between(0.1, 2 * apart)) {
    frames.push(Math.round(at * rate));
  }
  return frames;
}

const keysOf = (found: readonly Found[], isTold: (found: Found) => boolean): string[] =>
  found
    .filter(isTold)
    .map(({ rule, at }) => `${at} ${rule}`)
    .sort();

/** The captions of two speakers so far. */
let dialogues = 0;
/** The rules that were reported so far, by profile. */
const reports = new Set<string>();

/** Expects that no caption disappears before its last word begins, where the times of its words rise. */
function expectShownWhenSaid(
  captions: readonly Shown[],
  words: readonly CaptionWord[],
  haveShots: boolean,
  { maxDuration, closedGap }: Profile,
): void {
  for (const [at, said] of wordsOfCaptions(captions, words).entries()) {
    const last = said.at(-1);
    if (!last || said.length < 2) continue;
    const following = words[words.indexOf(last) + 1];
    const times = [...said, ...(following ? [following] : [])].map(({ start }) => start);
    if (times.some((time, index) => index > 0 && time <= times[index - 1]!)) continue;
    const late = last.start - captions[at]!.end;
    const next = captions[at + 1]?.start ?? Infinity;
    const mayStay = next - captions[at]!.start <= maxDuration;
    const byShots = mayStay ? CUT_BY_SHOTS : Math.max(CUT_BY_SHOTS, closedGap);
    if (late > (haveShots ? byShots : CUT)) {
      expect([late, captions[at], last]).toEqual([]);
    }
  }
}

/** Builds and checks the captions of one talk, and returns how many there are. */
function checkTalk(name: (typeof PROFILE_NAMES)[number], language: string): number {
  const profile = profileOf(name, language);
  const limits = limitsOf(name, language.split('-')[0]!);
  const words = talkIn(language);
  const frameRate = pick(RATES);
  const rate = profile.frameRate === null ? null : exactRate(frameRate);
  const shotFrames = rate === null ? [] : shotFramesOf(words.at(-1)!.end, rate);
  const shots = shotFrames.map((frame) => Math.round((frame * 1000) / rate!) / 1000);
  const picture = rate === null ? {} : { frameRate, shots };
  const built = buildProfiled(words, profile, picture);
  const vtt = readVttFile(toVtt(built));
  const faults = publishedFaults(vtt, limits, rate, shotFrames);

  let before: Shown = { start: 0, end: 0, lines: [] };
  for (const cue of vtt) {
    if (cue.start < before.end || cue.end <= cue.start)
      throw new Error(JSON.stringify([before, cue]));
    before = cue;
  }
  for (const { rule, at } of faults) {
    if (ALWAYS_KEPT.has(rule)) expect([name, language, rule, vtt[at], vtt[at + 1]]).toEqual([]);
    // Only a word that is longer than a line makes a line too long.
    if (rule === 'line_length') {
      expect(vtt[at]!.lines.some((line) => !/\S\s+\S/.test(line.replace(/^- ?/, '')))).toBe(true);
    }
  }
  expectShownWhenSaid(vtt, words, shots.length > 0, profile);
  const faultsOf = (file: readonly Shown[]) => publishedFaults(file, limits, rate, shotFrames);
  const expectReported = (captions: readonly Caption[]): void => {
    const inVtt = readVttFile(toVtt(captions));
    const theirs = faultsOf(inVtt);
    const offFrames = new Set(
      theirs.filter(({ rule }) => rule === 'on_frames').map(({ at }) => at),
    );
    const isTold = ({ rule, at }: Found): boolean => {
      if (rule === 'reading_speed')
        return !limits.wpm || hasCountedWords(inVtt[at]!.lines.join(' '));
      // Between times that are not on frames, frames can be counted in more than one way.
      return !/gap/.test(rule) || !(offFrames.has(at) || offFrames.has(at + 1));
    };
    const isInSrt = (found: Found): boolean => isTold(found) && found.rule !== 'two_speakers';
    const reported = findBrokenRules(captions, profile, picture);
    expect(keysOf(theirs, isTold)).toEqual(keysOf(reported, isTold));
    expect(keysOf(faultsOf(readSrtFile(toSrt(captions))), isInSrt)).toEqual(
      keysOf(reported, isInSrt),
    );
    for (const { rule } of reported) reports.add(`${name} ${rule}`);
  };
  // What the program reports is what the publishers would find, in both files; also where captions are spoiled.
  expectReported(built);
  expectReported(spoiled(built, next, rate));
  dialogues += vtt.filter(({ speakers }) => new Set(speakers).size === 2).length;
  return built.length;
}

test('every violation in the files of all profiles is reported, and rules that any speech allows are kept', () => {
  expect(SPEECH.size).toBe(16);
  let count = 0;
  while (count < CAPTIONS) {
    for (const name of PROFILE_NAMES) {
      for (const language of SPEECH.keys()) count += checkTalk(name, language);
    }
  }
  expect(dialogues).toBeGreaterThan(500);
  const rules = PROFILE_NAMES.flatMap((name) =>
    Object.keys(profileOf(name).rules).map((rule) => `${name} ${rule}`),
  );
  expect([...reports].sort()).toEqual(rules.sort());
});
