/** Opens the sound of a media file. */
import {
  ADTS,
  AudioSample,
  BlobSource,
  CustomAudioDecoder,
  type EncodedPacket,
  FLAC,
  Input,
  type InputAudioTrack,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  registerDecoder,
  WAVE,
  WEBM,
} from 'mediabunny';
import type { Channel, FrameDecoder } from '../../server/mp3/decoder.ts';
import { parseFrameHeader, parseInfoFrame } from '../../server/mp3/header.ts';
import { ConversionError } from './conversion-error.ts';
import { TAG_HEADER_BYTES, tagLength } from '../../server/mp3/scanner.ts';
import { readBytes } from './mp3.ts';

const FORMATS = [MP4, QTFF, WEBM, MATROSKA, WAVE, MP3, OGG, FLAC, ADTS];

/** The sound of an open file. */
export interface AudioTrack {
  input: Input;
  track: InputAudioTrack;
  /**
   * The track time at which a player starts, in seconds: 0 except for an MP3 that states its delay.
   */
  startSeconds: number;
  /** The end of the sound, in seconds from that start, as far as the file knows. */
  durationSeconds: number;
}

/** Whether MP3 is decoded by the page itself, because the browser failed to. */
let ownMp3Decoder = false;

/**
 * Opens a file, passes its sound to `work` and closes it in any case; if this browser cannot decode
 * the MP3 in it, the page does, and `work` starts again. When aborted, `work` must end by itself:
 * closing a file that is being read leaves the reader waiting. Throws the signal's reason, or a
 * ConversionError for every other failure.
 */
export async function withAudioTrack<T>(
  file: Blob,
  signal: AbortSignal,
  work: (audio: AudioTrack) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const input = new Input({ formats: FORMATS, source: new BlobSource(file) });
  try {
    const audio = await open(input, file);
    signal.throwIfAborted();
    const result = await work(audio);
    signal.throwIfAborted();
    return result;
  } catch (error) {
    signal.throwIfAborted();
    if (ownMp3Decoder || !(await isMp3(input))) throw toConversionError(error);
  } finally {
    input.dispose();
  }
  ownMp3Decoder = true;
  decodeMp3Ourselves();
  return withAudioTrack(file, signal, work);
}

/** Whether the sound of a file is MP3. */
async function isMp3(input: Input): Promise<boolean> {
  try {
    return (await (await input.getPrimaryAudioTrack())?.getCodec()) === 'mp3';
  } catch {
    return false;
  }
}

/**
 * The track that a player would play or, if this browser cannot decode it, the next that it can.
 */
async function open(input: Input, file: Blob): Promise<AudioTrack> {
  const [primary, pictures] = await readable(async () => {
    return [await input.getPrimaryAudioTrack(), await input.getVideoTracks()] as const;
  });
  if (!primary && pictures.length > 0) {
    throw new ConversionError('no_audio', 'The video has no sound.');
  }
  if (!primary) throw new ConversionError('unreadable', 'No sound was found in the file.');
  const track = await input.getPrimaryAudioTrack({ filter: (each) => each.canDecode() });
  if (!track) {
    const codec = (await primary.getCodec()) ?? String(await primary.getInternalCodecId());
    throw new ConversionError('codec_unsupported', `Cannot decode ${codec}.`, { codec });
  }
  return readable(async () => {
    const startSeconds = (await input.getFormat()) === MP3 ? await readEncoderDelay(file) : 0;
    const end = (await track.getDurationFromMetadata()) ?? (await track.computeDuration());
    return { input, track, startSeconds, durationSeconds: Math.max(0, end - startSeconds) };
  });
}

/** Reports any failure to open a file as an unreadable file. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new ConversionError('unreadable', 'The file cannot be read as audio or video.', {
      cause: error,
    });
  }
}

function toConversionError(error: unknown): ConversionError {
  if (error instanceof ConversionError) return error;
  // The file was moved, changed or deleted since it was chosen.
  const gone =
    error instanceof DOMException &&
    (error.name === 'NotReadableError' || error.name === 'NotFoundError');
  if (gone) {
    return new ConversionError('unreadable', 'The file is no longer there.', { cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ConversionError('failed', message, { cause: error });
}

/** Decodes all MP3 with the service's decoder instead of the browser's. */
const decodeMp3Ourselves = (): void => registerDecoder(Mp3Decoder);

class Mp3Decoder extends CustomAudioDecoder {
  private frames: FrameDecoder | null = null;
  private samplesPerFrame = 0;
  private channels: Channel[] = [];

  static override supports(codec: string): boolean {
    return codec === 'mp3';
  }

  init(): void {
    this.channels = this.config.numberOfChannels === 1 ? ['both'] : ['left', 'right'];
  }

  async decode({ data, timestamp }: EncodedPacket): Promise<void> {
    const header = parseFrameHeader(data, 0);
    if (!header) return;
    const { samplesPerFrame, sampleRate } = header;
    if (this.samplesPerFrame !== samplesPerFrame) {
      const { createFrameDecoder } = await import('./frame-decoder.ts');
      this.frames?.free();
      this.frames = await createFrameDecoder(header, this.channels);
      this.samplesPerFrame = samplesPerFrame;
    }
    const numberOfChannels = this.channels.length;
    const samples = new Float32Array(numberOfChannels * samplesPerFrame);
    const tracks = this.channels.map((_, channel) =>
      samples.subarray(channel * samplesPerFrame, (channel + 1) * samplesPerFrame),
    );
    await this.frames?.decode([data], tracks);
    const format = 'f32-planar';
    this.onSample(
      new AudioSample({ data: samples, format, numberOfChannels, sampleRate, timestamp }),
    );
  }

  flush(): void {}

  close(): void {
    this.frames?.free();
    this.frames = null;
  }
}

/** Samples that every decoder adds to the encoder's delay. */
const DECODER_DELAY = 529;
/** Longer than any information frame. */
const FRAME_BYTES = 1500;

/**
 * The delay of an MP3's sound when every frame is decoded, in seconds; 0 if the file does not say.
 */
async function readEncoderDelay(mp3: Blob): Promise<number> {
  const bytes = await readBytes(mp3, await afterTags(mp3), FRAME_BYTES);
  const header = parseFrameHeader(bytes, 0);
  const delay = header && parseInfoFrame(header, bytes)?.encoderDelay;
  return delay == null || !header ? 0 : (delay + DECODER_DELAY) / header.sampleRate;
}

/** The offset after the tags at the start of a file; past its end if a tag's size is wrong. */
async function afterTags(file: Blob): Promise<number> {
  let offset = 0;
  while (offset < file.size) {
    const length = tagLength(await readBytes(file, offset, TAG_HEADER_BYTES), 0);
    if (length === 0) break;
    offset += length;
  }
  return offset;
}
