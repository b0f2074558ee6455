/**
 * Distinguishes the voices in samples: pyannote's segmentation finds who speaks when in windows of ten seconds, and
 * each piece of a turn gets a voiceprint, because within a window two voices may be taken for one.
 */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { groupVoices } from '../voices/group-voices.ts';
import type { DetectedVoices, EngineModel, SpeechSegment, VoiceTurn } from './engine-messages.ts';

interface Diarization {
  process(samples: Float32Array): { start: number; end: number; speaker: number }[];
}
interface Stream {
  acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
  inputFinished(): void;
}
interface Extractor {
  createStream(): Stream;
  isReady(stream: Stream): boolean;
  compute(stream: Stream, externalBuffer: boolean): Float32Array;
}

/** The classes of sherpa-onnx-node that distinguish voices. */
export interface VoiceLibrary {
  OfflineSpeakerDiarization: new (config: object) => Diarization;
  SpeakerEmbeddingExtractor: new (config: object) => Extractor;
}

/** The window of the segmentation, and the distance of two, in seconds; of each, only the middle counts. */
const WINDOW = 10;
const STEP = 5;
/** The longest piece of a turn that has a print of its own, in seconds. */
const PIECE = 3;
/** A shorter piece is heard with what surrounds it in its turn, up to this length. */
const HEARD = 1.6;
/** A print needs this much of a voice alone; a piece with less is heard with all that its voice says in the window. */
const ALONE = 1;
const LEAST_ALONE = 0.4;
/** The weight of such a print, in seconds. */
const BRIEF = 0.5;
/** Prints within a stretch that are so similar (cosine) belong to one voice, whatever the rest of the recording is like. */
const SURE = 0.6;

let loaded: { key: string; diarization: Diarization; extractor: Extractor } | null = null;

/** Loads the models if they are not loaded, and returns what distinguishes the voices in 16 kHz mono samples. */
export function loadVoices(
  library: VoiceLibrary,
  { files }: Extract<EngineModel, { kind: 'speakers' }>,
): (samples: Float32Array) => DetectedVoices {
  const key = JSON.stringify(files);
  if (loaded?.key !== key) {
    const common = { numThreads: 1, provider: 'cpu', debug: 0 };
    const embedding = { model: files.embedding, ...common };
    // One window is returned as it was segmented, so that nothing is grouped here.
    const diarization = new library.OfflineSpeakerDiarization({
      segmentation: { pyannote: { model: files.segmentation }, ...common },
      embedding,
      clustering: { numClusters: -1, threshold: 1 },
      minDurationOn: 0,
      minDurationOff: 0,
    });
    loaded = { key, diarization, extractor: new library.SpeakerEmbeddingExtractor(embedding) };
  }
  const { diarization, extractor } = loaded;
  return (samples) => grouped(heardIn(samples, diarization, extractor));
}

/** A window: the turns in it, and the part of it that counts, in seconds. */
interface Window extends SpeechSegment {
  turns: VoiceTurn[];
}

/** Voices, each with the seconds of speech that its print is made of. */
interface WeighedVoices extends DetectedVoices {
  seconds: number[];
}

function heardIn(
  samples: Float32Array,
  diarization: Diarization,
  extractor: Extractor,
): WeighedVoices {
  const turns: VoiceTurn[] = [];
  const prints: (number[] | null)[] = [];
  const seconds: number[] = [];
  /** Adds a voice, and returns its number. */
  const add = (print: number[] | null, weight: number): number => {
    seconds.push(weight);
    return prints.push(print) - 1;
  };
  for (const window of windowsOf(samples, diarization)) {
    for (const voice of new Set(window.turns.map((turn) => turn.voice))) {
      const own = window.turns.filter((turn) => turn.voice === voice);
      const others = window.turns.filter((turn) => turn.voice !== voice);
      const hear = (parts: readonly SpeechSegment[], least: number) => {
        const alone = without(parts, others);
        const length = lengthOf(alone);
        return { length, print: length < least ? null : printOf(extractor, alone, samples) };
      };
      let brief: number | undefined;
      for (const turn of own) {
        for (const piece of piecesOf(turn, window)) {
          const { length, print } = hear([widened(piece, turn)], ALONE);
          if (!print) brief ??= add(hear(own, LEAST_ALONE).print, BRIEF);
          turns.push({ ...piece, voice: print ? add(print, length) : brief! });
        }
      }
    }
  }
  return { turns: turns.toSorted((a, b) => a.start - b.start), prints, seconds };
}

