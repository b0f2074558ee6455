/**
 * A translation model for the real engine, small enough to be made when a test needs it: a transformer in the format of
 * Marian whose weights are not trained but chosen, so that it translates word by word. Its decoder attends to the source
 * at its own position, which the position embeddings tell, and its output matrix is the dictionary.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A matrix of zeros, apart from what `fill` sets. */
function matrix(rows: number, columns: number, fill?: (set: Setter) => void) {
  const values = new Float32Array(rows * columns);
  fill?.((row, column, value) => (values[row * columns + column] = value));
  return { shape: [rows, columns], values };
}
type Setter = (row: number, column: number, value: number) => void;

/** The size of the model, and how many of its dimensions tell the position, as a sine and a cosine each. */
const SIZE = 128;
const FREQUENCIES = 24;
const HALF = SIZE / 2;
const FEED_FORWARD = 64;

const DIMENSIONS = Array.from({ length: SIZE }, (_, at) => at);
const POSITION_DIMENSIONS = DIMENSIONS.filter((at) => at % HALF < FREQUENCIES);
/** The dimensions that stand for words. */
const WORD_DIMENSIONS = DIMENSIONS.filter((at) => at % HALF >= FREQUENCIES);
/** A multiple of this is what the engine can divide into vectors. */
const LANES = 8;

/** A model that translates the words of a dictionary, and leaves its own translations as they are. */
function tinyModel(dictionary: Readonly<Record<string, string>>) {
  const words = [...new Set([...Object.keys(dictionary), ...Object.values(dictionary)])];
  while ((words.length + 2) % LANES > 0) words.push(`unused${words.length}`);
  const size = words.length + 2;
  if (size > WORD_DIMENSIONS.length) throw new Error('the dictionary has too many words');
  /** The number of a piece: the end of a sentence, an unknown word, then the words. */
  const translated = (piece: number): number => {
    const target = dictionary[words[piece - 2] ?? ''];
    return target === undefined ? piece : words.indexOf(target) + 2;
  };
  const dimension = (piece: number) => WORD_DIMENSIONS[piece]!;
  const pieces = Array.from({ length: size }, (_, at) => at);

  const items: [name: string, made: ReturnType<typeof matrix>][] = [
    ['Wemb', matrix(size, SIZE, (set) => pieces.forEach((at) => set(at, dimension(at), 1)))],
  ];
  const layer = (name: string, rows: number, columns: number, fill?: (set: Setter) => void) =>
    items.push([name, matrix(rows, columns, fill)]);
  const attention = (prefix: string, isLive: boolean): void => {
    const position = (scale: number) => (set: Setter) => {
      for (const at of isLive ? POSITION_DIMENSIONS : []) set(at, at, scale);
    };
    const word = (scale: number, target: (piece: number) => number) => (set: Setter) => {
      if (isLive) for (const at of pieces) set(dimension(at), dimension(target(at)), scale);
    };
    const fills = {
      q: position(6),
      k: position(Math.sqrt(SIZE) / 4),
      v: word(1, (piece) => piece),
      o: word(10, translated),
    };
    for (const [part, fill] of Object.entries(fills)) {
      layer(`${prefix}_W${part}`, SIZE, SIZE, fill);
      layer(`${prefix}_b${part}`, 1, SIZE);
    }
  };
  const feedForward = (prefix: string): void => {
    layer(`${prefix}_W1`, SIZE, FEED_FORWARD);
    layer(`${prefix}_b1`, 1, FEED_FORWARD);
    layer(`${prefix}_W2`, FEED_FORWARD, SIZE);
    layer(`${prefix}_b2`, 1, SIZE);
  };
  attention('encoder_l1_self', false);
  feedForward('encoder_l1_ffn');
  attention('decoder_l1_self', false);
  attention('decoder_l1_context', true);
  feedForward('decoder_l1_ffn');
  layer('decoder_ff_logit_out_b', 1, size);
  return { model: marian(items, settings(size)), vocabulary: vocabularyOf(words) };
}

