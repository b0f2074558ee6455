/**
 * The messages between the service and a recogniser process over standard input and output: a header of two lengths (32
 * bit, little-endian), a JSON part, and raw bytes. Samples are sent as raw bytes, because a window of 1.9 MB would be
 * many times larger as JSON.
 */
import type { ModelFiles } from '../../models/installed.ts';
import type { RecognitionKind } from '../../models/registry.ts';

/** The two models that distinguish speakers. */
interface SpeakersModel {
  kind: 'speakers';
  files: { segmentation: string; embedding: string };
}

/** The model that a recogniser process loads. */
export type EngineModel = (
  | Extract<ModelFiles, { kind: RecognitionKind }>
  | { kind: 'vad'; files: { model: string } }
  | SpeakersModel
) & {
  /** The path of the main file of onnxruntime-node, which runs Whisper and Moonshine. */
  runtime?: string;
};

/**
 * The service's knowledge about the speech in a window. A request is this with its model; its samples (16 kHz mono,
 * float32) follow as raw bytes.
 */
export interface EngineHints {
  /** The ISO 639 tag of the expected language; null to detect it. Only Whisper uses it. */
  language?: string | null;
  /** Key terms to look for. Only transducers, Whisper and Moonshine use them. */
  terms?: readonly string[];
  /** The pronunciations of some of the terms. Only Whisper and Moonshine use them. */
  pronunciations?: Readonly<Record<string, string>>;
  /** The words that often occur near some of the terms. Only Whisper and Moonshine use them. */
  near?: Readonly<Record<string, readonly string[]>>;
}

/** A stretch of speech, in seconds from the first sample. */
export interface SpeechSegment {
  start: number;
  end: number;
}

/** The output of a recogniser: parts of words with the seconds at which each begins. */
export interface Recognition {
  tokens: string[];
  timestamps: number[];
  /**
   * The natural log probability of each part, if the model's decoder provides it: transducers do, CTC models do not.
   */
  logProbabilities?: number[];
}

/** The words of a recogniser that also returns their times and confidences. Times are seconds from the first sample. */
export interface RecognizedWords {
  words: { text: string; start: number; end: number; confidence: number }[];
  /** The language and its probability (1 if the language was given). */
  language: string;
  languageProbability: number;
  /** The language by the sound, whichever was given; absent if the model cannot tell languages apart. */
  identified?: { language: string; probability: number };
  /** The number of words dropped as hallucinations. */
  dropped: number;
  /** The words of a second search with key terms, if any term sounds like the words. */
  biased?: RecognizedWords['words'];
  /**
   * The words with terms in place of some of them, where the decoder finds the terms nearly as probable; absent if
   * there are none.
   */
  weighed?: RecognizedWords['words'];
  /** Set if the second search or the weighing of terms failed. */
  biasedFailed?: boolean;
}

/** A stretch in which one voice speaks. Voices are numbered from 0. */
export interface VoiceTurn extends SpeechSegment {
  voice: number;
}

/** The voices in some audio: their turns, and a voiceprint of each, or null if it spoke too briefly. */
export interface DetectedVoices {
  turns: VoiceTurn[];
  /** Vectors of length 1; those of the same speaker point in similar directions. */
  prints: (number[] | null)[];
}

/** An answer. `loaded` distinguishes a model that crashes the process while loading from one that does so later. */
export type EngineAnswer =
  | { type: 'loaded' }
  | { type: 'segments'; segments: SpeechSegment[] }
  | { type: 'recognition'; recognition: Recognition }
  | { type: 'words'; heard: RecognizedWords }
  | { type: 'voices'; heard: DetectedVoices }
  | { type: 'error'; message: string };

const HEADER_BYTES = 8;
/** The longest message; anything longer is invalid. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Encodes a message as bytes. */
export function encodeMessage(
  json: unknown,
  body: Uint8Array | Float32Array = new Uint8Array(),
): Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  view.setUint32(0, text.byteLength, true);
  view.setUint32(4, body.byteLength, true);
  return [header, text, new Uint8Array(body.buffer, body.byteOffset, body.byteLength)];
}

/** Collects bytes, and passes each whole message to `receive`. Throws for invalid bytes. */
export class MessageReader {
  private chunks: Uint8Array[] = [];
  private held = 0;
  private readonly receive: (json: unknown, body: Uint8Array) => void;

  constructor(receive: (json: unknown, body: Uint8Array) => void) {
    this.receive = receive;
  }

  push(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.held += chunk.byteLength;
    while (this.held >= HEADER_BYTES) {
      const header = this.peek(HEADER_BYTES);
      const view = new DataView(header.buffer, header.byteOffset);
      const text = view.getUint32(0, true);
      const body = view.getUint32(4, true);
      if (text + body > MAX_BYTES) throw new Error('these bytes are not a message');
      if (this.held < HEADER_BYTES + text + body) return;
      const whole = this.take(HEADER_BYTES + text + body);
      const json: unknown = JSON.parse(
        new TextDecoder().decode(whole.subarray(HEADER_BYTES, HEADER_BYTES + text)),
      );
      this.receive(json, whole.subarray(HEADER_BYTES + text));
    }
  }

  /** The next bytes, in one chunk. */
  private peek(length: number): Uint8Array {
    const [first] = this.chunks;
    if (first && first.byteLength >= length) return first;
    const whole = concat(this.chunks, this.held);
    this.chunks = [whole];
    return whole;
  }

  private take(length: number): Uint8Array {
    const first = this.peek(length);
    const [, ...others] = this.chunks;
    this.held -= length;
    this.chunks = [first.subarray(length), ...others].filter((chunk) => chunk.byteLength > 0);
    return first.subarray(0, length);
  }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
