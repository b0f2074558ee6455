/** Recognises a window of audio with Whisper: words with times and confidences, and their language. */
import { lazily } from '../base/concurrency.ts';
import type { Decoder, Session } from './model/decoder.ts';
import { HOP } from './model/mel.ts';
import { decoders } from './model/shared-decoder.ts';
import {
  WHISPER_LANGUAGES,
  marksOf,
  readTokens,
  unspokenTokens,
  type Marks,
} from './model/tokens.ts';
import { wordsOf } from './search/timed-words.ts';
import { findText, isHallucination, mayBeRealRepetition, repeatsItself } from './search/search.ts';
import { type SearchRules } from './search/found-text.ts';
import { logProbability } from './search/token-logits.ts';
import { type IdentifiedLanguage, type WindowResult, withMissed } from './search/missed-speech.ts';
import { isDivisibleWindow, joinSplitWindow, splitPoint } from './search/split-window.ts';
import { isSilent } from './search/sound-levels.ts';
import { placeWords } from './search/place-words.ts';
import type { NearWords } from './terms/near-terms.ts';
import type { Pronunciations } from './terms/pronunciations.ts';
import { createKeytermSearch } from './terms/keyterm-search.ts';
import { createTokenizer, promptTokens } from './terms/term-prompt.ts';
import { type EncoderParts, createEncoder } from './encoder.ts';

/** The frames of Whisper's input, which is always 30 s long; shorter audio is followed by silence. */
const MEL_FRAMES = 3000;
/** The seconds of a column of attention. */
const FRAME_SECONDS = 0.02;
/** The longest text in tokens: half of the decoder's context, more than anyone says in 30 seconds. */
const MAX_TOKENS = 224;

/** The parts of a model. */
interface WhisperParts extends EncoderParts {
  decoder: Session;
  /** The text of tokens.txt. */
  tokens: string;
}

/** The pronunciations of some of the key terms, and the words that often occur near them. */
export interface AboutTerms {
  pronunciations?: Pronunciations | undefined;
  near?: NearWords | undefined;
}

/** A recogniser for windows of at most 30 s, 16 kHz mono. */
export interface Whisper {
  /**
   * @param language a tag of WHISPER_LANGUAGES; null to detect it
   * @param terms key terms to look for
   * @param about the pronunciations and near words of some of them
   */
  hear(
    samples: Float32Array,
    language: string | null,
    terms?: readonly string[],
    about?: AboutTerms,
  ): Promise<WindowResult>;
}

/**
 * Creates a recogniser.
 * @throws {Error} if the decoder has no attention output
 */
export function createWhisper({
  encoder,
  prepare,
  decoder,
  tokens,
  tensors,
}: WhisperParts): Whisper {
  if (!decoder.outputNames.includes('cross_attention_weights')) {
    throw new Error('this Whisper decoder has no attention output');
  }
  const bytes = readTokens(tokens);
  const tokenizer = lazily(() => createTokenizer(bytes));
  const lookAgain = createKeytermSearch(tokenizer);
  const unspoken = unspokenTokens(bytes);
  const space = bytes.findIndex((token) => token?.length === 1 && token[0] === 32);
  let marks: Marks | null = null;
  const decoderOf = decoders(decoder, tensors);
  const encode = createEncoder({ encoder, prepare, tensors }, MEL_FRAMES);

  return { hear };

  async function hear(
    samples: Float32Array,
    language: string | null,
    terms: readonly string[] = [],
    about: AboutTerms = {},
  ): Promise<WindowResult> {
    const heard = await hearOnce(samples, language, terms, about);
    return withMissed(heard, samples, (part) => hearOnce(part, heard.language, terms, about));
  }

  /** The prompts that name terms. */
  function named({ previous }: Marks, { prompt }: SearchRules) {
    return (terms: readonly string[]) => {
      const before = promptTokens(terms, tokenizer());
      return before.length === 0 ? [] : [previous, ...before, ...prompt];
    };
  }

  async function hearOnce(
    samples: Float32Array,
    language: string | null,
    terms: readonly string[],
    about: AboutTerms,
  ): Promise<WindowResult> {
    // Whisper transcribes silence as "you".
    if (isSilent(samples)) return { ...NOTHING };
    const encoded = await encode(samples);
    const own = decoderOf(encoded);
    const frames = Math.min(MEL_FRAMES / 2, Math.ceil(samples.length / HOP / 2));
    marks ??= await specialTokens(own, frames);
    const spoken = await spokenLanguage(own, marks, language, frames);
    const rules: SearchRules = {
      prompt: promptOf(marks, spoken.language),
      end: marks.end,
      special: marks.end + 1,
      noSpeech: marks.noSpeech,
      unspoken,
      neverFirst: [space, marks.end],
      bytes,
      frames,
      frameSeconds: FRAME_SECONDS,
      most: MAX_TOKENS,
    };
    const found = await findText(own, rules, isDivisibleWindow(samples));
    const cut = mayBeRealRepetition(found, rules) ? splitPoint(samples) : null;
    if (cut !== null) {
      const first = await hear(samples.subarray(0, cut), language, terms, about);
      return joinSplitWindow(first, await hear(samples.subarray(cut), language, terms, about), cut);
    }
    const lag = attentionLag(encoded.layers, marks.multilingual);
    const words = placeWords(wordsOf(found, rules, spoken.language), encoded.loudness, lag);
    const none = isHallucination(found, rules) || repeatsItself(found, rules);
    const { pronunciations = {}, near = {} } = about;
    const second = none
      ? {}
      : await lookAgain(
          own,
          { found, words },
          { rules, promptOf: named(marks, rules), terms, pronunciations, near, ...spoken },
        );
    return {
      ...second,
      words: none ? [] : words,
      dropped: none ? words.length : 0,
      language: spoken.language,
      languageProbability: spoken.probability,
      ...(spoken.identified && { identified: spoken.identified }),
    };
  }
}

