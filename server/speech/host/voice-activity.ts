/** Detects speech with the Silero model or, if that is not available, by loudness. */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { frameEnergies } from '../../whisper/model/mel.ts';
import type { EngineModel, SpeechSegment } from './engine-messages.ts';
import type { EnginePool } from './engine-pool.ts';

const FRAME = 480;
/** The factor by which speech is louder than the quietest tenth of the recording (12 dB). */
const ABOVE_FLOOR = 4;
/** The factor by which a pause is quieter than loud sound, where the floor is unknown (20 dB). */
const BELOW_LOUDEST = 10;
/** The level below which audio is silence (-54 dB). */
const SILENCE = 0.002;
/** Shorter pauses are part of speech, and sounds shorter than MIN_SPEECH are not speech; in seconds. */
const MIN_PAUSE = 0.5;
const MIN_SPEECH = 0.25;
/** The shortest pause in which to cut where everything counts as speech, in seconds. */
const CUT_PAUSE = 0.3;
/** The longest gap left in a pause, in seconds: windows close it by the silence that they include around speech. */
const CLOSED_GAP = 0.4;

/** Finds speech in 16 kHz mono samples, in seconds from the first sample. */
export type FindSpeech = (samples: Float32Array, signal: AbortSignal) => Promise<SpeechSegment[]>;

/** Detection with the Silero model, in a recogniser process. */
export const sileroVoiceActivity =
  (pool: EnginePool, model: EngineModel): FindSpeech =>
  (samples, signal) =>
    pool.findSpeech(model, samples, signal);

/**
 * Treats everything as speech, for singing, which the model does not detect. Pauses only show where to cut: the gaps
 * left in them are short enough for windows to close.
 */
export const everything: FindSpeech = (samples) => Promise.resolve(cutInPauses(samples));

/** Detection by loudness. It is coarser, but silence and steady noise yield nothing. */
export const loudnessVoiceActivity: FindSpeech = (samples) =>
  Promise.resolve(loudSegments(samples));

/** All samples, divided in the middle of each pause. */
function cutInPauses(samples: Float32Array): SpeechSegment[] {
  const levels = frameLevels(samples);
  const sorted = levels.toSorted();
  const aboveFloor = quietest(sorted, 0.1) * ABOVE_FLOOR;
  const loudest = quietest(sorted, 0.9);
  // Where there is hardly a pause, the quietest tenth is as loud as the rest.
  const threshold = aboveFloor < loudest ? aboveFloor : loudest / BELOW_LOUDEST;
  const loud = loudStretches(levels, threshold, CUT_PAUSE);
  const segments: SpeechSegment[] = [];
  let start = 0;
  for (const [at, { end }] of loud.entries()) {
    const next = loud[at + 1];
    if (!next) break;
    const middle = (end + next.start) / 2;
    const half = Math.min(CLOSED_GAP, next.start - end) / 2;
    segments.push({ start, end: middle - half });
    start = middle + half;
  }
  return [...segments, { start, end: samples.length / SPEECH_RATE }];
}

/** The stretches above the noise floor that are long enough to be speech. */
function loudSegments(samples: Float32Array): SpeechSegment[] {
  const levels = frameLevels(samples);
  const threshold = quietest(levels.toSorted(), 0.1) * ABOVE_FLOOR;
  return loudStretches(levels, threshold, MIN_PAUSE).filter(
    ({ start, end }) => end - start >= MIN_SPEECH,
  );
}

/** The level below which a share of the frames lies. @param sorted the levels of all frames, in ascending order */
const quietest = (sorted: Float32Array, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

/** The stretches above a level, and above silence, with pauses of at least `pause` seconds between them. */
function loudStretches(levels: Float32Array, threshold: number, pause: number): SpeechSegment[] {
  const segments: SpeechSegment[] = [];
  for (const [at, level] of levels.entries()) {
    if (level < Math.max(SILENCE, threshold)) continue;
    const start = (at * FRAME) / SPEECH_RATE;
    const last = segments.at(-1);
    if (last && start - last.end < pause) last.end = start + FRAME / SPEECH_RATE;
    else segments.push({ start, end: start + FRAME / SPEECH_RATE });
  }
  return segments;
}

/** The root mean square of each whole frame. */
function frameLevels(samples: Float32Array): Float32Array {
  const whole = frameEnergies(samples, FRAME).subarray(0, Math.floor(samples.length / FRAME));
  return Float32Array.from(whole, (energy) => Math.sqrt(energy / FRAME));
}
