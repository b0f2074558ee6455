/** Recordings that need no browser to decode, and the errors of unreadable ones. */
import { expect } from 'bun:test';
import { wavFile } from '../../../server/speech/host/pocketsphinx.ts';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import {
  type AudioCodec,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  type MetadataTags,
  Output,
  type OutputFormat,
  WebMOutputFormat,
} from 'mediabunny';

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

/** A sound track, and its packets by the time at which they begin, in seconds. */
export interface Sound {
  codec: AudioCodec;
  packets: readonly (readonly [time: number, bytes: Uint8Array])[];
  channels?: number;
  /** The beginning of the codec's own file format, where its container needs it. */
  description?: Uint8Array;
  isDefault?: boolean;
}

/** A tone as it is stored without compression. */
export const tone = (seconds: number): Uint8Array =>
  new Uint8Array(
    Int16Array.from(toneAfter(seconds + 1).subarray(RATE), (value) => value * 32_767).buffer,
  );

/** A file with these sound tracks, in a container. */
export async function fileWith(
  format: OutputFormat,
  sounds: readonly Sound[],
  tags: MetadataTags = {},
): Promise<File> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const sources = sounds.map(({ codec, isDefault = true }) => {
    const source = new EncodedAudioPacketSource(codec);
    output.addAudioTrack(source, { disposition: { default: isDefault } });
    return source;
  });
  output.setMetadataTags(tags);
  await output.start();
  for (const [at, { codec, packets, channels = 1, description }] of sounds.entries()) {
    const decoderConfig = { codec, numberOfChannels: channels, sampleRate: RATE };
    for (const [time, bytes] of packets) {
      const packet = new EncodedPacket(bytes, 'key', time, bytes.length / 2 / channels / RATE);
      await sources[at]!.add(packet, {
        decoderConfig: { ...decoderConfig, ...(description ? { description } : {}) },
      });
    }
  }
  await output.finalize();
  return new File([target.buffer!], 'talk');
}

/** A Matroska file that says it is as long as this, in seconds. */
export async function stating(seconds: number, file: Blob): Promise<File> {
  const bytes = Buffer.from(await file.arrayBuffer());
  bytes.writeDoubleBE(seconds * 1000, bytes.indexOf(Buffer.of(0x44, 0x89, 0x88)) + 3);
  return fileOf(bytes);
}

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