const NOTHING: WindowResult = { words: [], dropped: 0, language: 'en', languageProbability: 0 };

/** The special tokens, which follow from the number of logits, the size of the vocabulary. */
async function specialTokens(decoder: Decoder, frames: number): Promise<Marks> {
  decoder.begin();
  const { logits } = await decoder.take([START_ANYWHERE], frames);
  const marks = marksOf(logits.length);
  if (!marks) throw new Error('these are not the files of a Whisper model');
  return marks;
}

/** A token that is valid in every Whisper model. */
const START_ANYWHERE = 50_257;

/** The given language of the window, or the likeliest one, and the one that the sound itself shows. */
async function spokenLanguage(
  decoder: Decoder,
  marks: Marks,
  language: string | null,
  frames: number,
): Promise<IdentifiedLanguage & { identified?: IdentifiedLanguage }> {
  if (!marks.multilingual) return { language: 'en', probability: 1 };
  const identified = await identifiedLanguage(decoder, marks, frames);
  const known = language === null ? -1 : WHISPER_LANGUAGES.indexOf(language);
  return language !== null && known >= 0 && known < marks.languages
    ? { language, probability: 1, identified }
    : { ...identified, identified };
}

/** The likeliest language of the window. */
async function identifiedLanguage(
  decoder: Decoder,
  marks: Marks,
  frames: number,
): Promise<IdentifiedLanguage> {
  decoder.begin();
  const { logits } = await decoder.take([marks.start], frames);
  const each = logits.slice(marks.firstLanguage, marks.firstLanguage + marks.languages);
  const best = each.indexOf(each.reduce((a, b) => Math.max(a, b)));
  return {
    language: WHISPER_LANGUAGES[best] ?? 'en',
    probability: Math.exp(logProbability(each, best)),
  };
}

function promptOf(marks: Marks, language: string): number[] {
  if (!marks.multilingual) return [marks.start, marks.noTimes];
  const mark = marks.firstLanguage + WHISPER_LANGUAGES.indexOf(language);
  return [marks.start, mark, marks.transcribe, marks.noTimes];
}

/**
 * The lag of attention in seconds: words begin this much later than attention reaches them. Measured as the median for
 * Whisper base and tiny.en, in synthetic speech whose times are known and in recordings; tiny.en reaches words late, so
 * its lag is negative. Other models are assumed to be like base.
 */
const LAG = 0.075;

const LAG_OF_TINY_ENGLISH = -0.075;

const LAYERS_OF_TINY = 4;

/** The lag of a model, by the number of layers in its decoder. */
const attentionLag = (layers: number, isMultilingual: boolean): number =>
  layers === LAYERS_OF_TINY && !isMultilingual ? LAG_OF_TINY_ENGLISH : LAG;
