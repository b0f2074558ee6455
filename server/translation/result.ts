/** Puts a translation together: its sentences, captions, doubts at their places, warnings and counts. */
import { makeCue } from '../captions/cue.ts';
import { findBrokenRules } from '../captions/rules/check.ts';
import type { Profile } from '../captions/rules/profiles/profile.ts';
import { isProfileName, profileOf } from '../captions/rules/profiles/profiles.ts';
import type { TranslationCounts, TranslationResult } from '../contract/translations.ts';
import { captionsOfSentences, type TranslatedCaption } from './captions-of.ts';
import { termsIn, type TranslationTerm } from './kept.ts';
import { withoutTags } from './proof.ts';
import type { Sentence } from './sentences.ts';
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
        message: `Cue ${at + 1} ${says}.`,
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

/**
 * The captions of a stored translation by other rules.
 * @param profile in the language of the translation
 */
export const rebuiltCaptions = (
  { sentences }: Pick<TranslationResult, 'sentences'>,
  profile: Profile,
  picture: Parameters<typeof captionsOfSentences>[3],
): TranslatedCaption[] =>
  captionsOfSentences(
    sentences.map(({ beats, ...sentence }) => ({
      ...sentence,
      beats: beats.map(([characters = 0, start = 0, end = 0]) => [characters, start, end] as const),
    })),
    sentences.map(({ text }) => text),
    profile,
    picture,
  );
