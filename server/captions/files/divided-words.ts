/** Divides the words of a file that has no captions into captions. */
import { buildProfiled } from '../build/build.ts';
import { profileOf } from '../rules/profiles/profiles.ts';
import { readCue, type ReadCue } from './portable-captions.ts';

/** A word with its times, as our own rules divide it. */
export interface Word {
  start: number;
  end: number;
  text: string;
  speaker: string;
}

/** Captions from words by our own rules, a run of words of each speaker apart. */
export function dividedWords(all: readonly Word[], language: string): ReadCue[] {
  const runs: Word[][] = [];
  for (const word of all) {
    const last = runs.at(-1);
    if (last?.at(-1)?.speaker === word.speaker) last.push(word);
    else runs.push([word]);
  }
  const profile = profileOf('default', language === '' ? 'en' : language.replace('_', '-'));
  return runs.flatMap((run) => {
    const speaker = run[0]!.speaker;
    const plain = run.map(({ start, end, text }) => ({ start, end, text }));
    const made = buildProfiled(plain, profile, {});
    return made.map(({ start, end, lines }) =>
      readCue(
        start,
        end,
        lines.map((text) => ({ text, speaker })),
      ),
    );
  });
}
