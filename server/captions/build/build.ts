/** Builds cues from words with times: divides the words, breaks them into lines, and times the cues. */
import type { CaptionCue, CaptionSettings } from '../../contract/captions.ts';
import { breaksOf, danglesBefore } from '../divide/breaks.ts';
import { fixCaptions, type Picture } from '../rules/check.ts';
import {
  profileRules,
  settingsRules,
  lineColumns,
  measure,
  type Measures,
} from '../divide/build-rules.ts';
import { type Caption, makeCue, type DialogueStyle, withDashes } from '../cue.ts';
import { divide, type Division } from '../divide/divide.ts';
import { languageOf, type Language } from '../language.ts';
import type { Profile } from '../rules/profiles/profile.ts';
import type { CaptionWord, TimedText } from '../divide/fix-word-times.ts';
import { endTick, startTick, tickRules, timeOnTicks } from '../rules/picture-times.ts';
import { timeCues } from '../divide/timing.ts';
import { textOfTokens, type Token, tokensOf } from '../divide/tokens.ts';
import { shownText, readItalics, writeItalics } from '../italics.ts';
import { frameAt, frameRateOf, secondsAtFrame } from '../timestamps.ts';
import { endsWithClauseMark, endsWithComma, endsWithStop } from '../punctuation.ts';

/**
 * Builds cues. Together they contain exactly the text of the words, in order, and they do not overlap. Lines, line
 * count and duration respect the settings unless a single word makes that impossible. A new speaker begins a cue, or a
 * line with a dash. Faulty words are repaired rather than refused, and every time can be written in SRT.
 * @param language BCP 47; the language's small words show where a break reads well
 * @param duration that of the recording, in seconds: no caption ends after it
 * @example
 * const [cue] = buildCues([{ text: 'Hello', start: 0, end: 0.4 }], DEFAULT_CAPTION_SETTINGS, 'en');
 * cue?.lines; // => ['Hello']
 */
export const buildCues = (
  words: readonly CaptionWord[],
  settings: CaptionSettings,
  language = 'en',
  duration = Number.POSITIVE_INFINITY,
): CaptionCue[] =>
  endingBy(buildCaptions(words, settings, language), duration).map(({ start, end, lines }, at) =>
    makeCue(at + 1, start, end, [...lines]),
  );

/**
 * Captions that end with their recording: none stays longer, not even to be read. One that begins at the very end keeps a
 * frame, or a hundredth of a second.
 * @param duration that of the recording, in seconds
 * @param frameRate the frames on which they end, if any
 * @example
 * endingBy([{ start: 1, end: 4.2, lines: ['Hello'] }], 4.1); // => [{ start: 1, end: 4.1, lines: ['Hello'] }]
 */
export function endingBy<Each extends Caption>(
  captions: readonly Each[],
  duration: number,
  frameRate?: number,
): Each[] {
  if (!(duration > 0 && Number.isFinite(duration))) return [...captions];
  const rate = frameRate === undefined ? 100 : frameRateOf(frameRate).rate;
  const last =
    frameRate === undefined
      ? Math.floor(duration * 1000) / 1000
      : secondsAtFrame(Math.floor(duration * rate + 0.001), rate);
  return captions.map((caption) => {
    if (caption.end <= last) return caption;
    const least = secondsAtFrame(Math.floor(caption.start * rate + 0.001) + 1, rate);
    return { ...caption, end: Math.min(caption.end, Math.max(last, least)) };
  });
}

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
  const divisions = divide(breaksOf(tokens, known, marks), measures, rules);
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
  const breaks = breaksOf(tokens, language, marks);
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
  const seconds = timeOnTicks(spoken, ticks, changes).map(({ start, end }) => ({
    start: secondsAtFrame(start, ticks.rate),
    end: secondsAtFrame(end, ticks.rate),
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

// Corrects the points at which speakers change. A recogniser detects words and voices separately, and often places a
// change of speaker a few words away from where the second speaker's sentence begins.

/** A change of speaker is moved by at most so many words. */
const MAX_WORDS = 4;
/** A silence of at least this many seconds confirms a change of speaker. */
const LONG_PAUSE = 1;

/**
 * Moves a change of speaker that divides a phrase (“And I can | report”: a small word without punctuation, then a word
 * in lower case) to the nearest punctuation within a few words: back to the start of the phrase, or on to its end.
 * Without such punctuation, the change stays where it is. Only the speakers of the words change.
 * With speakers in brackets: `open, (A) And I can (A) report (B)` becomes `open, (A) And I can report (B)`.
 */
function alignSpeakerChanges<Word extends TimedText>(
  words: readonly Word[],
  language: Language,
): Word[] {
  const aligned = [...words];
  for (let at = 1; at < aligned.length; at += 1) {
    const left = aligned[at - 1]!;
    const right = aligned[at]!;
    if (left.speaker === right.speaker || !dividesPhrase(left, right, language)) continue;
    const back = phraseStart(aligned, at);
    const [from, to, speaker] =
      back < at ? [back, at, right.speaker] : [at, phraseEnd(aligned, at), left.speaker];
    for (let word = from; word < to; word += 1) aligned[word] = { ...aligned[word]!, speaker };
  }
  return aligned;
}

const dividesPhrase = (left: TimedText, right: TimedText, language: Language): boolean =>
  left.speaker !== undefined &&
  right.speaker !== undefined &&
  right.start - left.end < LONG_PAUSE &&
  /^\p{Ll}/u.test(right.text) &&
  danglesBefore(left.text, right.text, language);

const isMarked = (word: string): boolean =>
  endsWithStop(word) || endsWithComma(word) || endsWithClauseMark(word);

/** The first word of the phrase before a change of speaker; the change itself if that is too far away. */
function phraseStart(words: readonly TimedText[], change: number): number {
  const { speaker } = words[change - 1]!;
  for (let at = change - 1; at >= Math.max(1, change - MAX_WORDS); at -= 1) {
    if (words[at]!.speaker !== speaker) return change;
    if (isMarked(words[at - 1]!.text)) return at;
  }
  return change;
}

/** The word after the phrase that a change of speaker divides; the change itself if that is too far away. */
function phraseEnd(words: readonly TimedText[], change: number): number {
  const { speaker } = words[change]!;
  for (let at = change; at < Math.min(words.length, change + MAX_WORDS); at += 1) {
    if (words[at]!.speaker !== speaker) return change;
    if (isMarked(words[at]!.text)) return at + 1;
  }
  return change;
}

/** Measures tokens in words, for speeds in words; punctuation alone does not count as one. */
function measureWords(tokens: readonly Token[], { starts, ends }: Measures): Measures {
  const left = new Float64Array(tokens.length);
  const right = new Float64Array(tokens.length);
  let at = 0;
  for (const [index, { text }] of tokens.entries()) {
    left[index] = at;
    if (/[\p{L}\p{N}]/u.test(text)) at += 1;
    right[index] = at;
  }
  return { starts, ends, left, right };
}
