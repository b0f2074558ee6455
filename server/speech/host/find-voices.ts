/**
 * Finds the voices in a part of a recording, a few minutes at a time, because sherpa-onnx takes all samples at once,
 * which are 230 MB for an hour.
 */
import { uncounted } from '../../base/compute.ts';
import { redactPaths } from '../../base/log.ts';
import { wholeMilliseconds } from '../../contract/results.ts';
import { decodeRange } from '../../mp3/decode.ts';
import type { DetectedVoices } from './engine-messages.ts';
import type { RecogniseRequest } from './recognise.ts';
import type { VoiceStretch } from './voices.ts';

/** The longest stretch, in seconds: 19 MB of samples. */
const LONGEST_STRETCH = 300;

/**
 * Finds the voices in the range of a request, in stretches of equal length. A stretch in which this fails has no voices
 * but a reason, because a transcript without speakers is better than none.
 * @param tell distinguishes the voices in 16 kHz mono samples, in another process
 */
export async function findVoices(
  tell: (samples: Float32Array, signal: AbortSignal) => Promise<DetectedVoices>,
  request: Pick<RecogniseRequest, 'audio' | 'index' | 'range' | 'signal' | 'compute'>,
): Promise<VoiceStretch[]> {
  const { audio, index, range, signal, compute = uncounted } = request;
  const count = Math.max(1, Math.ceil((range.end - range.start) / LONGEST_STRETCH));
  const length = (range.end - range.start) / count;
  const stretches: VoiceStretch[] = [];
  for (let at = 0; at < count; at += 1) {
    const start = range.start + at * length;
    const stretch = { start, end: at === count - 1 ? range.end : start + length };
    const samples = await compute(() => decodeRange(audio, index, stretch, signal));
    try {
      const { turns, prints } = await tell(samples, signal);
      const shifted = turns.map((turn) => ({
        ...turn,
        start: wholeMilliseconds(start + turn.start),
        end: wholeMilliseconds(start + turn.end),
      }));
      stretches.push({ ...stretch, turns: shifted, prints });
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? redactPaths(error.message) : 'unknown';
      stretches.push({ ...stretch, turns: [], prints: [], failed: reason });
    }
  }
  return stretches;
}
