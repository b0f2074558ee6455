/** Reading a model without its weights: every large tensor keeps its place in the file. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, realpath, rm, symlink, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { modelWithoutWeights } from '../../../../server/whisper/graph/external-weights.ts';
import {
  bytesField,
  fieldsOf,
  joined,
  numberField,
  textField,
} from '../../../../server/whisper/graph/protobuf.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'captioner-weights-')));
afterAll(() => rm(folder, { recursive: true, force: true }));

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const node = bytesField(1, textField(1, 'x'), textField(4, 'MatMul'));
const tensor = (name: string, raw: Uint8Array): Uint8Array =>
  bytesField(
    5,
    numberField(1, raw.length),
    numberField(2, 3),
    bytesField(9, raw),
    textField(8, name),
  );
const bytes = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * seed) % 251);

/** The sizes cross the reader's blocks, and begin and end at odd places. */
const weights = { large: bytes(200_001, 7), shape: bytes(24, 5), second: bytes(5003, 11) };
const model = joined(
  numberField(1, 8),
  bytesField(
    7,
    node,
    tensor('large', weights.large),
    node,
    tensor('shape', weights.shape),
    tensor('second', weights.second),
    textField(2, 'graph'),
  ),
  textField(2, 'producer'),
);
const path = join(folder, 'model.onnx');
await Bun.write(path, model);

const graphOf = (whole: Uint8Array) => [
  ...fieldsOf([...fieldsOf(whole)].find(({ number }) => number === 7)!.bytes),
];

test('large tensors refer to the file, and everything else stays, in its order', async () => {
  const read = await modelWithoutWeights(path);
  expect(read.folder).toBe(folder);
  expect(read.model.length).toBeLessThan(1000);
  expect([...fieldsOf(read.model)].map(({ number }) => number)).toEqual([1, 7, 2]);
  expect(text([...fieldsOf(read.model)][2]!.bytes)).toBe('producer');
  expect(graphOf(read.model).map(({ number }) => number)).toEqual(
    graphOf(model).map(({ number }) => number),
  );
  for (const { number, bytes: content } of graphOf(read.model)) {
    if (number !== 5) continue;
    const fields = [...fieldsOf(content)];
    const name = text(fields.find((field) => field.number === 8)!.bytes) as keyof typeof weights;
    expect(fields.find((field) => field.number === 1)!.value).toBe(weights[name].length);
    const raw = fields.find((field) => field.number === 9);
    const place = Object.fromEntries(
      fields
        .filter((field) => field.number === 13)
        .map((field) => [...fieldsOf(field.bytes)].map((part) => text(part.bytes))),
    );
    if (name === 'shape') expect([raw?.bytes, place]).toEqual([weights.shape, {}]);
    else {
      const from = Number(place.offset);
      expect(place.location).toBe(basename(path));
      expect(model.subarray(from, from + Number(place.length))).toEqual(weights[name]);
      expect(raw).toBeUndefined();
      expect(fields.find((field) => field.number === 14)?.value).toBe(1);
    }
  }
});

test('a length of several hundred megabytes is read, without the bytes', async () => {
  /** The key and the length of a field, without its bytes. */
  const headOf = (number: number, length: number): Uint8Array => {
    const head = numberField(number, length);
    head[0]! |= 2;
    return head;
  };
  const size = 300_000_000;
  const raw = headOf(9, size);
  const initializer = headOf(5, raw.length + size);
  const inside = initializer.length + raw.length + size;
  const heads = joined(headOf(7, inside), initializer, raw);
  const large = join(folder, 'large.onnx');
  await Bun.write(large, heads);
  // The rest of the file takes no place on the disk.
  await truncate(large, heads.length + size);
  const [graph] = [...fieldsOf((await modelWithoutWeights(large)).model)];
  const [tensorFields] = [...fieldsOf(graph!.bytes)].map((field) => [...fieldsOf(field.bytes)]);
  const places = tensorFields!
    .filter(({ number }) => number === 13)
    .map((field) => [...fieldsOf(field.bytes)].map((part) => text(part.bytes)));
  expect(places).toContainEqual(['offset', String(heads.length)]);
  expect(places).toContainEqual(['length', String(size)]);
});

test('a symbolic link is followed, because onnxruntime does not leave the folder', async () => {
  const other = await mkdtemp(join(folder, 'links-'));
  const link = join(other, 'linked.onnx');
  await symlink(path, link);
  expect(await modelWithoutWeights(link)).toEqual(await modelWithoutWeights(path));
});

test.each([1, 3000])('a file that lacks its last %d bytes is not a model', async (missing) => {
  const short = join(folder, 'short.onnx');
  await Bun.write(short, model);
  await truncate(short, model.length - missing);
  await expect(modelWithoutWeights(short)).rejects.toThrow('not a Protocol Buffers message');
});

test.each([65_000, 70_000, 300_000])('a node of %d bytes stays as it is', async (length) => {
  const whole = bytesField(7, bytesField(1, bytes(length, 3)), node);
  const constant = join(folder, `constant-${length}.onnx`);
  await Bun.write(constant, whole);
  expect((await modelWithoutWeights(constant)).model).toEqual(whole);
});

test('a tensor stays as it is without raw bytes, or with few of them', async () => {
  const numbers = [30_000, 12_000].map((length) => bytesField(4, bytes(length, 7)));
  const whole = bytesField(
    7,
    bytesField(1, bytes(60_000, 3)),
    bytesField(5, textField(8, 'numbers'), ...numbers),
    tensor('shape'.repeat(1000), weights.shape),
    node,
  );
  const others = join(folder, 'others.onnx');
  await Bun.write(others, whole);
  expect((await modelWithoutWeights(others)).model).toEqual(whole);
});
