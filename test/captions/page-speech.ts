/** The words of the sample page (page.srt) by language, and a Russian talk, as a recogniser would return them. */
import { readFileSync } from 'node:fs';
import { readSrtFile } from '../support/captions/caption-files.ts';

/** These come character by character. */
const WITHOUT_SPACES = new Set(['ja', 'th', 'zh']);
const RUSSIAN =
  'Добрый вечер, и спасибо всем, кто пришёл. Десять лет назад, когда я начал писать субтитры к лекциям, мне казалось, что трудным будет набор. Это было не так. Трудно было понять, где кончается строка, потому что субтитр читают две секунды.';

/** Words by BCP 47 tag. */
export const SPEECH: ReadonlyMap<string, readonly string[]> = readPage();

function readPage(): Map<string, string[]> {
  const speech = new Map([['ru', RUSSIAN.split(' ')]]);
  const page = readFileSync(new URL('page.srt', import.meta.url), 'utf8');
  for (const part of page.split(/^(?=[a-z]{2}(?:-[A-Z]{2})?\n\n1\n)/m)) {
    const [language = '', file = ''] = part.split(/\n\n([^]*)/);
    const lines = readSrtFile(`${file.trimEnd()}\n`).flatMap((cue) => cue.lines);
    const isWhole = WITHOUT_SPACES.has(language);
    speech.set(language, isWhole ? [...lines.join('')] : lines.join(' ').split(' '));
  }
  return speech;
}
