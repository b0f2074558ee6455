/** Puts a translation together: its sentences, their captions, doubts at their places, warnings and counts. */
import { makeCue, type Caption } from '../captions/cue.ts';
import { findBrokenRules, type Picture } from '../captions/rules/check.ts';
import type { Profile } from '../captions/rules/profiles/profile.ts';
import { endTick, startTick, tickRules } from '../captions/rules/picture-times.ts';
import { isProfileName, profileOf } from '../captions/rules/profiles/profiles.ts';
import type { TranslationCounts, TranslationResult } from '../contract/translations.ts';
import { type TranslationTerm, termsIn } from './terms.ts';
import { type Sentence, nameOf, spokenLength, wordsOf, withoutTags } from './sentences.ts';
import { buildProfiled } from '../captions/build/build.ts';
import { hasSpaceless } from '../captions/width.ts';
import type { CaptionWord } from '../captions/divide/fix-word-times.ts';
import { withoutItalics } from '../captions/italics.ts';
import { frameRateOf, secondsAtFrame } from '../captions/timestamps.ts';
import type { Translated } from './translate.ts';

/** The most doubts and warnings of one translation; more of them help nobody. */
const MAX_SHOWN = 5000;

/** A result and its counts. */
export interface MadeTranslation {
  result: TranslationResult;
  counts: TranslationCounts;
}

/**
 * The result of a translation by the rules of a profile.
 * @throws {Error} the captions do not contain the translations, which would be an error of this program
 */
export function translatedResult(
  sentences: readonly Sentence[],
  { sentences: translated, usage }: Translated,
  profile: Profile,
  terms: readonly TranslationTerm[] = [],
): MadeTranslation {
  const texts = translated.map(({ text }) => text);
  const captions = captionsOfSentences(sentences, texts, profile);
  const places = placesOf(captions, sentences.length);
  const broken = findBrokenRules(captions, profile);
  const doubts = translated.flatMap(({ faults }, at) =>
    faults.map(({ kind, message }) => ({
      sentence: at + 1,
      cue: places[at]!.firstCue,
      start: sentences[at]!.start,
      kind,
      message,
    })),
  );
  const tally = (is: (sentence: Translated['sentences'][number]) => boolean) =>
    translated.filter(is).length;
  return {
    result: {
      sentences: sentences.map(({ text, beats, ...sentence }, at) => ({
        source: text,
        text: texts[at]!,
        ...sentence,
        beats: beats.map((beat) => [...beat]),
        state: translated[at]!.state,
        ...(translated[at]!.remembered && { remembered: translated[at]!.remembered }),
        ...places[at]!,
      })),
      terms: termsIn(sentences.map(({ text }) => withoutTags(text)).join(' . '), terms).map(
        ({ canonical, aliases, translation, isPerson }) => ({
          term: canonical,
          ...(translation !== undefined && { translation }),
          ...(aliases && { aliases: [...aliases] }),
          ...(isPerson && { person: true }),
        }),
      ),
      cues: captions.map(({ start, end, lines }, at) => makeCue(at + 1, start, end, [...lines])),
      doubts: doubts.slice(0, MAX_SHOWN),
      warnings: broken.slice(0, MAX_SHOWN).map(({ at, rule, says, sentence, source }) => ({
        cue: at + 1,
        rule,
        message: `Caption ${at + 1} ${says}.`,
        sentence,
        source,
      })),
    },
    counts: {
      sentences: sentences.length,
      captions: captions.length,
      mended: tally(({ mended }) => mended),
      shortened: tally(({ shortened }) => shortened),
      doubts: tally(({ faults }) => faults.length > 0),
      missing: tally(({ state }) => state === 'missing'),
      kept: tally(({ state }) => state === 'kept'),
      remembered: tally(({ remembered }) => remembered !== undefined),
      warnings: broken.length,
      ...usage,
    },
  };
}

/**
 * The rules of a translation.
 * @param name as in the request; an unknown one means the default
 */
export const rulesOfTranslation = (name: string | undefined, language: string): Profile =>
  profileOf(name !== undefined && isProfileName(name) ? name : 'default', language);

/** The first and last caption of each sentence, numbered from 1. */
function placesOf(captions: readonly TranslatedCaption[], sentences: number) {
  const places = Array.from({ length: sentences }, () => ({ firstCue: 0, lastCue: 0 }));
  captions.forEach(({ firstSentence, lastSentence }, at) => {
    for (let sentence = firstSentence; sentence <= lastSentence; sentence += 1) {
      const place = places[sentence]!;
      place.firstCue ||= at + 1;
      place.lastCue = at + 1;
    }
  });
  return places;
}

/** A caption, and the sentences that it shows, as numbers from 0; both inclusive. */
interface TranslatedCaption extends Caption {
  readonly firstSentence: number;
  readonly lastSentence: number;
}

/** The part of a sentence that its captions depend on. */
type TimedSentence = Pick<Sentence, 'start' | 'end' | 'speaker' | 'italic'> & { beats: Beats };
/** The stretches without a pause, as they are made and as they are stored. */
type Beats = readonly (readonly number[])[];

/**
 * The captions of translated sentences, by the rules of a profile. Together they contain every translation once, in
 * order. None begins before its first sentence or ends after its last by more than the gap of the profile, or the gaps that
 * it closes.
 * @param texts the translation of each sentence
 * @throws {Error} the captions do not contain the translations, which would be an error of this program
 */
