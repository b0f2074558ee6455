/** Moonshine, whose weights are a script or a tiny graph: words, their times, and windows in which it hears nothing. */
import { describe, expect, test } from 'bun:test';
import { SPEECH_RATE } from '../../server/mp3/resample.ts';
import { type OnnxModel, makeNode, makeValue } from '../../server/whisper/graph/onnx-graph.ts';
import { ELEMENT } from '../../server/whisper/graph/onnx-fields.ts';
import {
  bytesField,
  joinedBytes,
  numberField,
  textField,
} from '../../server/whisper/graph/protobuf.ts';
import type { Session, Tensor } from '../../server/whisper/model/decoder.ts';
import { fixed } from './graphs.ts';
import { createMoonshine } from '../../server/whisper/moonshine/moonshine.ts';
import { dividedDecoder } from '../../server/whisper/moonshine/divided-decoder.ts';

/** The pieces of the vocabulary by their numbers; all others are unused. */
const PIECES = [
  ...'<unk> <s> </s> ▁We ▁ask ▁not ed , <0xC3> <0xA9> . ▁octa'.split(' '),
  // The pieces of a term, each made of the one before it.
  ...'▁O ▁Ok ▁Okt ▁Okta ▁ O k t a'.split(' '),
];
const SIZE = 32_768;
const tokens = PIECES.map((piece, id) => `${Buffer.from(piece).toString('base64')}\t${id}`).join(
  '\n',
);
const idsOf = (...pieces: string[]): number[] => pieces.map((piece) => PIECES.indexOf(piece));

/** A frame of attention: 24 ms. */
const FRAME = 384;

/**
 * A recogniser that says the pieces that `say` returns for a window of so many samples, each at the frame at which
 * `attend` puts it. The cache of the decoder holds the tokens of each text.
 * @param doubt pieces that are nearly as probable as that at their place
 */
function scripted(
  say: (samples: number) => number[],
  attend = (place: number, _frames: number) => place * 10,
  doubt: Record<number, number> = {},
) {
  const heard: number[] = [];
  let samples = 0;
  const session = (run: Session['run'], inputNames: string[] = []): Session => ({
    inputNames,
    outputNames: [],
    run,
  });
  const frames = () => Math.floor(samples / FRAME);
  const moonshine = createMoonshine({
    heads: 1,
    headSize: 1,
    tokens,
    tensors: {
      floats: (data, dims) => ({ data, dims }),
      integers: (data, dims) => ({ data, dims }),
    },
    encoder: session(async ({ input_values: sound }) => {
      samples = sound!.dims[1]!;
      heard.push(samples);
      return { last_hidden_state: { data: new Float32Array(), dims: [1, frames(), 1] } };
    }),
    sound: session(async () => ({ 'present.0.encoder.key': { data: null, dims: [] } })),
    step: session(
      async (inputs) => {
        expect(inputs['past_key_values.0.encoder.key']).toBeDefined();
        const { data, dims } = inputs['input_ids']!;
        const past = inputs['past_key_values.0.decoder.key']!;
        const [texts = 0, count = 0] = dims;
        const had = past.dims[2]!;
        const script = say(samples);
        const logits = new Float32Array(texts * count * SIZE);
        const attention = new Float32Array(texts * count * frames());
        const cache = new Float32Array(texts * (had + count));
        for (let text = 0; text < texts; text += 1) {
          const all = [
            ...(past.data as Float32Array).subarray(text * had, (text + 1) * had),
            ...(data as number[]).slice(text * count, (text + 1) * count),
          ];
          cache.set(all, text * all.length);
          for (let at = 0; at < count; at += 1) {
            const said = had + at;
            logits[(text * count + at) * SIZE + (script[said] ?? 2)] = 20;
            const row = (text * count + at) * frames();
            if (doubt[said] !== undefined) {
              logits[(text * count + at) * SIZE + doubt[said]] = 19;
            }
            const frame = row + attend(said, frames());
            attention.fill(1, frame, frame + 5);
          }
        }
        return {
          logits: { data: logits, dims: [texts, count, SIZE] },
          cross_attention_weights: { data: attention, dims: [texts, 1, count, frames()] },
          'present.0.decoder.key': { data: cache, dims: [texts, 1, had + count, 1] },
        } satisfies Record<string, Tensor>;
      },
      ['input_ids', 'past_key_values.0.decoder.key', 'past_key_values.0.encoder.key'],
    ),
  });
  return {
    heard,
    hear: (sound: Float32Array, terms: string[] = []) => moonshine.hear(sound, 'en', terms),
  };
}

