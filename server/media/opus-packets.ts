/** Decodes Opus for mediabunny, where the runtime does not. */
import { AudioSample, CustomAudioDecoder, type EncodedPacket } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';

/** The rate at which Opus is decoded. */
const RATE = 48_000;
/** The length of the head of a stream (RFC 7845, 5.1) before its channel mapping. */
const HEAD_BYTES = 19;

/** A decoder for the packets of one sound track. */
export class OpusPackets extends CustomAudioDecoder {
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
