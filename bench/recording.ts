/** Makes recordings of any length: MP3 frames can simply be concatenated. */
import { readFile } from 'node:fs/promises';
import { sample as samplePath } from '../test/support/sample.ts';

const sample = await readFile(samplePath);
/** Slightly less than its real length. */
const SAMPLE_SECONDS = 35;

/** Bytes. */
export const MEBIBYTE = 1024 * 1024;

const repeated = (bytes: Uint8Array, times: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(Array.from({ length: Math.ceil(times) }, () => bytes)));

/** Repeats the sample, in any encoding, to last for a number of seconds. */
export const repeatedFor = (bytes: Uint8Array, seconds: number): Uint8Array<ArrayBuffer> =>
  repeated(bytes, seconds / SAMPLE_SECONDS);

/** A recording of about this many seconds. */
export const recordingOfSeconds = (seconds: number): Uint8Array<ArrayBuffer> =>
  repeatedFor(sample, seconds);

/** A recording of this many bytes. */
export const recordingOfBytes = (bytes: number): Uint8Array<ArrayBuffer> =>
  repeated(sample, bytes / sample.length).subarray(0, bytes);