/** A tone, by default of 4 s. */
const tone = (seconds = 4): Float32Array =>
  Float32Array.from({ length: seconds * SPEECH_RATE }, (_, at) => Math.sin(at / 7) / 3);

describe('a window', () => {
  test('is heard as words with their times and confidences', async () => {
    const said = idsOf('▁We', '▁ask', 'ed', ',', '▁not', '<0xC3>', '<0xA9>', '.');
    const { hear } = scripted(
      () => said,
      (place) => place * 20,
    );
    const { words, dropped, language } = await hear(tone());
    expect(words.map(({ text }) => text)).toEqual(['We', 'asked,', 'noté.']);
    expect({ dropped, language }).toEqual({ dropped: 0, language: 'en' });
    // Twenty frames are 0.48 s.
    expect(words[1]!.start).toBeCloseTo(0.48, 1);
    expect(words[2]!.start).toBeCloseTo(4 * 0.48, 1);
    for (const { confidence } of words) expect(confidence).toBeGreaterThan(0.9);
  });

  test('with sound and no words is divided, and its parts are heard', async () => {
    const { heard, hear } = scripted(
      (samples) => (samples > 8 * SPEECH_RATE ? [] : idsOf('▁We', '▁ask')),
      (place, frames) => Math.floor(((frames - 5) * place) / 2),
    );
    const { words } = await hear(tone(10));
    expect(words.map(({ text }) => text)).toEqual(['We', 'ask', 'We', 'ask']);
    expect(words[2]!.start).toBeGreaterThan(3.5);
    expect(heard.slice(1).reduce((sum, samples) => sum + samples, 0)).toBe(heard[0]!);
  });

  test('is not divided without end if there is nothing to hear', async () => {
    const { heard, hear } = scripted(() => []);
    expect((await hear(tone(20))).words).toEqual([]);
    expect(Math.min(...heard)).toBeGreaterThan(SPEECH_RATE);
    expect(heard.length).toBeLessThan(30);
  });

  test('gets the terms that are nearly as probable as its words', async () => {
    const { hear } = scripted(
      () => idsOf('▁We', '▁octa', '▁not'),
      (place, frames) => Math.floor(((frames - 5) * place) / 3),
      { 1: idsOf('▁Okta')[0]! },
    );
    const { words, weighed } = await hear(tone(), ['Okta']);
    expect(words.map(({ text }) => text)).toEqual(['We', 'octa', 'not']);
    expect(weighed?.map(({ text }) => text)).toEqual(['We', 'Okta', 'not']);
    expect((await hear(tone())).weighed).toBeUndefined();
  });

  test('has at most six tokens a second, and the words of a loop are dropped and counted', async () => {
    const { hear } = scripted(() => Array.from({ length: 500 }, () => idsOf('▁ask')[0]!));
    const { words, dropped } = await hear(tone(2));
    expect(words).toEqual([]);
    expect(dropped).toBe(12);
  });
});

