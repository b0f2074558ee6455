/**
 * Measures the errors caused by cutting: real speech of 6 to 20 s, each recording recognised whole in one window, and
 * all of them joined many times over in one long recording, which is cut into pieces and windows. HEARING_SEAM_MINUTES
 * sets the length of the long one (10).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ffmpeg } from '../ffmpeg.ts';
import type { RecognisedWord, RecogniserUnderTest } from './recognisers.ts';
import { normalised } from './score/normalise.ts';
import { wordErrors, type WordErrors } from './score/word-errors.ts';

const SHARED = join(import.meta.dir, '../../../shared/audio');
const MINUTES = Number(process.env['HEARING_SEAM_MINUTES'] ?? 10);
/** English speech of people, without music. */
const RECORDINGS = ['jfk', 'speech/en', 'speech/three-speakers-a', 'speech/three-speakers-b'];

/** The words, normalised by Whisper's rules. */
const textOf = (words: readonly RecognisedWord[]): string[] =>
  normalised(words.map((word) => word.text).join(' '), 'en');

/** The differences per 100 words of speech, of the long recording from its parts, with and without pauses as cuts. */
export async function seamFigures(
  recognisers: readonly RecogniserUnderTest[],
  folder: string,
): Promise<Record<string, string>[]> {
  const joined = joinedSpeech(folder, MINUTES);
  if (!joined) return [];
  const { parts, order, long } = joined;
  const rows: Record<string, string>[] = [];
  for (const recogniser of recognisers.filter(({ ours, knows }) => ours && knows('en'))) {
    for (const vad of [true, false]) {
      const heard = await recogniser.hear([...parts, long], 'en', { vad });
      const whole = heard.slice(0, -1).map(({ words }) => textOf(words));
      const expected = order.flatMap((part) => whole[part] ?? []);
      const found = wordErrors(expected, textOf(heard.at(-1)?.words ?? []));
      const errors = found.substitutions + found.deletions + found.insertions;
      rows.push({
        'the same speech cut and uncut': recogniser.name,
        'voice activity': vad ? 'by loudness or Silero' : 'off',
        words: String(expected.length),
        'words that differ': `${((100 * errors) / Math.max(1, expected.length)).toFixed(2)}%`,
        'replaced / lost / added': `${found.substitutions} / ${found.deletions} / ${found.insertions}`,
      });
      if (process.env['HEARING_SHOW']) showDifferences(expected, heard.at(-1)?.words ?? [], found);
    }
  }
  return rows;
}

/**
 * Joins the recordings, in a random order, into one of about so many minutes; null where ffmpeg or the recordings are
 * missing.
 */
export function joinedSpeech(
  folder: string,
  minutes: number,
): { parts: string[]; order: number[]; long: string } | null {
  const parts = RECORDINGS.map((name) => join(SHARED, `${name}.mp3`));
  if (!Bun.which('ffmpeg') || minutes === 0 || !parts.every((path) => existsSync(path)))
    return null;
  const order = orderOf(minutes * 4);
  const long = join(folder, `joined-${minutes}.mp3`);
  if (!existsSync(long)) {
    const inputs = order.flatMap((part) => ['-i', parts[part]!]);
    const all = order.map((_, at) => `[${at}:a]`).join('');
    ffmpeg(
      '-y',
      ...inputs,
      '-filter_complex',
      `${all}concat=n=${order.length}:v=0:a=1`,
      ...'-ac 1 -ar 16000 -b:a 64k'.split(' '),
      long,
    );
  }
  return { parts, order, long };
}

/** The recordings in an order that looks random, so that the cuts fall on different words each time. */
function orderOf(count: number): number[] {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return state % RECORDINGS.length;
  });
}

/** Prints the words around each difference, with the time in the long recording. */
function showDifferences(
  expected: readonly string[],
  words: readonly RecognisedWord[],
  { agreed }: WordErrors,
): void {
  const heard = textOf(words);
  let [was, is] = [-1, -1];
  for (const [nextWas, nextIs] of [...agreed, [expected.length, heard.length] as const]) {
    if (nextWas - was > 1 || nextIs - is > 1) {
      const at = words[Math.min(is + 1, words.length - 1)]?.start ?? 0;
      const [before, after] = [expected.slice(was + 1, nextWas), heard.slice(is + 1, nextIs)];
      console.error(`${at.toFixed(1)} s: “${before.join(' ')}” became “${after.join(' ')}”`);
    }
    [was, is] = [nextWas, nextIs];
  }
}
