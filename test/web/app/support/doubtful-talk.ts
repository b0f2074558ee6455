/** A talk with a term that was misheard twice, and two words that the recogniser doubted. */
import { spoken } from '../../../support/servers/completed-run.ts';
import { correction } from '../../review/support.ts';

const TALK =
  'Welcome to the talk. We use off kit for this. It signs people in. Then off kit sends them on. Thank you all.';

/** The words. */
export const words = spoken(TALK).map((word, at) => ({
  ...word,
  confidence: at === 3 || at === 20 ? 0.2 : 0.95,
}));

const at = (from: number) => words.findIndex((word, index) => index > from && word.text === 'off');
const heard = (index: number, id: string) => ({
  ...correction(id, words[index]!.start),
  end: words[index + 1]!.end,
  firstWord: index,
  lastWord: index + 1,
});

const first = at(0);

/** The corrections of both places. */
export const CORRECTIONS = [heard(first, 'one'), heard(at(first), 'two')];
