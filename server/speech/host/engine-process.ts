/**
 * The recogniser process: loads sherpa-onnx, Whisper or Moonshine, and answers requests until its input ends. It is a separate
 * process because a bad model file or a bug in native code ends the whole process.
 */
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { loadWhisper } from '../../whisper/runtime.ts';
import { loadMoonshine } from '../../whisper/moonshine/moonshine.ts';
import type { Whisper } from '../../whisper/whisper.ts';
import {
  type DetectedVoices,
  encodeMessage,
  MessageReader,
  type EngineAnswer,
  type EngineModel,
  type EngineHints,
  type SpeechSegment,
  type VoiceTurn,
} from './engine-messages.ts';
import { recognizerOf, type OfflineRecognizer } from './sherpa-recognisers.ts';

const VAD_WINDOW = 512;
/** Silero's settings, tuned by measurement: silence and noise yield nothing, and speech is cut at pauses. */
const VAD = {
  threshold: 0.5,
  minSpeechDuration: 0.25,
  minSilenceDuration: 0.5,
  maxSpeechDuration: 25,
  windowSize: VAD_WINDOW,
};
const VAD_BUFFER_SECONDS = 60;

interface VoiceActivity {
  acceptWaveform(samples: Float32Array): void;
  isEmpty(): boolean;
  front(enableExternalBuffer?: boolean): { start: number; samples: Float32Array };
  pop(): void;
  flush(): void;
  reset(): void;
}

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
interface Sherpa {
  OfflineSpeakerDiarization: new (config: object) => Diarization;
  SpeakerEmbeddingExtractor: new (config: object) => Extractor;
  OfflineRecognizer: OfflineRecognizer;
  Vad: new (config: object, bufferSeconds: number) => VoiceActivity;
}

let loadedSherpa: Sherpa | null = null;
const sherpaOnnx = (): Sherpa =>
  (loadedSherpa ??= createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa);

/** The models that return words with times, which onnxruntime-node runs. */
type WordsModel = Extract<EngineModel, { kind: 'whisper' | 'moonshine' }>;

let words: { key: string; made: Whisper } | null = null;
let voiceActivity: { key: string; made: VoiceActivity } | null = null;

async function recogniserOfWords(model: WordsModel): Promise<Whisper> {
  const key = JSON.stringify(model);
  if (words?.key !== key) {
    if (model.runtime === undefined) throw new Error('onnxruntime-node is not installed');
    const load = model.kind === 'whisper' ? loadWhisper : loadMoonshine;
    words = { key, made: await load(model.files, model.runtime) };
  }
  return words.made;
}

function voiceActivityOf(model: string): VoiceActivity {
  if (voiceActivity?.key !== model) {
    const made = new (sherpaOnnx().Vad)(
      { sileroVad: { model, ...VAD }, sampleRate: SPEECH_RATE, numThreads: 1, debug: 0 },
      VAD_BUFFER_SECONDS,
    );
    voiceActivity = { key: model, made };
  }
  return voiceActivity.made;
}

function findSpeech(vad: VoiceActivity, samples: Float32Array): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  const collect = () => {
    for (; !vad.isEmpty(); vad.pop()) {
      const { start, samples: spoken } = vad.front(false);
      segments.push({ start: start / SPEECH_RATE, end: (start + spoken.length) / SPEECH_RATE });
    }
  };
  vad.reset();
  for (let at = 0; at + VAD_WINDOW <= samples.length; at += VAD_WINDOW) {
    vad.acceptWaveform(samples.subarray(at, at + VAD_WINDOW));
    collect();
  }
  vad.flush();
  collect();
  return segments;
}

// Distinguishes voices: a segmentation finds where speakers change, and embeddings show which turns sound alike.

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
function loadDiarizer(
  library: Sherpa,
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

function answer(message: EngineAnswer): void {
  for (const part of encodeMessage(message)) process.stdout.write(part);
}

async function handle(
  { model, language = null, terms = [], says, near }: EngineHints & { model: EngineModel },
  samples: Float32Array,
): Promise<void> {
  // The engine would treat a missing voice-activity model as one that never detects speech.
  for (const path of Object.values(model.files)) accessSync(path, constants.R_OK);
  if (model.kind === 'vad') {
    const vad = voiceActivityOf(model.files.model);
    answer({ type: 'loaded' });
    answer({ type: 'segments', segments: findSpeech(vad, samples) });
    return;
  }
  if (model.kind === 'whisper' || model.kind === 'moonshine') {
    const loaded = await recogniserOfWords(model);
    answer({ type: 'loaded' });
    answer({ type: 'words', heard: await loaded.hear(samples, language, terms, { says, near }) });
    return;
  }
  if (model.kind === 'speakers') {
    const tell = loadDiarizer(sherpaOnnx(), model);
    answer({ type: 'loaded' });
    answer({ type: 'voices', heard: tell(samples) });
    return;
  }
  const recognize = recognizerOf(sherpaOnnx().OfflineRecognizer, model, language, terms);
  answer({ type: 'loaded' });
  answer({ type: 'recognition', recognition: recognize(samples) });
}

const reader = new MessageReader((json, body) => {
  // The service sends one request at a time.
  handle(json as EngineHints & { model: EngineModel }, bytesToSamples(body)).catch(
    (error: unknown) => {
      answer({ type: 'error', message: error instanceof Error ? error.message : String(error) });
    },
  );
});
process.stdin.on('data', (chunk: Uint8Array) => reader.push(chunk));
// The service has ended, for whatever reason, so nobody waits for an answer.
process.stdin.on('end', () => process.exit(0));
process.stdin.on('error', () => process.exit(0));

/** Converts raw bytes to samples. It copies them, because they may be at any offset of a larger buffer. */
const bytesToSamples = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer);