const settings = (words: number) => `version: v1.9.0
type: transformer
dim-vocabs: [${words}, ${words}]
dim-emb: ${SIZE}
enc-type: bidirectional
enc-depth: 1
dec-depth: 1
skip: false
layer-normalization: false
input-types: []
lemma-dim-emb: 0
output-omit-bias: false
tied-embeddings: false
tied-embeddings-src: false
tied-embeddings-all: true
bert-train-type-embeddings: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: self-attention
transformer-decoder-dim-ffn: 0
transformer-decoder-ffn-depth: 0
transformer-depth-scaling: false
transformer-dim-aan: 2048
transformer-dim-ffn: ${FEED_FORWARD}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: 1
transformer-no-affine: false
transformer-no-bias: false
transformer-no-projection: false
transformer-pool: false
transformer-preprocess: ""
transformer-postprocess: da
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-tied-layers: []
transformer-train-position-embeddings: false
ulr: false
ulr-dim-emb: 0
`;

/** The alignment of data in a model file, and the numbers of its types. */
const ALIGNMENT = 256;
const TYPES = { int8: 0x101, float32: 0x404 };

/** A model in the binary format of Marian: headers, names, shapes, and then the aligned data. */
function marian(items: readonly [string, ReturnType<typeof matrix>][], config: string): Uint8Array {
  const text = bytesOf(`${config}\0`);
  const all = [
    ...items.map(([name, { shape, values }]) => ({
      name,
      type: TYPES.float32,
      shape,
      data: new Uint8Array(values.buffer),
    })),
    { name: 'special:model.yml', type: TYPES.int8, shape: [1, text.length], data: text },
  ].map((item) => ({ ...item, named: bytesOf(`${item.name}\0`) }));
  const padded = (length: number) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;
  const numbers = (...values: number[]) => new BigUint64Array(values.map(BigInt));
  const head = [
    numbers(1, all.length),
    ...all.map(({ named, type, shape, data }) =>
      numbers(named.length, type, shape.length, padded(data.length)),
    ),
    ...all.map(({ named }) => named),
    ...all.map(({ shape }) => new Int32Array(shape)),
  ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
  const before = head.reduce((sum, { length }) => sum + length, 8);
  const gap = padded(before) - before;
  const body = all.flatMap(({ data }) => [data, new Uint8Array(padded(data.length) - data.length)]);
  return Buffer.concat([
    ...head,
    new Uint8Array(numbers(gap).buffer),
    new Uint8Array(gap),
    ...body,
  ]);
}

/** A vocabulary of whole words in the format of SentencePiece, a protocol buffer. */
function vocabularyOf(words: readonly string[]): Uint8Array {
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
  const field = (number: number, bytes: Iterable<number>): number[] => {
    const all = [...bytes];
    return [...varint(number * 8 + 2), ...varint(all.length), ...all];
  };
  const integer = (number: number, value: number) => [...varint(number * 8), ...varint(value)];
  const float = (number: number, value: number) => [
    ...varint(number * 8 + 5),
    ...new Uint8Array(new Float32Array([value]).buffer),
  ];
  const piece = (text: string, score: number, kind: number) =>
    field(1, [...field(1, bytesOf(text)), ...float(2, score), ...integer(3, kind)]);
  const [NORMAL, UNKNOWN, CONTROL, UNIGRAM] = [1, 2, 3, 1];
  return Uint8Array.from([
    ...piece('</s>', 0, CONTROL),
    ...piece('<unk>', 0, UNKNOWN),
    ...words.flatMap((word) => piece(/^\p{P}/u.test(word) ? word : `▁${word}`, -1, NORMAL)),
    ...field(2, [
      ...integer(3, UNIGRAM),
      ...integer(4, words.length + 2),
      ...integer(40, 1),
      ...integer(42, 0),
    ]),
    ...field(3, [
      ...field(1, bytesOf('identity')),
      ...integer(3, 1),
      ...integer(4, 1),
      ...integer(5, 1),
    ]),
  ]);
}

/**
 * Writes such a model as an installed one. Its file name says that its factors are not stored, as in those of Firefox.
 * @param name such as `firefox-en-de`
 */
export async function writeTinyTranslation(
  modelsDir: string,
  name: string,
  dictionary: Readonly<Record<string, string>>,
): Promise<void> {
  const { model, vocabulary } = tinyModel(dictionary);
  const folder = join(modelsDir, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.tiny.bin'), model);
  await writeFile(join(folder, 'vocab.tiny.spm'), vocabulary);
}
