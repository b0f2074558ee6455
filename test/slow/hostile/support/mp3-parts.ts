/** Parts for hostile recordings: real and artificial frames, and tags. */
import { readFileSync } from 'node:fs';
import { parseFrameHeader } from '../../../../server/mp3/header.ts';
import { ascii, fixture, join } from '../../../mp3/support.ts';
import { sample as samplePath } from '../../../support/sample.ts';

const sample = new Uint8Array(readFileSync(samplePath));

/** The frames of a recording as bytes, without tags. */
export function framesOf(bytes: Uint8Array): Uint8Array[] {
  const frames = [];
  for (let at = 0; at < bytes.length;) {
    const length = parseFrameHeader(bytes, at)?.length ?? null;
    if (length !== null) frames.push(bytes.slice(at, at + length));
    at += length ?? 1;
  }
  return frames;
}

/** The frames of the sample from a second on: mono, 16 kHz, 36 ms each. */
export const clip = (seconds: number, from = 2): Uint8Array =>
  join(...framesOf(sample).slice(from * 28, (from + seconds) * 28));

export const mono8k = fixture('mono-8k-no-info.mp3');
export const stereo48k = framesOf(fixture('chirp-stereo-48k.mp3'));
export const speech = fixture('mono-16k.mp3');

/** The files to damage: a small clip of each kind, for thousands of seeds. */
export const CLIPS: readonly Uint8Array[] = [
  clip(0.5),
  speech.slice(0, 3000),
  mono8k.slice(0, 1500),
  fixture('chirp-mono-22k-id3.mp3').slice(0, 4000),
  fixture('chirp-stereo-44k-vbr.mp3').slice(0, 4000),
  join(...stereo48k.slice(0, 12)),
  fixture('free-format.mp3').slice(0, 3000),
];

/** A frame with this header and the length that the header gives. */
export function madeFrame(header: readonly number[], fill = 0): Uint8Array {
  const length = parseFrameHeader(new Uint8Array(header), 0)?.length ?? 144;
  const frame = new Uint8Array(Math.max(4, length)).fill(fill);
  frame.set(header);
  return frame;
}

/** An APE tag of 64 bytes with a false length. */
export const apeTag = (told: number): Uint8Array => {
  const tag = new Uint8Array(32 + 64);
  tag.set(ascii('APETAGEX'));
  new DataView(tag.buffer).setUint32(12, told, true);
  new DataView(tag.buffer).setUint32(20, 0xa000_0000, true);
  return tag;
};

export const id3v1 = join(ascii('TAG'), new Uint8Array(125));
