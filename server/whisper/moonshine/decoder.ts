/** Moonshine's decoder for one window of audio, with a cache for each text. */
import { ATTENTION_OUTPUT, withHeads } from '../graph/attention.ts';
import { attentionRows } from '../model/decoder.ts';
import type {
  DecoderStep,
  RewindingDecoder,
  Session,
  Tensor,
  TensorMaker,
} from '../model/decoder.ts';
import {
  nodesOf,
  ELEMENT,
  type GraphNode,
  integerAttribute,
  makeNode,
  makeValue,
  modelWithin,
  onlyNeeded,
  type OnnxModel,
  shapeOf,
  withInputs,
} from '../graph/onnx-graph.ts';

/** The most texts at once. */
const MAX_TEXTS = 5;

/** The keys and values of each layer's own tokens, by the names of the inputs: [texts, heads, tokens, values]. */
type Cache = Record<string, Tensor>;

/**
 * Creates the decoder for a window.
 * @param sound the keys and values of the audio, by the names of the inputs
 */
export function createMoonshineDecoder(
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

// Divides the decoder of a Moonshine model, as exports have it: one file with two graphs, of which an `If` chooses one.
// The first reads the audio and begins a text; the second continues a text. Here one model computes the keys and values
// of the audio once for each window, and another takes tokens after any number of others, also none: it is the second
// graph, which needs nothing but a cache of length 0 to begin. The attention of the heads that follow the speech is one
// more output, from which the times of words are computed.

/**
 * The heads (layer:head) whose attention follows the speech, by number of layers: of base, and of tiny. Found by
 * comparing the times of each head with speech of known times.
 */
const HEADS: Readonly<Record<number, readonly [number, number][]>> = {
  8: [
    [4, 2],
    [5, 1],
    [5, 4],
    [5, 5],
    [6, 7],
  ],
  6: [
    [2, 0],
    [3, 0],
    [4, 5],
    [4, 7],
    [5, 3],
    [5, 6],
  ],
};

/** The cache of a layer: its inputs, and its outputs. */
const PAST = /^past_key_values\.(\d+)\.decoder\.key$/;
const OF_AUDIO = /^present\.\d+\.encoder\.(key|value)$/;
const OF_TEXT = /^present\.\d+\.decoder\.(key|value)$/;

/** The parts of a decoder, and the shape of its caches: [texts, heads, tokens, values of a head]. */
export interface DividedDecoder {
  /** Computes the keys and values of the audio from the encoder's output. */
  sound: OnnxModel;
  /** Takes tokens. */
  step: OnnxModel;
  layers: number;
  heads: number;
  headSize: number;
}

const LOGITS = 'logits';
/** The input with the encoder's output: [1, frames, width]. */
const ENCODED = 'encoder_hidden_states';

/**
 * Exports take the number of texts from the tokens, through all layers before; it is also that of the audio, one.
 */
const countedInAudio = (node: GraphNode): GraphNode =>
  node.type === 'Shape' ? withInputs(node, [ENCODED]) : node;

/**
 * Returns a decoder that multiplies its states with the small integers of which its vocabulary consists, if it is one
 * that first makes 54 MB of fractions of them for each token.
 */
function withIntegerLogits(model: OnnxModel): OnnxModel {
  const { maker } = nodesOf(model);
  const product = maker(LOGITS);
  const fractions = maker(product?.inputs[1]);
  if (product?.type !== 'MatMul' || fractions?.type !== 'DequantizeLinear') return model;
  const [states = ''] = product.inputs;
  const [vocabulary = '', scale = '', zero = ''] = fractions.inputs;
  return {
    ...model,
    nodes: [
      ...model.nodes.filter((node) => node !== product),
      makeNode('DynamicQuantizeLinear', [states], ['states', 'states_scale', 'states_zero']),
      makeNode('MatMulInteger', ['states', vocabulary, 'states_zero', zero], 'logit_sums'),
      makeNode('Cast', ['logit_sums'], 'logit_floats', [integerAttribute('to', ELEMENT.float)]),
      makeNode('Mul', ['states_scale', scale], 'logit_scale'),
      makeNode('Mul', ['logit_floats', 'logit_scale'], LOGITS),
    ],
  };
}

/**
 * Divides a decoder.
 * @throws {Error} if this is not the merged decoder of a Moonshine model
 */
export function dividedDecoder(model: OnnxModel): DividedDecoder {
  const choice = model.nodes.find(({ type }) => type === 'If');
  const begins = choice && modelWithin(model, choice, 'else_branch');
  const continues = choice && modelWithin(model, choice, 'then_branch');
  const caches = model.inputs.filter(({ name }) => PAST.test(name));
  const [, heads = 0, , headSize = 0] = caches[0] ? shapeOf(caches[0]).dims : [];
  const own = HEADS[caches.length];
  if (!begins || !continues || !own || heads === 0 || headSize === 0) {
    throw new Error('this file is not the decoder of a Moonshine model');
  }
  const outputsOf = ({ outputs }: OnnxModel, kind: RegExp) =>
    outputs.filter(({ name }) => kind.test(name)).map(({ name }) => makeValue(name, ELEMENT.float));
  const step = withHeads(
    { ...continues, outputs: [makeValue(LOGITS, ELEMENT.float), ...outputsOf(continues, OF_TEXT)] },
    own,
  );
  return {
    sound: onlyNeeded({
      ...begins,
      nodes: begins.nodes.map(countedInAudio),
      outputs: outputsOf(begins, OF_AUDIO),
    }),
    step: onlyNeeded(withIntegerLogits(step)),
    layers: caches.length,
    heads,
    headSize,
  };
}
