/** Recognises a window of audio with Whisper: words with times and confidences, and their language. */
import { attentionLag } from './align.ts';
import type { Decoder, Session } from './decoder.ts';
import { decoders } from './decoders.ts';
import { frameEnergies } from '../frame-energies.ts';
import { createEncoder, type EncoderParts } from './encoder.ts';
import { lazily } from '../../../once.ts';
import { logProbability } from './logits.ts';
import { HOP } from './mel.ts';
import { SPEECH_RATE } from '../../../mp3/resample.ts';
import { splitPoint, isDivisible, joinSplitWindow } from './split-window.ts';
import { findText, isHallucination, mayBeRealRepetition, repeatsItself } from './search.ts';
import type { SearchRules } from './found-text.ts';
import type { WindowResult } from './window-result.ts';
import { addMissed, missedSpeech } from './missed-speech.ts';
import { placeWords } from './place-words.ts';
import type { NearWords } from './near-terms.ts';
import type { Pronunciations } from './pronunciations.ts';
import { createKeytermSearch } from './keyterm-search.ts';
import { createTokenizer } from './term-prompt.ts';
import { wordsOf } from './timed-words.ts';
import { marksOf, readTokens, unspokenTokens, WHISPER_LANGUAGES, type Marks } from './tokens.ts';

/** The frames of Whisper's input, which is always 30 s long; shorter audio is followed by silence. */
const MEL_FRAMES = 3000;
/**
 * The level of the loudest 10 ms below which a window is silent (-60 dB). It is then not recognised, because Whisper
 * transcribes silence as "you".
 */
const MIN_SOUND = 0.001;

/** The parts of a model. */
export interface WhisperParts extends EncoderParts {
  decoder: Session;
  /** The text of tokens.txt. */
  tokens: string;
}

/** The pronunciations of some of the key terms, and the words that often occur near them. */
export interface AboutTerms {
  says?: Pronunciations | undefined;
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
  const lookAgain = createKeytermSearch(lazily(() => createTokenizer(bytes)));
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
    for (const stretch of missedSpeech(heard.words, samples)) {
      const part = samples.subarray(stretch.start * SPEECH_RATE, stretch.end * SPEECH_RATE);
      addMissed(heard, await hearOnce(part, heard.language, terms, about), stretch);
    }
    return heard;
  }

  async function hearOnce(
    samples: Float32Array,
    language: string | null,
    terms: readonly string[],
    about: AboutTerms,
  ): Promise<WindowResult> {
    if (loudest(samples) < MIN_SOUND) return { ...NOTHING };
    const encoded = await encode(samples);
    const own = decoderOf(encoded);
    const frames = Math.min(MEL_FRAMES / 2, Math.ceil(samples.length / HOP / 2));
    marks ??= await specialTokens(own, frames);
    const spoken = await spokenLanguage(own, marks, language, frames);
    const rules: SearchRules = {
      prompt: promptOf(marks, spoken.language),
      end: marks.end,
      noSpeech: marks.noSpeech,
      unspoken,
      space,
      bytes,
      frames,
    };
    const found = await findText(own, rules, isDivisible(samples));
    const cut = mayBeRealRepetition(found, rules) ? splitPoint(samples) : null;
    if (cut !== null) {
      const first = await hear(samples.subarray(0, cut), language, terms, about);
      return joinSplitWindow(first, await hear(samples.subarray(cut), language, terms, about), cut);
    }
    const lag = attentionLag(encoded.layers, marks.multilingual);
    const words = placeWords(wordsOf(found, rules, spoken.language), encoded.loudness, lag);
    const none = isHallucination(found, rules) || repeatsItself(found, rules);
    const { says = {}, near = {} } = about;
    const second = none
      ? {}
      : await lookAgain(own, { found, words }, { rules, marks, terms, says, near, ...spoken });
    return {
      ...second,
      words: none ? [] : words,
      dropped: none ? words.length : 0,
      language: spoken.language,
      languageProbability: spoken.probability,
    };
  }
}

const NOTHING: WindowResult = { words: [], dropped: 0, language: 'en', languageProbability: 0 };

/** The root mean square of the loudest 10 ms. */
const loudest = (samples: Float32Array): number =>
  Math.sqrt(frameEnergies(samples, HOP).reduce((top, energy) => Math.max(top, energy), 0) / HOP);

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

/** The given language of the window, or the most likely one. */
async function spokenLanguage(
  decoder: Decoder,
  marks: Marks,
  language: string | null,
  frames: number,
): Promise<{ language: string; probability: number }> {
  if (!marks.multilingual) return { language: 'en', probability: 1 };
  const known = language === null ? -1 : WHISPER_LANGUAGES.indexOf(language);
  if (language !== null && known >= 0 && known < marks.languages) {
    return { language, probability: 1 };
  }
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
