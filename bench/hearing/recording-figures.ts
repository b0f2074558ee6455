/**
 * Measures word errors on recordings of the caller: HEARING_RECORDINGS names a JSON file with a list of objects with
 * `language`, `file` and `text`, such as prompt_recordings.py writes.
 */
import type { RecogniserUnderTest } from './recognisers.ts';
import { comparable } from './score/comparable.ts';
import { errorRate, wordErrors, type WordErrors } from './score/word-errors.ts';

interface SpokenText {
  language: string;
  file: string;
  text: string;
}

/** The word error rate of each recogniser in each language; ours with and without voice activity detection. */
export async function recordingFigures(
  recognisers: readonly RecogniserUnderTest[],
): Promise<Record<string, string>[]> {
  const path = process.env['HEARING_RECORDINGS'];
  if (!path) return [];
  const all: SpokenText[] = await Bun.file(path).json();
  const languages = Map.groupBy(all, ({ language }) => language);
  const rows: Record<string, string>[] = [];
  for (const recogniser of recognisers) {
    for (const vad of recogniser.ours ? [true, false] : [false]) {
      const row: Record<string, string> = {
        recordings: recogniser.name,
        'voice activity': vad ? 'by loudness or Silero' : 'off',
      };
      const errors: WordErrors[] = [];
      for (const [language, some] of languages) {
        if (!recogniser.knows(language)) continue;
        const files = some.map(({ file }) => file);
        const heard = await recogniser.hear(files, language, { vad });
        const own = some.map(({ text }, at) => {
          const said = (heard[at]?.words ?? []).map((word) => word.text).join(' ');
          return wordErrors(comparable(text, language), comparable(said, language));
        });
        row[language] = percent(own);
        errors.push(...own);
      }
      row['all'] = percent(errors);
      row['words'] = String(errors.reduce((sum, { words }) => sum + words, 0));
      rows.push(row);
    }
  }
  return rows;
}

const percent = (errors: readonly WordErrors[]): string =>
  `${(100 * errorRate(errors)).toFixed(1)}%`;
