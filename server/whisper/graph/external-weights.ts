/**
 * Reads an ONNX model without its weights, which stay in the file: onnxruntime then maps the file into memory, so that
 * recognisers share its pages, only pages in use are in memory (a few rows of the token embedding), and nothing is
 * copied while loading.
 */
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ENTRY, EXTERNAL, GRAPH, MODEL, TENSOR } from './onnx-fields.ts';
import { bytesField, fieldHeadAt, joinedBytes, numberField, textField, WIRE } from './protobuf.ts';

/** The size in bytes from which a tensor stays in the file. Smaller ones may be shapes, which the graph needs itself. */
const LARGE = 4096;
/** The most bytes of a key and a length. */
const MAX_HEAD = 20;
/** The bytes that are read at once. */
const BLOCK = 65_536;

/** A model without its weights. */
interface ExternalWeights {
  model: Uint8Array;
  /** The folder of the file with the weights, without symbolic links, since onnxruntime refuses to leave the folder. */
  folder: string;
}

/**
 * Reads a model; its large tensors refer to their places in the file, by its name without its folder.
 * @throws {Error} if the file cannot be read or is not a Protocol Buffers message
 */
export async function modelWithoutWeights(link: string): Promise<ExternalWeights> {
  const path = await realpath(link);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = reader(file);
    const location = basename(path);
    const model = joinedBytes(
      ...(await copied(read, 0, size, async (number, from, to) => {
        if (number !== MODEL.graph) return null;
        const graph = await copied(read, from, to, async (inGraph, start, end) =>
          inGraph === GRAPH.tensor ? tensor(read, start, end, location) : null,
        );
        return [bytesField(number, ...graph)];
      })),
    );
    return { model, folder: dirname(path) };
  } finally {
    await file.close();
  }
}

type Read = (from: number, to: number) => Promise<Uint8Array>;

/** Reads ranges of a file; small ones that follow one another cost one system call for each block. */
function reader(file: FileHandle): Read {
  let block: Uint8Array = new Uint8Array();
  let at = 0;
  const load = async (from: number, length: number) => {
    const buffer = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(buffer, done, length - done, from + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return buffer.subarray(0, done);
  };
  return async (from, to) => {
    if (to - from > BLOCK) return load(from, to - from);
    if (from < at || to > at + block.length) [block, at] = [await load(from, BLOCK), from];
    return block.slice(from - at, to - at);
  };
}

/**
 * The fields of a message in a range of the file. `change` receives the range of a field's bytes, and returns a
 * replacement for the field, or null to keep it.
 */
async function copied(
  read: Read,
  start: number,
  end: number,
  change: (number: number, from: number, to: number) => Promise<Uint8Array[] | null>,
): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (let at = start; at < end;) {
    const { number, wire, head, length } = fieldHeadAt(
      await read(at, Math.min(end, at + MAX_HEAD)),
    );
    const from = at + head;
    const to = from + length;
    if (to > end) throw new Error('not a Protocol Buffers message');
    const changed = wire === WIRE.bytes ? await change(number, from, to) : null;
    if (changed) parts.push(...changed);
    else parts.push(await read(at, to));
    at = to;
  }
  return parts;
}

/** A tensor without its bytes if it is large; null if it stays unchanged. */
async function tensor(
  read: Read,
  start: number,
  end: number,
  location: string,
): Promise<Uint8Array[] | null> {
  if (end - start < LARGE) return null;
  const place: { key: string; value: string }[] = [];
  const kept = await copied(read, start, end, async (number, from, to) => {
    if (number !== TENSOR.raw || to - from < LARGE) return null;
    place.push(
      { key: 'location', value: location },
      { key: 'offset', value: String(from) },
      { key: 'length', value: String(to - from) },
    );
    return [];
  });
  if (place.length === 0) return null;
  return [
    bytesField(
      GRAPH.tensor,
      ...kept,
      ...place.map(({ key, value }) =>
        bytesField(TENSOR.external, textField(ENTRY.key, key), textField(ENTRY.value, value)),
      ),
      numberField(TENSOR.location, EXTERNAL),
    ),
  ];
}
