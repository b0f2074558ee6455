/** Recordings of any length: MP3 frames may simply be joined. */
import { readFile } from 'node:fs/promises';
import { sample as samplePath } from '../test/support/sample.ts';

const sample = await readFile(samplePath);
/** A little less than it has. */
const SAMPLE_SECONDS = 35;

/** In bytes. */
export const MEBIBYTE = 1024 * 1024;

const repeated = (bytes: Uint8Array, times: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(Array.from({ length: Math.ceil(times) }, () => bytes)));

/** The sample in any encoding, so often that it lasts for so many seconds. */
export const repeatedFor = (bytes: Uint8Array, seconds: number): Uint8Array<ArrayBuffer> =>
  repeated(bytes, seconds / SAMPLE_SECONDS);

/** A recording of about so many seconds. */
export const recordingOfSeconds = (seconds: number): Uint8Array<ArrayBuffer> =>
  repeatedFor(sample, seconds);

/** A recording of so many bytes. */
export const recordingOfBytes = (bytes: number): Uint8Array<ArrayBuffer> =>
  repeated(sample, bytes / sample.length).subarray(0, bytes);
