/**
 * The recognisers of sherpa-onnx in a recogniser process: a plain one and, for a transducer with key terms, one whose
 * search is biased towards them. Each is loaded on first use and kept until another model is needed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { EngineModel, Recognition } from './engine-messages.ts';

/** The sample rate in Hz that every model in this process expects. */

interface Stream {
  acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
}
interface Recognizer {
  createStream(terms?: string): Stream;
  decode(stream: Stream): void;
  getResult(stream: Stream): { tokens: string[]; timestamps: number[]; ys_log_probs?: number[] };
}

/** The class of the same name in sherpa-onnx-node. */
export type OfflineRecognizer = new (config: object) => Recognizer;

/** The models that sherpa-onnx recognises with. */
type SherpaModel = Extract<EngineModel, { kind: 'nemo_ctc' | 'nemo_transducer' | 'sense_voice' }>;

/**
 * The settings of a biased search, with sherpa-onnx's default boost. A higher one makes it find terms that nobody spoke
 * (according to Moonshine's docs/models/domain-customization.md, it collapses above 4).
 */
const BIASED = { decodingMethod: 'modified_beam_search', maxActivePaths: 4, hotwordsScore: 1.5 };

interface Loaded {
  key: string;
  made: Recognizer;
}

/** The vocabulary of the last model used with terms, kept because every window needs it. */
let vocabulary: { path: string; tokens: string } | null = null;

function tokensIn(path: string): string {
  if (vocabulary?.path !== path) vocabulary = { path, tokens: readFileSync(path, 'utf8') };
  return vocabulary.tokens;
}

const loaded: { plain: Loaded | null; biased: Loaded | null } = { plain: null, biased: null };

/**
 * Loads a model if it is not loaded, and returns the function that recognises a window of 16 kHz mono samples with it.
 * @param language the ISO 639 tag of the spoken language, for SenseVoice; null if it is unknown
 * @param terms key terms to bias the search towards; ignored unless the model is a transducer that can spell them
 */
export function recognizerOf(
  library: OfflineRecognizer,
  model: SherpaModel,
  language: string | null,
  terms: readonly string[],
): (samples: Float32Array) => Recognition {
  const tokens =
    model.kind === 'nemo_transducer' && terms.length > 0 ? tokensIn(model.files.tokens) : '';
  const written = writtenTerms(terms, tokens);
  const place = written === null ? 'plain' : 'biased';
  const key = JSON.stringify(model.kind === 'sense_voice' ? { ...model, language } : model);
  const other = place === 'plain' ? 'biased' : 'plain';
  // Before loading, drops the other recogniser if it has another model, so that memory never holds two models.
  if (loaded[other]?.key !== key) loaded[other] = null;
  if (loaded[place]?.key !== key) loaded[place] = null;
  const { made } = (loaded[place] ??= {
    key,
    made:
      written === null
        ? new library(configOf(model, language))
        : biasedRecognizer(library, model, tokens),
  });
  return (samples) => recognize(made, samples, written);
}

const configOf = (
  model: SherpaModel,
  language: string | null,
  more: object = {},
  modelMore: object = {},
) => {
  const { tokens } = model.files;
  return {
    featConfig: { sampleRate: SPEECH_RATE, featureDim: 80 },
    modelConfig: {
      ...partsOf(model, language),
      tokens,
      numThreads: 1,
      provider: 'cpu',
      debug: 0,
      ...modelMore,
    },
    ...more,
  };
};

function partsOf(model: SherpaModel, language: string | null): object {
  if (model.kind === 'nemo_transducer') {
    const { encoder, decoder, joiner } = model.files;
    return { transducer: { encoder, decoder, joiner }, modelType: 'nemo_transducer' };
  }
  const { model: path } = model.files;
  if (model.kind === 'nemo_ctc') return { nemoCtc: { model: path } };
  // Inverse text normalisation is SenseVoice's setting for punctuation and for numbers in digits.
  const settings = { language: language ?? 'auto', useInverseTextNormalization: 1 };
  return { senseVoice: { model: path, ...settings } };
}

/** Creates a recogniser with a bias. The vocabulary has to be a file, which is needed only during creation. */
function biasedRecognizer(
  library: OfflineRecognizer,
  model: SherpaModel,
  tokens: string,
): Recognizer {
  const folder = mkdtempSync(join(tmpdir(), 'captioner-terms-'));
  try {
    const bpeVocab = join(folder, 'bpe.vocab');
    writeFileSync(bpeVocab, spellingOf(tokens));
    return new library(configOf(model, null, BIASED, { modelingUnit: 'bpe', bpeVocab }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function recognize(made: Recognizer, samples: Float32Array, terms: string | null): Recognition {
  const stream = terms === null ? made.createStream() : made.createStream(terms);
  stream.acceptWaveform({ sampleRate: SPEECH_RATE, samples });
  made.decode(stream);
  const { tokens, timestamps, ys_log_probs: logs = [] } = made.getResult(stream);
  return {
    tokens,
    timestamps: [...timestamps],
    ...(tokens.length > 0 && logs.length === tokens.length ? { logProbabilities: [...logs] } : {}),
  };
}

// Prepares key terms for a transducer's search: selects those that its vocabulary can spell, and writes them in its
// notation.

/** The token for silence, which is not part of a text. */
const BLANK = '<blk>';
/** The mark at the beginning of a word in a SentencePiece vocabulary. */
const SPACE = '▁';
/** Matches terms that can be written in a list of terms, in which characters such as `/` and `:` have a meaning. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}.'’+-]*(?: [\p{L}\p{N}][\p{L}\p{N}.'’+-]*)*$/u;

/**
 * Converts tokens.txt to the vocabulary with which sherpa-onnx divides terms into tokens. The number of a token is its
 * rank, so frequent parts are preferred to rare ones, as by the scores in SentencePiece's own vocabulary.
 * @example
 * spellingOf('▁the 0\n<blk> 1\n'); // => '▁the\t0\n'
 */
const spellingOf = (tokens: string): string =>
  entriesOf(tokens)
    .map(([token, rank]) => `${token}\t${-rank}\n`)
    .join('');

/**
 * Writes terms in the notation of sherpa-onnx, except for those that cannot be written in it or that have a letter
 * missing from the vocabulary; null if none is left.
 * @param tokens the text of tokens.txt
 */
function writtenTerms(terms: readonly string[], tokens: string): string | null {
  const known = new Set(entriesOf(tokens).map(([token]) => token));
  const can = (term: string): boolean =>
    PLAIN.test(term) && [...term].every((letter) => known.has(letter === ' ' ? SPACE : letter));
  const written = terms.map((term) => term.replace(/\s+/g, ' ').trim()).filter(can);
  return written.length === 0 || !known.has(SPACE) ? null : written.join('/');
}

/** The tokens with their numbers. The text of a token contains no spaces. */
const entriesOf = (tokens: string): [string, number][] =>
  tokens.split('\n').flatMap((line): [string, number][] => {
    const [token = '', id = ''] = line.trim().split(/\s+/);
    return id === '' || token === BLANK ? [] : [[token, Number(id)]];
  });
