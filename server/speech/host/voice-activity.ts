/** Detects speech with the Silero model or, if that is not available, by loudness. */
import type { EnginePool } from './engine-pool.ts';
import type { EngineModel, SpeechSegment } from './engine-messages.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';

const FRAME = 480;
/** The factor by which speech is louder than the quietest tenth of the recording (12 dB). */
const ABOVE_FLOOR = 4;
/** The level below which audio is silence (-54 dB). */
const SILENCE = 0.002;
/** Shorter pauses are part of speech, and sounds shorter than MIN_SPEECH are not speech; in seconds. */
const MIN_PAUSE = 0.5;
const MIN_SPEECH = 0.25;

/** Finds speech in 16 kHz mono samples, in seconds from the first sample. */
export type FindSpeech = (samples: Float32Array, signal: AbortSignal) => Promise<SpeechSegment[]>;

/** Detection with the Silero model, in a recogniser process. */
export const sileroVoiceActivity =
  (pool: EnginePool, model: EngineModel): FindSpeech =>
  (samples, signal) =>
    pool.findSpeech(model, samples, signal);

/** Treats everything as speech, for singing, which the model does not detect. */
export const everything: FindSpeech = (samples) =>
  Promise.resolve([{ start: 0, end: samples.length / SPEECH_RATE }]);

/** Detection by loudness. It is coarser, but silence and steady noise yield nothing. */
export const loudnessVoiceActivity: FindSpeech = (samples) =>
  Promise.resolve(loudSegments(samples));

/** The stretches above the noise floor. */
function loudSegments(samples: Float32Array): SpeechSegment[] {
  const levels = frameLevels(samples);
  const floor = levels.toSorted()[Math.floor(levels.length / 10)] ?? 0;
  const threshold = Math.max(SILENCE, floor * ABOVE_FLOOR);
  const segments: SpeechSegment[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < threshold) continue;
    const start = (at * FRAME) / SPEECH_RATE;
    const last = segments.at(-1);
    if (last && start - last.end < MIN_PAUSE) last.end = start + FRAME / SPEECH_RATE;
    else segments.push({ start, end: start + FRAME / SPEECH_RATE });
  }
  return segments.filter(({ start, end }) => end - start >= MIN_SPEECH);
}

function frameLevels(samples: Float32Array): Float32Array {
  const levels = new Float32Array(Math.floor(samples.length / FRAME));
  for (let frame = 0; frame < levels.length; frame += 1) {
    let sum = 0;
    for (let at = frame * FRAME; at < (frame + 1) * FRAME; at += 1) sum += samples[at]! ** 2;
    levels[frame] = Math.sqrt(sum / FRAME);
  }
  return levels;
}
