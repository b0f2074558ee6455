/** Recognises a window of English with Moonshine: words with times and confidences. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { lazily } from '../../concurrency.ts';
import { readModel, writeModel } from '../graph/onnx-graph.ts';
import { HOP, spectrograms } from '../model/mel.ts';
import type { Session, Tensor, TensorMaker } from '../model/decoder.ts';
import { loudnessOf } from '../model/pauses.ts';
import { loadRuntime, tidied } from '../model/runtime.ts';
import { readTokens, unspokenTokens } from '../model/tokens.ts';
import { wordsOf } from '../search/align.ts';
import type { SearchRules } from '../search/found-text.ts';
import {
  withMissed,
  isSilent,
  joinSplitWindow,
  splitPoint,
  type WindowResult,
} from '../search/missed-speech.ts';
import { placeWords } from '../search/place-words.ts';
import { isHallucination, likeliestText, repeatsItself } from '../search/search.ts';
import { createKeytermSearch } from '../terms/keyterm-search.ts';
import { createTokenizer } from '../terms/term-prompt.ts';
import type { AboutTerms, Whisper } from '../whisper.ts';
import { createMoonshineDecoder, dividedDecoder, type DividedDecoder } from './decoder.ts';

/** The tokens that begin and end a text, and the first that stands for no text. */
const START = 1;
const END = 2;
const SPECIAL = 32_000;
/** The samples of a column of attention: 24 ms. */
const FRAME = 384;
/** The most tokens in a second; a text with more is a loop. */
const TOKENS_PER_SECOND = 6;
/** The seconds by which words begin later than attention reaches them: none, measured in speech of known times. */
const LAG = 0;
/** The parts of a text that become tokens separately: words, with the space before them. */
const PARTS = / ?\S+|\s+/gu;
/** The shortest window, in seconds, that is divided if nothing is recognised in it. */
const SHORTEST_DIVIDED = 3;
/** The bands of the spectrogram in which pauses are found. */
const BANDS = 80;

/** The loaded parts of a model. */
interface MoonshineParts extends Pick<DividedDecoder, 'heads' | 'headSize'> {
  encoder: Session;
  sound: Session;
  step: Session;
  /** The text of tokens.txt. */
  tokens: string;
  tensors: TensorMaker;
}

/** The files of a model. */
interface MoonshineFiles {
  encoder: string;
  decoder: string;
  tokens: string;
}

/**
 * Loads a model.
 * @param library the path of the main file of onnxruntime-node
 * @throws {Error} if the library or the files cannot be loaded
 */
export async function loadMoonshine(files: MoonshineFiles, library: string): Promise<Whisper> {
  const { load, tensors } = loadRuntime(library);
  const { sound, step, heads, headSize } = dividedDecoder(readModel(await readFile(files.decoder)));
  const folder = dirname(files.decoder);
  return createMoonshine({
    encoder: await load(await readFile(files.encoder), folder),
    sound: await load(writeModel(sound), folder),
    step: tidied(await load(writeModel(step), folder)),
    heads,
    headSize,
    tokens: await readFile(files.tokens, 'utf8'),
    tensors,
  });
}

/** Creates a recogniser. */
export function createMoonshine(parts: MoonshineParts): Whisper {
  const { encoder, sound, step, tensors } = parts;
  const bytes = readTokens(parts.tokens).map(bytesOfPiece);
  const unspoken = unspokenTokens(bytes);
  const lookAgain = createKeytermSearch(lazily(() => createTokenizer(bytes, PARTS)));
  const makeSpectrogram = spectrograms(BANDS);

  return { hear };

  async function hear(
    samples: Float32Array,
    _language: string | null,
    terms: readonly string[] = [],
    about: AboutTerms = {},
  ): Promise<WindowResult> {
    /** Recognises a window, and its halves if that yields nothing, or nothing to believe. */
    const hearDivided = async (window: Float32Array): Promise<WindowResult> => {
      if (isSilent(window)) return { ...NOTHING };
      const heard = await hearOnce(window, terms, about);
      const cut = heard.words.length === 0 ? splitPoint(window, SHORTEST_DIVIDED) : null;
      if (cut === null) return heard;
      const first = await hearDivided(window.subarray(0, cut));
      return joinSplitWindow(first, await hearDivided(window.subarray(cut)), cut);
    };
    return withMissed(await hearDivided(samples), samples, hearDivided);
  }

  async function hearOnce(
    samples: Float32Array,
    terms: readonly string[],
    { says = {}, near = {} }: AboutTerms,
  ): Promise<WindowResult> {
    const encoded = await encoder.run({
      input_values: tensors.floats(samples, [1, samples.length]),
    });
    const states = encoded['last_hidden_state']!;
    const frames = states.dims[1]!;
    const heard = await sound.run({ encoder_hidden_states: states });
    const decoder = createMoonshineDecoder(step, tensors, parts, ofAudio(heard));
    const seconds = samples.length / SPEECH_RATE;
    const rules: SearchRules = {
      prompt: [START],
      end: END,
      special: SPECIAL,
      noSpeech: null,
      unspoken,
      neverFirst: [],
      bytes,
      frames,
      frameSeconds: FRAME / SPEECH_RATE,
      most: Math.ceil(seconds * TOKENS_PER_SECOND),
    };
    const found = await likeliestText(decoder, rules);
    const spectrogram = makeSpectrogram(samples, Math.ceil(samples.length / HOP));
    const loudness = loudnessOf(spectrogram, Math.floor(samples.length / HOP));
    const words = placeWords(wordsOf(found, rules, 'en'), loudness, LAG);
    const none = repeatsItself(found, rules) || isHallucination(found, rules);
    if (none) return { ...NOTHING, dropped: words.length };
    const settings = { rules, promptOf: null, terms, says, near, language: 'en' };
    const more = await lookAgain(decoder, { found, words }, settings);
    return { ...NOTHING, ...more, words };
  }
}

const NOTHING: WindowResult = { words: [], dropped: 0, language: 'en', languageProbability: 1 };

/** The keys and values of the audio by the names of the inputs that take them. */
const ofAudio = (made: Record<string, Tensor>): Record<string, Tensor> =>
  Object.fromEntries(
    Object.entries(made).map(([name, value]) => [
      name.replace('present', 'past_key_values'),
      value,
    ]),
  );

/**
 * The bytes that a piece of the vocabulary stands for: its text, in which `▁` is a space, or the byte that it names,
 * such as `<0x0A>`.
 */
function bytesOfPiece(piece: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(piece);
  const byte = /^<0x([0-9A-F]{2})>$/.exec(text)?.[1];
  return byte === undefined
    ? new TextEncoder().encode(text.replaceAll('▁', ' '))
    : Uint8Array.of(Number.parseInt(byte, 16));
}