export function captionsOfSentences(
  sentences: readonly TimedSentence[],
  texts: readonly string[],
  profile: Profile,
  picture: Picture = {},
): TranslatedCaption[] {
  const { language } = profile;
  const words = sentences.flatMap((sentence, at) => timedWords(sentence, texts[at]!, language));
  const built = buildProfiled(words, profile, picture);
  const frameRate = picture.frameRate ?? profile.frameRate;
  const rate = frameRate === null ? 1000 : frameRateOf(frameRate).rate;
  // A caption that begins on a frame may begin just before its sentence.
  const gap = frameRate === null ? profile.gapFrames / 24 : Math.max(profile.gapFrames, 1) / rate;
  const captions: TranslatedCaption[] = [];
  const lengths = texts.map((text) => spokenLength(withoutItalics([text])[0]!));
  let [at, passed] = [0, 0];
  for (const caption of built) {
    let left = lengthIn(caption, profile);
    while (at < lengths.length && passed >= lengths[at]!) [at, passed] = [at + 1, 0];
    const firstSentence = at;
    while (left > 0) {
      if (passed >= (lengths[at] ?? Infinity)) [at, passed] = [at + 1, 0];
      if (at >= lengths.length)
        throw new Error('The captions have more text than the translation.');
      const step = Math.min(left, lengths[at]! - passed);
      passed += step;
      left -= step;
    }
    const [first, last] = [sentences[firstSentence]!, sentences[at]!];
    const from = Math.max(0, Math.ceil((first.start - gap) * rate - SLACK));
    const to = Math.floor((last.end + gap) * rate + SLACK);
    let [start, end] = [
      Math.max(caption.start, secondsAtFrame(from, rate)),
      Math.min(caption.end, secondsAtFrame(to, rate)),
    ];
    // Sentences of captions that overlap have times out of order.
    if (end <= start)
      [start, end] = [secondsAtFrame(from, rate), secondsAtFrame(Math.max(to, from + 1), rate)];
    captions.push({ ...named(caption), start, end, firstSentence, lastSentence: at });
  }
  closeGaps(captions, profile, picture);
  if (at < lengths.length && lengths.slice(at).reduce((sum, length) => sum + length, -passed) > 0) {
    throw new Error('The captions have less text than the translation.');
  }
  return captions;
}

/**
 * Closes the gaps between captions that a profile has closed: a caption stays until the next one, as it would if the
 * translation had been spoken.
 */
function closeGaps(captions: TranslatedCaption[], profile: Profile, picture: Picture): void {
  const rules = tickRules(profile, picture.frameRate ?? profile.frameRate);
  for (let at = 0; at + 1 < captions.length; at += 1) {
    const [caption, next] = [captions[at]!, captions[at + 1]!];
    const [start, end, until] = [
      startTick(caption.start, rules),
      endTick(caption.end, rules),
      startTick(next.start, rules),
    ];
    const left = until - end;
    if (left <= rules.gap || left >= rules.closedGap) continue;
    if ((picture.shots ?? []).some((shot) => shot > caption.end && shot <= next.start)) continue;
    const closed = until - rules.gap;
    const tick =
      closed - start <= rules.longest ? closed : Math.max(start + 1, until - rules.closedGap);
    captions[at] = { ...caption, end: secondsAtFrame(tick, rules.rate) };
  }
}

/** The rounding error of seconds in ticks. */
const SLACK = 1e-6;

/** The characters of a caption without the dashes that the builder adds for two speakers. */
function lengthIn({ lines, speakers }: Caption, { dialogue }: Profile): number {
  const length = withoutItalics(lines).reduce((sum, line) => sum + spokenLength(line), 0);
  const isDialogue = speakers !== undefined && new Set(speakers).size > 1;
  return length - (isDialogue ? (dialogue.lines === 'both' ? 2 : 1) : 0);
}

/** A caption without the speakers that have no name. */
function named({ speakers, ...caption }: Caption): Caption {
  const names = speakers?.map((speaker) => nameOf(speaker) ?? '');
  return names?.some((name) => name !== '') ? { ...caption, speakers: names } : caption;
}

/** The words of a translation, timed along the beats of its sentence. */
function timedWords({ beats, speaker, italic }: TimedSentence, text: string, language: string) {
  const words = joinedAtSpaces(wordsOf(text, language));
  const total = words.reduce((sum, word) => sum + spokenLength(word), 0);
  let passed = 0;
  return words.map((word, at): CaptionWord => {
    const start = timeAt(beats, passed / total, true);
    passed += spokenLength(word);
    const end = timeAt(beats, passed / total, false);
    const opens = italic && at === 0 ? '<i>' : '';
    const closes = italic && at === words.length - 1 ? '</i>' : '';
    return {
      text: `${opens}${word}${closes}`,
      start,
      end,
      ...(speaker === undefined ? {} : { speaker }),
    };
  });
}

/** The texts of words. In scripts without spaces, those on both sides of a space stay one text, so that it is kept. */
function joinedAtSpaces(words: readonly { text: string; spaced: boolean }[]): string[] {
  const texts: string[] = [];
  for (const { text, spaced } of words) {
    const last = texts.at(-1);
    if (last !== undefined && spaced && (hasSpaceless(last.slice(-1)) || hasSpaceless(text))) {
      texts[texts.length - 1] = `${last} ${text}`;
    } else texts.push(text);
  }
  return texts;
}

/**
 * The time after a share of a sentence is said.
 * @param isStart whether something begins then: after a pause, rather than before it
 */
function timeAt(beats: Beats, share: number, isStart: boolean): number {
  const total = beats.reduce((sum, [characters = 0]) => sum + characters, 0);
  let left = share * total;
  for (const [at, [characters = 0, start = 0, end = 0]] of beats.entries()) {
    const isLast = at === beats.length - 1;
    if (left < characters - SLACK || isLast || (!isStart && left <= characters + SLACK)) {
      return start + (end - start) * Math.min(1, Math.max(0, left / characters));
    }
    left -= characters;
  }
  return beats.at(-1)?.[2] ?? 0;
}
