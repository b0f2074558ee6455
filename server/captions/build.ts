/** Builds cues from words with times: divides the words, breaks them into lines, and times the cues. */
import type { CaptionCue, CaptionSettings } from '../contract/captions.ts';
import { breaksOf } from './divide/breaks.ts';
import { fixCaptions } from './rules/check.ts';
import { profileRules, settingsRules } from './divide/build-rules.ts';
import { type Caption, makeCue } from './cue.ts';
import { type DialogueStyle, withDashes } from './dialogue.ts';
import { divide, type Division } from './divide/divide.ts';
import { frameAt, secondsAt } from './frames.ts';
import { languageOf } from './language.ts';
import { lineColumns, measure, type Measures, measureWords } from './divide/measures.ts';
import type { Profile } from './rules/profiles/profile.ts';
import type { CaptionWord } from './divide/fix-word-times.ts';
import { fitShots } from './rules/shots.ts';
import { timeCues, endTick, startTick, tickRules, timeOnTicks } from './divide/timing.ts';
import { textOfTokens, type Token, tokensOf } from './divide/tokens.ts';
import { alignSpeakerChanges } from './divide/speaker-changes.ts';
import { readItalics, writeItalics } from './italics.ts';
import { shownText } from './shown-text.ts';

export type { CaptionWord } from './divide/fix-word-times.ts';

/**
 * Builds cues. Together they contain exactly the text of the words, in order, and they do not overlap. Lines, line
 * count and duration respect the settings unless a single word makes that impossible. A new speaker begins a cue, or a
 * line with a dash. Faulty words are repaired rather than refused, and every time can be written in SRT.
 * @param language BCP 47; the language's small words show where a break reads well
 * @example
 * const [cue] = buildCues([{ text: 'Hello', start: 0, end: 0.4 }], DEFAULT_CAPTION_SETTINGS, 'en');
 * cue?.lines; // => ['Hello']
 */
export const buildCues = (
  words: readonly CaptionWord[],
  settings: CaptionSettings,
  language = 'en',
): CaptionCue[] =>
  buildCaptions(words, settings, language).map(({ start, end, lines }, at) =>
    makeCue(at + 1, start, end, [...lines]),
  );

/**
 * The same cues as buildCues, with the speaker of each line if the words name one.
 * @example
 * const words = [{ text: 'Hello', start: 0, end: 0.4, speaker: 'Ada' }];
 * buildCaptions(words, DEFAULT_CAPTION_SETTINGS);
 * // => [{ start: 0, end: 0.8, lines: ['Hello'], speakers: ['Ada'] }]
 */
export function buildCaptions(
  words: readonly CaptionWord[],
  settings: CaptionSettings,
  language = 'en',
): Caption[] {
  const { plain, marks } = wordsWithoutItalics(words);
  const known = languageOf(language);
  const tokens = alignSpeakerChanges(tokensOf(plain), known);
  if (tokens.length === 0) return [];
  const measures = measure(tokens);
  const rules = settingsRules(settings, language);
  const divisions = divide(breaksOf(tokens, known), measures, rules);
  const times = timeCues(
    divisions.map(({ from, to }) => ({
      start: tokens[from]!.start,
      end: tokens[to - 1]!.end,
      columns: lineColumns(measures, from, to),
    })),
    settings,
  );
  const seconds = times.map(({ start, end }) => ({ start: start / 1000, end: end / 1000 }));
  return captionsOf(tokens, divisions, seconds, rules.dialogue, marks);
}

/** The picture that captions are made for. */
export interface Picture {
  /** Frames a second; by default that of the profile, if it has one. */
  frameRate?: number;
  /** The times at which shots begin, in seconds. */
  shots?: readonly number[];
}

/**
 * Builds captions by the rules of a profile: lines by its measure, times on frames and between shot changes. Where the
 * speech makes it impossible to keep a rule, the caption breaks it, and checkCaptions reports it.
 * @example
 * buildProfiled([{ text: 'Hello', start: 0, end: 0.4 }], profileOf('netflix'), { frameRate: 25 });
 * // => [{ start: 0, end: 0.84, lines: ['Hello'] }]
 */