describe('a merged decoder', () => {
  const LAYERS = 8;
  const past = (kind: string, layer: number) => `past_key_values.${layer}.${kind}.key`;
  const present = (kind: string, layer: number) => `present.${layer}.${kind}.key`;
  const layers = Array.from({ length: LAYERS }, (_, at) => at);
  /** A graph as an attribute. */
  const graph = (name: string, nodes: OnnxModel['nodes'], outputs: readonly string[]) =>
    joinedBytes(
      textField(1, name),
      bytesField(
        6,
        ...nodes.map(({ bytes }) => bytesField(1, bytes)),
        ...outputs.map((output) => bytesField(12, makeValue(output, ELEMENT.float).bytes)),
      ),
      numberField(20, 5),
    );
  const outputs = [
    'logits',
    ...layers.flatMap((at) => [present('decoder', at), present('encoder', at)]),
  ];
  /** What both branches compute of the tokens. */
  const text = (at: number, audio: string) => [
    makeNode('Softmax', [at === 0 ? 'input_ids' : `cross${at - 1}`], `self${at}`),
    makeNode('Concat', [past('decoder', at), `self${at}`], present('decoder', at)),
    makeNode('Mul', [`self${at}`, audio], `products${at}`),
    makeNode('Softmax', [`products${at}`], `cross${at}`),
  ];
  const logits = [
    makeNode('Transpose', ['vocabulary'], 'turned'),
    makeNode('DequantizeLinear', ['turned', 'scale', 'zero'], 'fractions'),
    makeNode('MatMul', ['cross7', 'fractions'], 'logits'),
  ];
  const begins = [
    ...layers.flatMap((at) => [
      ...text(at, 'encoder_hidden_states'),
      makeNode('Shape', [`self${at}`], `texts${at}`),
      makeNode('Reshape', ['encoder_hidden_states', `texts${at}`], present('encoder', at)),
    ]),
    ...logits,
  ];
  const continues = [
    ...layers.flatMap((at) => [
      ...text(at, past('encoder', at)),
      makeNode('Constant', [], present('encoder', at)),
    ]),
    ...logits,
  ];
  const dims = (...all: string[]) => all;
  const merged = (count = LAYERS): OnnxModel => ({
    nodes: [
      makeNode('If', ['use_cache_branch'], outputs, [
        graph('else_branch', begins, outputs),
        graph('then_branch', continues, outputs),
      ]),
    ],
    tensors: [],
    inputs: [
      makeValue('input_ids', ELEMENT.int64, dims('texts', 'tokens')),
      makeValue('encoder_hidden_states', ELEMENT.float, dims('texts', 'frames')),
      ...layers
        .slice(0, count)
        .flatMap((at) =>
          ['decoder', 'encoder'].map((kind) => fixed(past(kind, at), ELEMENT.float, [1, 8, 3, 52])),
        ),
      makeValue('use_cache_branch', 9),
    ],
    outputs: outputs.map((name) => makeValue(name, ELEMENT.float)),
    inGraph: [],
    others: [],
  });
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

  test('becomes a model for the audio, which needs no tokens, and one that takes tokens', () => {
    const { sound, step, ...shape } = dividedDecoder(merged());
    expect(shape).toEqual({ layers: LAYERS, heads: 8, headSize: 52 });
    expect(names(sound.inputs)).toEqual(['encoder_hidden_states']);
    expect(names(sound.outputs)).toEqual(layers.map((at) => present('encoder', at)));
    expect(names(step.inputs)).not.toContain('use_cache_branch');
    expect(names(step.outputs)).toEqual([
      'logits',
      ...layers.map((at) => present('decoder', at)),
      'cross_attention_weights',
    ]);
    const attended = step.nodes
      .filter(({ type }) => type === 'Gather')
      .map(({ inputs }) => inputs[0]);
    expect(attended).toEqual(['cross4', 'cross5', 'cross6']);
  });

  test.each<[string, OnnxModel]>([
    ['without an If', { ...merged(), nodes: [makeNode('Add', ['a', 'b'], 'logits')] }],
    ['with an unknown number of layers', merged(3)],
  ])('%s is refused', (_, model) => {
    expect(() => dividedDecoder(model)).toThrow('not the decoder of a Moonshine model');
  });
});