/** The windows of the samples; of two that overlap, each counts up to the middle of what they share. */
function windowsOf(samples: Float32Array, diarization: Diarization): Window[] {
  const duration = samples.length / SPEECH_RATE;
  const starts = [0];
  while (starts.at(-1)! + WINDOW < duration) {
    starts.push(Math.min(starts.at(-1)! + STEP, duration - WINDOW));
  }
  return starts.map((at, window) => {
    const before = starts[window - 1];
    const after = starts[window + 1];
    const part = samples.slice(
      Math.round(at * SPEECH_RATE),
      Math.round((at + WINDOW) * SPEECH_RATE),
    );
    const turns = part.length < LEAST_ALONE * SPEECH_RATE ? [] : diarization.process(part);
    return {
      start: before === undefined ? 0 : (before + WINDOW + at) / 2,
      end: after === undefined ? duration : (at + WINDOW + after) / 2,
      turns: turns.map(({ start, end, speaker }) => ({
        start: at + start,
        end: Math.min(at + end, duration),
        voice: speaker,
      })),
    };
  });
}

/** The part of a turn that counts, in pieces of equal length. */
function piecesOf(turn: SpeechSegment, window: SpeechSegment): SpeechSegment[] {
  const start = Math.max(turn.start, window.start);
  const length = Math.min(turn.end, window.end) - start;
  const count = Math.max(0, Math.ceil(length / PIECE));
  return Array.from({ length: count }, (_, at) => ({
    start: start + (length * at) / count,
    end: start + (length * (at + 1)) / count,
  }));
}

function widened({ start, end }: SpeechSegment, within: SpeechSegment): SpeechSegment {
  const more = Math.max(0, HEARD - (end - start)) / 2;
  return { start: Math.max(within.start, start - more), end: Math.min(within.end, end + more) };
}

/** The parts in which none of the others speaks. */
function without(
  parts: readonly SpeechSegment[],
  others: readonly SpeechSegment[],
): SpeechSegment[] {
  let left = parts.map(({ start, end }) => ({ start, end }));
  for (const other of others) {
    left = left.flatMap(({ start, end }) =>
      other.end <= start || other.start >= end
        ? [{ start, end }]
        : [
            { start, end: other.start },
            { start: other.end, end },
          ].filter((part) => part.end > part.start),
    );
  }
  return left;
}

const lengthOf = (parts: readonly SpeechSegment[]): number =>
  parts.reduce((sum, { start, end }) => sum + end - start, 0);

function printOf(
  extractor: Extractor,
  parts: readonly SpeechSegment[],
  samples: Float32Array,
): number[] | null {
  const stream = extractor.createStream();
  for (const { start, end } of parts) {
    const spoken = samples.slice(Math.round(start * SPEECH_RATE), Math.round(end * SPEECH_RATE));
    if (spoken.length > 0) stream.acceptWaveform({ sampleRate: SPEECH_RATE, samples: spoken });
  }
  stream.inputFinished();
  return extractor.isReady(stream) ? unit([...extractor.compute(stream, false)]) : null;
}

/** A vector of length 1 in that direction; null if it has none. */
function unit(vector: readonly number[]): number[] | null {
  const length = Math.hypot(...vector);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return vector.map((value) => Math.round((value / length) * 10_000) / 10_000);
}

/** The same with one voice for all prints that are surely of one, so that little of a long recording is kept. */
function grouped({ turns, prints, seconds }: WeighedVoices): DetectedVoices {
  const known = prints.flatMap((print, voice) =>
    print ? [{ voice, print, seconds: seconds[voice]! }] : [],
  );
  const groups = groupVoices(known, { alike: SURE, least: 0, most: Number.POSITIVE_INFINITY });
  const count = Math.max(0, ...groups.map((group) => group + 1));
  const sums = Array.from({ length: count }, () => ({ sum: [] as number[], seconds: 0 }));
  const groupOf = new Map<number, number>();
  for (const [at, { voice, print, seconds: own }] of known.entries()) {
    const into = sums[groups[at]!]!;
    into.seconds += own;
    into.sum = print.map((value, each) => value * own + (into.sum[each] ?? 0));
    groupOf.set(voice, groups[at]!);
  }
  // Turns without a print share the last voice, which has none.
  return {
    turns: turns.map((turn) => ({ ...turn, voice: groupOf.get(turn.voice) ?? count })),
    prints: [...sums.map(({ sum }) => unit(sum)), null],
  };
}