export function buildProfiled(
  words: readonly CaptionWord[],
  profile: Profile,
  { frameRate = profile.frameRate ?? undefined, shots = [] }: Picture = {},
): Caption[] {
  const { plain, marks } = wordsWithoutItalics(words);
  const language = languageOf(profile.language);
  const tokens = alignSpeakerChanges(tokensOf(plain), language);
  if (tokens.length === 0) return [];
  const ticks = tickRules(profile, frameRate ?? null);
  const rules = profileRules(profile, ticks.rate);
  const measures = measure(tokens, ({ text }) => rules.lengthOf(text));
  const reading = rules.readsWords ? measureWords(tokens, measures) : measures;
  const breaks = breaksOf(tokens, language);
  const divisions = divide(breaks, measures, rules, reading);
  const spoken = divisions.map((division) => {
    const { from, to } = division;
    const units = unitsToRead(reading, tokens, division, rules);
    return {
      start: startTick(tokens[from]!.start, ticks),
      end: endTick(tokens[to - 1]!.end, ticks),
      needed: endTick(units / rules.fast, ticks),
      comfortable: endTick(units / rules.comfortable, ticks),
    };
  });
  const changes = shots.map((shot) => frameAt(shot, ticks.rate));
  const timed = timeOnTicks(spoken, ticks);
  const fitted =
    profile.shots && changes.length > 0
      ? fitShots(timed, spoken, changes, profile.shots, ticks)
      : timed;
  const seconds = fitted.map(({ start, end }) => ({
    start: secondsAt(start, ticks.rate),
    end: secondsAt(end, ticks.rate),
  }));
  const captions = captionsOf(tokens, divisions, seconds, profile.dialogue, marks);
  if (changes.length === 0) return captions;
  const picture = { shots, ...(frameRate === undefined ? {} : { frameRate }) };
  return fixCaptions(captions, profile, picture, ['shot_in', 'shot_out']);
}

/**
 * The amount of text to read in a cue, including the dashes of two speakers. A line break counts as a space, also where
 * the script has none.
 */
function unitsToRead(
  reading: Measures,
  tokens: readonly Token[],
  { from, to, starts, turn }: Division,
  { dialogue, readsWords }: { dialogue: DialogueStyle; readsWords: boolean },
): number {
  const text = lineColumns(reading, from, to);
  if (readsWords) return text;
  const dashes = turn === 0 ? 0 : dialogue.dash.length * 2;
  return text + dashes + starts.filter((at) => !tokens[at]!.spaced).length;
}

function captionsOf(
  tokens: readonly Token[],
  divisions: readonly Division[],
  times: readonly { start: number; end: number }[],
  dialogue: DialogueStyle,
  marks: readonly boolean[] | null,
): Caption[] {
  const plain: string[][] = [];
  for (const division of divisions) plain.push(linesOf(tokens, division));
  const lines = marks ? withItalicsOf(plain, marks) : plain;
  return divisions.map(({ from, starts, turn }, at): Caption => {
    const { start, end } = times[at]!;
    const shown = turn > 0 ? withDashes(lines[at]!, dialogue) : lines[at]!;
    const speakers = [tokens[from]!.speaker ?? ''];
    for (const token of starts) speakers.push(tokens[token]!.speaker ?? '');
    return speakers.some((speaker) => speaker !== '')
      ? { start, end, lines: shown, speakers }
      : { start, end, lines: shown };
  });
}

function linesOf(tokens: readonly Token[], { from, to, starts }: Division): string[] {
  const lines: string[] = [];
  let begin = from;
  for (const next of starts) {
    lines.push(textOfTokens(tokens, begin, next));
    begin = next;
  }
  lines.push(textOfTokens(tokens, begin, to));
  return lines;
}

/**
 * The words without italics tags, and marks of the italic characters; the marks are null if no word is italic. A pair
 * of tags may span several words.
 */
function wordsWithoutItalics(words: readonly CaptionWord[]): {
  plain: readonly CaptionWord[];
  marks: boolean[] | null;
} {
  if (!hasItalics(words)) return { plain: words, marks: null };
  // Cleaned in the same way as the tokens, so that the marks stay aligned with their characters.
  const { lines, marks } = readItalics(words.map(({ text }) => shownText(text)));
  const plain = words.map((word, at) => ({ ...word, text: lines[at]! }));
  return { plain, marks };
}

function hasItalics(words: readonly CaptionWord[]): boolean {
  for (const { text } of words) if (typeof text === 'string' && /<\/i>/i.test(text)) return true;
  return false;
}

/** Restores the italics of the words in the lines of captions, with each pair of tags inside one line. */
function withItalicsOf(
  captions: readonly (readonly string[])[],
  marks: readonly boolean[],
): string[][] {
  let at = 0;
  const all = writeItalics(captions.flat(), marks);
  return captions.map((lines) => all.slice(at, (at += lines.length)));
}
