/** Recordings that need no browser to decode, and the errors of unreadable ones. */
import { expect } from 'bun:test';
import {
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  BufferTarget,
  Output,
  WebMOutputFormat,
} from 'mediabunny';
import { wavFile } from '../../../server/speech/host/wav.ts';
import { ConversionError } from '../../../web/media/conversion-error.ts';

/** Samples a second. */
export const RATE = 16_000;

export const fileOf = (bytes: Uint8Array, name = 'talk.wav') =>
  new File([new Uint8Array(bytes)], name);

/** Silence for a second, then a loud tone. */
const toneAfter = (seconds: number, rate = RATE): Float32Array =>
  Float32Array.from({ length: seconds * rate }, (_, at) =>
    at < rate ? 0 : Math.sin((at / rate) * 2 * Math.PI * 440),
  );

export const talk = (seconds: number) => fileOf(wavFile(toneAfter(seconds), RATE));

/** A WebM file of packets that nothing can decode. */
export async function webm({
  sound,
  picture,
}: {
  sound?: boolean;
  picture?: boolean;
}): Promise<File> {
  const target = new BufferTarget();
  const output = new Output({ format: new WebMOutputFormat(), target });
  const audio = new EncodedAudioPacketSource('opus');
  const video = new EncodedVideoPacketSource('vp8');
  if (sound) output.addAudioTrack(audio);
  if (picture) output.addVideoTrack(video);
  await output.start();
  const packet = new EncodedPacket(new Uint8Array(8), 'key', 0, 1);
  const head = { codec: 'opus', numberOfChannels: 1, sampleRate: 48_000 };
  if (sound) await audio.add(packet, { decoderConfig: head });
  const size = { codec: 'vp8', codedWidth: 32, codedHeight: 18 };
  if (picture) await video.add(packet, { decoderConfig: size });
  await output.finalize();
  return new File([target.buffer!], 'talk.webm');
}

/** The error of a conversion or reading. */
export const failure = async (work: Promise<unknown>): Promise<ConversionError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConversionError);
  return error as ConversionError;
};
