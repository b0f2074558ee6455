/** Makes the MP3 that this service transcribes from a recording in another format, with packages alone. */
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  ALL_FORMATS,
  AudioSample,
  BlobSource,
  BufferTarget,
  Conversion,
  CustomAudioDecoder,
  type EncodedPacket,
  Input,
  type InputAudioTrack,
  Mp3OutputFormat,
  Output,
  registerDecoder,
} from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { SPEECH_MP3 } from '../contract/audio.ts';
import { markEncoderDelay } from '../mp3/header.ts';
import { Mp3Sniffer } from '../mp3/sniff.ts';
import { once } from '../base/concurrency.ts';
import { ConversionFailure, isPlausible } from './conversion-failure.ts';
import { UPLOAD } from '../contract/limits.ts';

const prepare = once(async () => {
  registerMp3Encoder();
  registerDecoder(OpusPackets);
});

/**
 * Converts the first sound track of a file to a mono MP3 at 16 kHz; sound that is MP3 already is copied. Reads the
 * containers that mediabunny knows, with Opus and uncompressed sound.
 * @param to the path of the MP3, which must not exist
 * @param bitrate of the MP3, such as `32k`
 * @param seconds the most seconds of sound; before it is decoded, it is held against what the file says of its length
 * @param progressed is told the seconds of sound that are decoded, packet by packet
 * @throws {ConversionFailure}
 */
export async function convertToMp3(
  from: string,
  to: string,
  bitrate: string = SPEECH_MP3.bitrate,
  seconds = Infinity,
  progressed: (seconds: number) => void = () => {},
): Promise<void> {
  const bitsPerSecond = 1000 * Number.parseInt(bitrate);
  const longest = Math.min(seconds, (UPLOAD.maxBytes * 8) / bitsPerSecond);
  await prepare();
  const target = new BufferTarget();
  let heard = 0;
  const process = (sample: AudioSample): AudioSample => {
    heard = Math.max(heard, sample.timestamp + sample.duration);
    if (heard > longest) throw new ConversionFailure('too_long');
    progressed(heard);
    return sample;
  };
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(await openAsBlob(from)) });
  const track = await trackOf(input);
  await mustBeDecodable(track, longest);
  const isMp3 = (await track.getCodec()) === 'mp3';
  const { sampleRateHz: sampleRate } = SPEECH_MP3;
  const speech = {
    codec: 'mp3',
    numberOfChannels: 1,
    sampleRate,
    bitrate: bitsPerSecond,
  } as const;
  try {
    const conversion = await Conversion.init({
      input,
      output: new Output({ format: new Mp3OutputFormat(), target }),
      tracks: 'all',
      video: { discard: true },
      audio: ({ id }) => {
        if (id !== track.id) return { discard: true };
        return isMp3 ? { codec: 'mp3' } : { ...speech, process };
      },
      // Titles, locations and cover pictures are private.
      tags: {},
      showWarnings: false,
    });
    if (!conversion.isValid) throw new ConversionFailure('unknown_format');
    await conversion.execute();
  } catch (error) {
    throw error instanceof ConversionFailure
      ? error
      : new ConversionFailure('unknown_format', { cause: error });
  }
  // What some containers call MP3 is an older layer of MPEG audio.
  if (!target.buffer || !isMp3Sound(new Uint8Array(target.buffer))) {
    throw new ConversionFailure('unknown_format');
  }
  if (!isMp3) markEncoderDelay(target.buffer, Math.round(heard * sampleRate));
  await writeFile(to, new Uint8Array(target.buffer), { flag: 'wx', mode: 0o600 });
}

function isMp3Sound(bytes: Uint8Array): boolean {
  const sniffer = new Mp3Sniffer();
  const verdict = sniffer.push(bytes);
  return (verdict === 'unknown' ? sniffer.end() : verdict) === 'mp3';
}

/** Refuses a track by what its file says of it, before anything is decoded. @throws {ConversionFailure} */
async function mustBeDecodable(track: InputAudioTrack, longest: number): Promise<void> {
  const found = await Promise.all([
    track.getSampleRate(),
    track.getNumberOfChannels(),
    track.computeDuration(),
  ]).catch((error: unknown) => {
    throw new ConversionFailure('unknown_format', { cause: error });
  });
  const [rate, channels, duration] = found;
  if (!isPlausible(rate, channels)) throw new ConversionFailure('implausible');
  if (duration > longest) throw new ConversionFailure('too_long');
}

/** The first sound track. @throws {ConversionFailure} */
async function trackOf(input: Input) {
  const found = await Promise.all([input.getPrimaryAudioTrack(), input.getVideoTracks()]).catch(
    (error: unknown) => {
      throw new ConversionFailure('unknown_format', { cause: error });
    },
  );
  const [track, pictures] = found;
  if (track) return track;
  throw new ConversionFailure(pictures.length > 0 ? 'no_audio' : 'unknown_format');
}

/** The rate at which Opus is decoded. */
const RATE = 48_000;
/** The length of the head of a stream (RFC 7845, 5.1) before its channel mapping. */
const HEAD_BYTES = 19;

/** A decoder for the packets of one sound track. */
class OpusPackets extends CustomAudioDecoder {
  private decoder: OpusDecoder | null = null;

  static override supports(codec: string): boolean {
    return codec === 'opus';
  }

  /** Starts the decoder with the channels that the head of the stream describes. */
  async init(): Promise<void> {
    const { numberOfChannels: channels, description } = this.config;
    this.decoder = new OpusDecoder({ channels, ...mappingOf(description, channels) });
    await this.decoder.ready;
  }

  /** Decodes a packet; one that is damaged is left out. */
  decode({ data, timestamp }: EncodedPacket): void {
    const { channelData, samplesDecoded } = this.decoder!.decodeFrame(data);
    if (samplesDecoded === 0) return;
    const numberOfChannels = channelData.length;
    const samples = new Float32Array(numberOfChannels * samplesDecoded);
    for (const [number, channel] of channelData.entries()) {
      samples.set(channel.subarray(0, samplesDecoded), number * samplesDecoded);
    }
    const shape = { format: 'f32-planar', numberOfChannels, sampleRate: RATE, timestamp } as const;
    this.onSample(new AudioSample({ data: samples, ...shape }));
  }

  /** Does nothing: every packet is decoded at once. */
  flush(): void {}

  /** Frees the decoder. */
  close(): void {
    this.decoder?.free();
    this.decoder = null;
  }
}

/** How the channels are spread over the streams in a packet; needed for more than two. */
function mappingOf(description: AllowSharedBufferSource | undefined, channels: number) {
  if (!description || channels <= 2) return {};
  const head = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
  if (head.length < HEAD_BYTES + 2 + channels || head[HEAD_BYTES - 1] === 0) return {};
  const [streamCount, coupledStreamCount] = [head[HEAD_BYTES]!, head[HEAD_BYTES + 1]!];
  const channelMappingTable = [...head.subarray(HEAD_BYTES + 2, HEAD_BYTES + 2 + channels)];
  return { streamCount, coupledStreamCount, channelMappingTable };
}
