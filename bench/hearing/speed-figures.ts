/**
 * Measures the time that recognisers take for some minutes of English speech, in turns, after a short recording that
 * loads the model. HEARING_SPEED_MINUTES sets the length (4), HEARING_ROUNDS the number of rounds (3).
 */
import { median } from '../figures.ts';
import type { RecogniserUnderTest } from './recognisers.ts';
import { joinedSpeech } from './seam-figures.ts';

const MINUTES = Number(process.env['HEARING_SPEED_MINUTES'] ?? 4);
const ROUNDS = Number(process.env['HEARING_ROUNDS'] ?? 3);

/**
 * The median real-time factor of each recogniser, the range of the rounds, the words recognised and
 * the peak memory.
 */
export async function speedFigures(
  recognisers: readonly RecogniserUnderTest[],
  folder: string,
): Promise<Record<string, string>[]> {
  const joined = joinedSpeech(folder, MINUTES);
  if (!joined) return [];
  const { parts, long } = joined;
  const rounds: Record<string, { factor: number; words: number; peak: number }[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const recogniser of recognisers.filter(({ knows }) => knows('en'))) {
      const [, heard] = await recogniser.hear([parts[0]!, long], 'en');
      if (!heard) continue;
      const { words, seconds, peak } = heard;
      const factor = seconds / Math.max(1, words.at(-1)?.end ?? 0);
      (rounds[recogniser.name] ??= []).push({ factor, words: words.length, peak });
    }
  }
  return Object.entries(rounds).map(([name, all]) => {
    const factors = all.map(({ factor }) => factor);
    return {
      [`time for ${MINUTES} minutes of speech`]: name,
      'of real time': median(factors).toFixed(3),
      'in the rounds': `${Math.min(...factors).toFixed(3)}–${Math.max(...factors).toFixed(3)}`,
      words: String(all.at(-1)?.words ?? 0),
      memory: `${Math.round(Math.max(...all.map(({ peak }) => peak)))} MiB`,
    };
  });
}
