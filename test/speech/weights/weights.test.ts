/** Weights in the form of PyTorch: read without running anything, and written as the ONNX models of speakers. */
import { expect, test } from 'bun:test';
import { zipSync } from 'fflate';
import { embeddingModel } from '../../../server/speech/weights/embedding-model.ts';
import { segmentationModel } from '../../../server/speech/weights/segmentation-model.ts';
import { readTorchWeights } from '../../../server/speech/weights/torch-weights.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const named = (value: string): number[] => [0x58, value.length, 0, 0, 0, ...text(value)];
const called = (name: string): number[] => [0x63, ...text(`${name.replace(/\.(\w+)$/, '\n$1')}\n`)];
/** A tensor of two numbers, the second and the third of a storage. */
const TENSOR = [
  [called('torch._utils._rebuild_tensor_v2'), 0x28, 0x28, named('storage')],
  [called('torch.FloatStorage'), named('7'), named('cpu'), 0x4b, 3, 0x74, 0x51],
  [0x4b, 1, 0x4b, 2, 0x85, 0x4b, 1, 0x85, 0x89],
  [called('collections.OrderedDict'), 0x29, 0x52, 0x74, 0x52],
].flat(2);
const file = (pickle: readonly number[], numbers = [1, 2, 3]): Uint8Array =>
  zipSync({
    'archive/data.pkl': Uint8Array.from([0x80, 2, ...pickle, 0x2e]),
    'archive/data/7': new Uint8Array(Float32Array.from(numbers).buffer),
  });

test('tensors are read by name, also those of a checkpoint', () => {
  const dictionary = [0x7d, 0x28, ...named('w'), ...TENSOR, 0x75];
  const weights = new Map([['w', { shape: [2], values: Float32Array.of(2, 3) }]]);
  expect(readTorchWeights(file(dictionary))).toEqual(weights);
  const checkpoint = [0x7d, 0x28, ...named('state_dict'), ...dictionary, 0x75];
  expect(readTorchWeights(file(checkpoint))).toEqual(weights);
});

test('a file cannot have anything called: the call becomes a value without effect', () => {
  const command = [...called('os.system'), ...named('exit 1'), 0x85, 0x52];
  const dictionary = [0x7d, 0x28, ...named('evil'), ...command, ...named('w'), ...TENSOR, 0x75];
  expect([...readTorchWeights(file(dictionary)).keys()]).toEqual(['w']);
});

test.each([
  ['an instruction that weights do not need', file([0x69])],
  ['a storage that is too short', file([0x7d, 0x28, ...named('w'), ...TENSOR, 0x75], [1, 2])],
  ['an end within a name', zipSync({ 'a/data.pkl': Uint8Array.from([0x80, 2, 0x63, 0x61]) })],
  ['another archive', zipSync({ readme: text('no') })],
  ['no archive', text('no')],
])('%s is refused', (_, bytes) => {
  expect(() => readTorchWeights(bytes)).toThrow();
});

test('weights of another model are refused by name', () => {
  const other = file([0x7d, 0x28, ...named('w'), ...TENSOR, 0x75]);
  expect(() => segmentationModel(other)).toThrow('the weights lack');
  expect(() => embeddingModel(other)).toThrow('the weights lack');
});
