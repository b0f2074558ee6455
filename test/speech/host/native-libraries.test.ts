/** The calls of the recogniser processes to sherpa-onnx: its settings, the loading of models, and its input. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  recognizerOf,
  type OfflineRecognizer,
  type SherpaModel,
} from '../../../server/speech/host/sherpa-recognisers.ts';

const folder = mkdtempSync(join(tmpdir(), 'captioner-native-'));
afterAll(() => rmSync(folder, { recursive: true }));
const tokens = join(folder, 'tokens.txt');
writeFileSync(tokens, ['▁ 0', 'V 1', 'e 2', 'r 3', 'c 4', 'l 5', 'cel 6', '<blk> 7'].join('\n'));

interface Config {
  featConfig: object;
  modelConfig: Record<string, unknown>;
  [setting: string]: unknown;
}
let made: Config[] = [];
let vocabularies: string[] = [];
let given: unknown[] = [];
let answer: { tokens: string[]; timestamps: number[]; ys_log_probs?: number[] };
beforeEach(() => {
  made = [];
  vocabularies = [];
  given = [];
  answer = { tokens: ['a'], timestamps: [0.5] };
});

class Library {
  constructor(config: Config) {
    made.push(config);
    const { bpeVocab } = config.modelConfig;
    if (typeof bpeVocab === 'string') vocabularies.push(readFileSync(bpeVocab, 'utf8'));
  }
  createStream(...terms: string[]) {
    given.push(terms);
    return { acceptWaveform: (wave: object) => void given.push(wave) };
  }
  decode(): void {
    given.push('decoded');
  }
  getResult() {
    return answer;
  }
}
const library = Library as unknown as OfflineRecognizer;
const samples = Float32Array.of(0.1, 0.2);

let count = 0;
/** A model that was not loaded before. */
function model<K extends SherpaModel['kind']>(kind: K): Extract<SherpaModel, { kind: K }> {
  count += 1;
  const files = {
    model: `model-${count}`,
    encoder: `e-${count}`,
    decoder: 'd',
    joiner: 'j',
    tokens,
  };
  return { kind, files } as unknown as Extract<SherpaModel, { kind: K }>;
}
const common = { tokens, numThreads: 1, provider: 'cpu', debug: 0 };
const features = { sampleRate: 16_000, featureDim: 80 };

describe('a recogniser', () => {
  test('of a CTC model, a transducer and SenseVoice has their files and settings', () => {
    const [ctc, transducer, sense] = [
      model('nemo_ctc'),
      model('nemo_transducer'),
      model('sense_voice'),
    ];
    for (const each of [ctc, transducer, sense]) recognizerOf(library, each, null, []);
    expect(made).toEqual([
      { featConfig: features, modelConfig: { nemoCtc: { model: ctc.files.model }, ...common } },
      {
        featConfig: features,
        modelConfig: {
          transducer: { encoder: transducer.files.encoder, decoder: 'd', joiner: 'j' },
          modelType: 'nemo_transducer',
          ...common,
        },
      },
      {
        featConfig: features,
        modelConfig: {
          senseVoice: {
            model: sense.files.model,
            language: 'auto',
            useInverseTextNormalization: 1,
          },
          ...common,
        },
      },
    ]);
  });

  test('is given the samples at 16 kHz, and returns parts with times', () => {
    answer = { tokens: ['a', 'b'], timestamps: [0, 1], ys_log_probs: [-1, -2] };
    const recognize = recognizerOf(library, model('nemo_ctc'), null, []);
    expect(recognize(samples)).toEqual({
      tokens: ['a', 'b'],
      timestamps: [0, 1],
      logProbabilities: [-1, -2],
    });
    expect(given).toEqual([[], { sampleRate: 16_000, samples }, 'decoded']);
  });

  test.each([
    [undefined, ['a']],
    [[-1, -2], ['a']],
    [[], []],
  ])('has no probabilities if they are %j for the parts %j', (logs, parts) => {
    answer = { tokens: parts, timestamps: [], ...(logs && { ys_log_probs: logs }) };
    const result = recognizerOf(library, model('nemo_ctc'), null, [])(samples);
    expect(result).not.toHaveProperty('logProbabilities');
  });

  test('is loaded once for a model, and SenseVoice once for a language', () => {
    const ctc = model('nemo_ctc');
    for (const language of ['en', 'de', null]) recognizerOf(library, ctc, language, []);
    expect(made).toHaveLength(1);
    const sense = model('sense_voice');
    for (const language of ['ja', 'ja', 'ko']) recognizerOf(library, sense, language, []);
    expect(made.slice(1).map(({ modelConfig }) => modelConfig['senseVoice'])).toMatchObject([
      { language: 'ja' },
      { language: 'ko' },
    ]);
    recognizerOf(library, ctc, null, []);
    expect(made).toHaveLength(4);
  });
});

describe('a biased recogniser', () => {
  test('is a second one of a transducer, with a beam and a vocabulary that is deleted afterwards', () => {
    const transducer = model('nemo_transducer');
    const recognize = recognizerOf(library, transducer, null, ['Vercel']);
    const [{ modelConfig, featConfig, ...settings }] = made as [Config];
    expect(settings).toEqual({
      decodingMethod: 'modified_beam_search',
      maxActivePaths: 4,
      hotwordsScore: 1.5,
    });
    expect(featConfig).toEqual(features);
    expect(modelConfig).toMatchObject({ ...common, modelingUnit: 'bpe' });
    expect(vocabularies[0]).toContain('cel\t');
    expect(existsSync(dirname(String(modelConfig['bpeVocab'])))).toBe(false);
    recognize(samples);
    expect(given[0]).toEqual([expect.stringContaining('Vercel')]);
    // The plain one is loaded beside it, and both stay.
    for (const terms of [[], ['Vercel'], []]) recognizerOf(library, transducer, null, terms);
    expect(made).toHaveLength(2);
  });

  test('of another model is dropped before one is loaded', () => {
    const [first, second] = [model('nemo_transducer'), model('nemo_transducer')];
    recognizerOf(library, first, null, ['Vercel']);
    recognizerOf(library, second, null, []);
    recognizerOf(library, first, null, ['Vercel']);
    expect(made).toHaveLength(3);
  });

  test('of another model can spell what the tokens of that one can', () => {
    const other = model('nemo_transducer');
    const otherTokens = join(folder, 'other.txt');
    writeFileSync(otherTokens, '▁ 0\n東 1\n京 2');
    recognizerOf(library, model('nemo_transducer'), null, ['Vercel']);
    const files = { ...other.files, tokens: otherTokens };
    recognizerOf(library, { ...other, files }, null, ['東京']);
    expect(vocabularies[1]).toContain('東\t');
  });

  test.each([
    ['a CTC model', 'nemo_ctc', ['Vercel']],
    ['a transducer that cannot spell the terms', 'nemo_transducer', ['東京']],
  ] as const)('is not used for %s', (_, kind, terms) => {
    recognizerOf(library, model(kind), null, terms)(samples);
    expect(made.map(({ decodingMethod }) => decodingMethod)).toEqual([undefined]);
    expect(given[0]).toEqual([]);
  });
});
