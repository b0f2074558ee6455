/**
 * Distinguishes voices in a recogniser process with the speaker diarization of sherpa-onnx: its segmentation finds
 * where speakers change, and its embeddings show which turns sound alike.
 */
import { SPEECH_RATE } from '../../../mp3/resample.ts';
import type { DetectedVoices, EngineModel, VoiceTurn } from '../engine-messages.ts';

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

/** The classes of sherpa-onnx-node that are used here. */
export interface SpeakerLibrary {
  OfflineSpeakerDiarization: new (config: object) => Diarization;
  SpeakerEmbeddingExtractor: new (config: object) => Extractor;
}

/**
 * Two voices are distinct if they are at least this far apart, 0..2, as in upstream's examples. This divides voices too
 * often rather than too rarely, because the voices of a whole recording are joined afterwards by longer prints
 * (voices.ts).
 */
const THRESHOLD = 0.9;
/**
 * The shortest turn and the shortest pause, in seconds. Shorter turns are ignored, and shorter pauses are part of a
 * turn.
 */
const MIN_TURN = 0.3;
const MIN_PAUSE = 0.5;
/** A print is made of at least and at most so many seconds of a voice alone. */
const MIN_ALONE = 0.5;
const MAX_ALONE = 30;

let loaded: { key: string; diarization: Diarization; extractor: Extractor } | null = null;

/**
 * Loads the models if they are not loaded, and returns the function that distinguishes the voices in 16 kHz mono
 * samples.
 */
export function loadDiarizer(
  library: SpeakerLibrary,
  { files }: Extract<EngineModel, { kind: 'speakers' }>,
): (samples: Float32Array) => DetectedVoices {
  const key = JSON.stringify(files);
  if (loaded?.key !== key) {
    const common = { numThreads: 1, provider: 'cpu', debug: 0 };
    const embedding = { model: files.embedding, ...common };
    const diarization = new library.OfflineSpeakerDiarization({
      segmentation: { pyannote: { model: files.segmentation }, ...common },
      embedding,
      clustering: { numClusters: -1, threshold: THRESHOLD },
      minDurationOn: MIN_TURN,
      minDurationOff: MIN_PAUSE,
    });
    loaded = { key, diarization, extractor: new library.SpeakerEmbeddingExtractor(embedding) };
  }
  const { diarization, extractor } = loaded;
  return (samples) => {
    const turns = diarization
      .process(samples)
      .map(({ start, end, speaker }): VoiceTurn => ({ start, end, voice: speaker }))
      .toSorted((a, b) => a.start - b.start);
    const count = Math.max(0, ...turns.map(({ voice }) => voice + 1));
    const prints = Array.from({ length: count }, (_, voice) =>
      printOf(extractor, spokenAlone(turns, voice), samples),
    );
    return { turns, prints };
  };
}

/** The parts of a voice's turns in which nobody else speaks, the longest first. */
function spokenAlone(turns: readonly VoiceTurn[], voice: number): { start: number; end: number }[] {
  let parts = turns
    .filter((turn) => turn.voice === voice)
    .map(({ start, end }) => ({ start, end }));
  for (const other of turns) {
    if (other.voice === voice) continue;
    parts = parts.flatMap(({ start, end }) =>
      other.end <= start || other.start >= end
        ? [{ start, end }]
        : [
            { start, end: other.start },
            { start: other.end, end },
          ].filter((part) => part.end > part.start),
    );
  }
  return parts.toSorted((a, b) => b.end - b.start - (a.end - a.start));
}

function printOf(
  extractor: Extractor,
  parts: readonly { start: number; end: number }[],
  samples: Float32Array,
): number[] | null {
  const stream = extractor.createStream();
  let left = MAX_ALONE;
  for (const { start, end } of parts) {
    const until = Math.min(end, start + left);
    const spoken = samples.slice(Math.round(start * SPEECH_RATE), Math.round(until * SPEECH_RATE));
    if (spoken.length > 0) stream.acceptWaveform({ sampleRate: SPEECH_RATE, samples: spoken });
    left -= until - start;
    if (left <= 0) break;
  }
  // The native code ends the process if there is less than a frame.
  if (MAX_ALONE - left < MIN_ALONE) return null;
  stream.inputFinished();
  if (!extractor.isReady(stream)) return null;
  const print = [...extractor.compute(stream, false)];
  const length = Math.hypot(...print);
  if (!(length > 0) || !Number.isFinite(length)) return null;
  return print.map((value) => Math.round((value / length) * 10_000) / 10_000);
}
