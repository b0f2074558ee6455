/** Recordings of any length: MP3 frames may simply be joined. */
import { readFile } from 'node:fs/promises';
import { sample as samplePath } from '../test/support/sample.ts';

const sample = await readFile(samplePath);
const SAMPLE_SECONDS = 35;

export const MEBIBYTE = 1024 * 1024;

/** The sample so often that it is at least so many bytes. */
const repeated = (bytes: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(Array.from({ length: Math.ceil(bytes / sample.length) }, () => sample)),
  );

/** A recording of about so many seconds. */
export const recordingOfSeconds = (seconds: number): Uint8Array<ArrayBuffer> =>
  repeated((seconds / SAMPLE_SECONDS) * sample.length);

/** A recording of so many bytes. */
export const recordingOfBytes = (bytes: number): Uint8Array<ArrayBuffer> =>
  repeated(bytes).subarray(0, bytes);
