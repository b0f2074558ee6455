/** Recognises a window of English with Moonshine: its decoder, and words with times and confidences. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { lazily } from '../../base/concurrency.ts';
import { readOnnxModel, writeOnnxModel } from '../graph/onnx-graph.ts';
import { HOP, spectrograms } from '../model/mel.ts';
import {
  type Session,
  type Tensor,
  type TensorMaker,
  attentionRows,
  type DecoderStep,
  type RewindingDecoder,
} from '../model/decoder.ts';
import { loadRuntime } from '../runtime.ts';
import { wordsOf } from '../search/timed-words.ts';
import { isHallucination, likeliestText, repeatsItself } from '../search/search.ts';
import { type SearchRules } from '../search/found-text.ts';
import { type WindowResult, withMissed } from '../search/missed-speech.ts';
import { joinSplitWindow, splitPoint } from '../search/split-window.ts';
import { isSilent } from '../search/sound-levels.ts';
import { placeWords, loudnessOf } from '../search/place-words.ts';
import { createKeytermSearch } from '../terms/keyterm-search.ts';
import { createTokenizer } from '../terms/term-prompt.ts';
import type { AboutTerms, Whisper } from '../whisper.ts';
import { ATTENTION_OUTPUT } from '../graph/attention-output.ts';
import { readTokens, unspokenTokens } from '../model/tokens.ts';
import { type DividedDecoder, dividedDecoder } from './divided-decoder.ts';

/** The tokens that begin and end a text, and the first that stands for no text. */
const START = 1;
const END = 2;
const SPECIAL = 32_000;
/** The samples of a column of attention: 24 ms. */
const FRAME = 384;
/** The most tokens in a second; a text with more is a loop. */
const TOKENS_PER_SECOND = 6;
/** Words begin so many seconds after attention reaches them: none, measured in speech of known times. */
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
  const { load, loadStep, tensors } = loadRuntime(library);
  const { sound, step, heads, headSize } = dividedDecoder(
    readOnnxModel(await readFile(files.decoder)),
  );
  const folder = dirname(files.decoder);
  return createMoonshine({
    encoder: await load(await readFile(files.encoder), folder),
    sound: await load(writeOnnxModel(sound), folder),
    step: await loadStep(writeOnnxModel(step), folder),
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
    { pronunciations = {}, near = {} }: AboutTerms,
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
    const settings = { rules, promptOf: null, terms, pronunciations, near, language: 'en' };
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

/** The most texts at once. */
const MAX_TEXTS = 5;

/** The keys and values of each layer's own tokens, by the names of the inputs: [texts, heads, tokens, values]. */
type Cache = Record<string, Tensor>;

/**
 * Creates the decoder for a window.
 * @param sound the keys and values of the audio, by the names of the inputs
 */
function createMoonshineDecoder(
  session: Session,
  tensors: TensorMaker,
  { heads, headSize }: Pick<DividedDecoder, 'heads' | 'headSize'>,
  sound: Record<string, Tensor>,
): RewindingDecoder {
  const names = session.inputNames.filter((name) => name.includes('.decoder.'));
  const empty = (): Cache =>
    Object.fromEntries(
      names.map((name) => [name, tensors.floats(new Float32Array(), [1, heads, 0, headSize])]),
    );
  let cache = empty();
  let kept = cache;

  /** The cache of other texts, made of the texts `after`, each with its first `length` tokens. */
  const chosen = (from: Cache, after: readonly number[], length?: number): Cache =>
    Object.fromEntries(
      Object.entries(from).map(([name, { data, dims }]) => {
        const had = dims[2]!;
        const has = length ?? had;
        const values = new Float32Array(after.length * heads * has * headSize);
        for (const [to, text] of after.entries()) {
          for (let head = 0; head < heads; head += 1) {
            const at = (text * heads + head) * had * headSize;
            const own = (data as Float32Array).subarray(at, at + has * headSize);
            values.set(own, (to * heads + head) * has * headSize);
          }
        }
        return [name, tensors.floats(values, [after.length, heads, has, headSize])];
      }),
    );

  /** Takes tokens of texts that are equally long, one text after the other. */
  const run = async (tokens: readonly number[], texts: number) => {
    const out = await session.run({
      input_ids: tensors.integers(tokens, [texts, tokens.length / texts]),
      ...cache,
      ...sound,
    });
    cache = Object.fromEntries(
      names.map((name) => [name, out[name.replace('past_key_values', 'present')]!]),
    );
    const { data, dims } = out['logits']!;
    const size = dims[2]!;
    const logits = tokens.map((_, at) =>
      (data as Float32Array).subarray(at * size, (at + 1) * size),
    );
    return { logits, attention: out[ATTENTION_OUTPUT]! };
  };

  return {
    texts: MAX_TEXTS,

    begin() {
      cache = empty();
      kept = cache;
    },

    async take(tokens, frames) {
      const { logits, attention } = await run(tokens, 1);
      return {
        logits: logits.at(-1)!,
        firstLogits: logits[0]!,
        attention: attentionRows(attention, 0, frames),
      };
    },

    async takeEach(tokens, after, frames) {
      const texts = Object.values(cache)[0]!.dims[0]!;
      if (after.length !== texts || after.some((from, to) => from !== to)) {
        cache = chosen(cache, after);
      }
      const { logits, attention } = await run(tokens, tokens.length);
      return logits.map((own, text): DecoderStep => ({
        logits: own,
        firstLogits: own,
        attention: attentionRows(attention, text, frames),
      }));
    },

    takeAll: async (tokens) => (await run(tokens, 1)).logits,

    keep() {
      kept = cache;
    },

    goBack(length) {
      cache = chosen(kept, [0], length);
    },
  };
}
