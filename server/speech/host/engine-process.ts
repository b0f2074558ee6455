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
  encodeMessage,
  MessageReader,
  type EngineAnswer,
  type EngineModel,
  type EngineHints,
  type SpeechSegment,
} from './engine-messages.ts';
import { loadVoices, type VoiceLibrary } from './voice-windows.ts';
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

/** The classes of sherpa-onnx-node that are used here. */
interface Sherpa extends VoiceLibrary {
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

function answer(message: EngineAnswer): void {
  for (const part of encodeMessage(message)) process.stdout.write(part);
}

async function handle(
  {
    model,
    language = null,
    terms = [],
    pronunciations,
    near,
  }: EngineHints & { model: EngineModel },
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
    answer({
      type: 'words',
      heard: await loaded.hear(samples, language, terms, { pronunciations, near }),
    });
    return;
  }
  if (model.kind === 'speakers') {
    const tell = loadVoices(sherpaOnnx(), model);
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
