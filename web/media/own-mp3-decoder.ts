/**
 * Decodes MP3 where the browser cannot: Safari before 26 has no decoder for it, and WebKitGTK has one that fails. The
 * decoder is the one that the service uses, loaded when it is first needed.
 */
import { AudioSample, CustomAudioDecoder, registerDecoder, type EncodedPacket } from 'mediabunny';
import type { Channel, FrameDecoder } from '../../server/mp3/decoder.ts';
import { parseFrameHeader } from '../../server/mp3/header.ts';

/** Decodes all MP3 with the service's decoder instead of the browser's. */
export const decodeMp3Ourselves = (): void => registerDecoder(Mp3Decoder);

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
