/** The texts of the dialogs for all captions: rebuilding them, and aligning a script. */
import { count } from '../format.ts';

/** The texts of rebuilding captions, loaded with its dialog. */
export const rebuildText = {
  title: 'Rebuild captions',
  what: 'What to do',
  anew: 'Divide and time them again',
  linesOnly: 'Only break their lines again',
  which: 'Which captions',
  all: (captions: number) => `All ${captions.toLocaleString('en')}`,
  selected: (captions: number) => `The ${captions.toLocaleString('en')} selected`,
  rules: 'Rules',
  own: 'These settings',
  hint: 'Every word stays as it is. Where possible, times come from the recognised words.',
  become: (before: number, after: number) =>
    `${count(before, 'caption becomes', 'captions become')} ${after.toLocaleString('en')}.`,
  noChange: 'Nothing would change.',
  run: 'Rebuild',
  done: (captions: number) => `Rebuilt: now ${count(captions, 'caption', 'captions')}.`,
};

/** The texts of aligning a script. */
export const scriptText = {
  title: 'Align a script',
  hint: 'Paste what was said, all or a part of it. The captions get exactly these words, at the times at which they were spoken. A paragraph may begin with a speaker’s name and a colon.',
  label: 'Script',
  file: 'Choose a text file',
  align: 'Align',
  again: 'Back to the script',
  use: 'Use these words',
  empty: 'Paste the script first.',
  tooLarge: 'The file is larger than 5 MB.',
  agreement: (share: number) =>
    `${Math.round(share * 100)}% of the script matches the recognised words.`,
  unlike:
    'Most of this script does not match the recording. Is it the right one? The times of words without a match are estimates.',
  part: (from: string, to: string) =>
    `The script is of a part of the talk, from ${from} to ${to}. The captions before and after it stay as they are.`,
  whole: 'The script is of the whole talk',
  deletes: (captions: number) =>
    `This would delete ${count(captions, 'caption that the script leaves out', 'captions that the script leaves out')}.`,
  leavesOut: (words: number) =>
    words === 0
      ? ''
      : `Using it deletes ${count(words, 'recognised word that it leaves out', 'recognised words that it leaves out')}.`,
  asBefore: 'Nothing changed: the captions have these words already.',
  same: 'The script matches the recognised words.',
  differences: (places: number) => `It differs in ${count(places, 'place', 'places')}:`,
  more: (places: number) => `And in ${places.toLocaleString('en')} more.`,
  done: (captions: number) => `Aligned: now ${count(captions, 'caption', 'captions')}.`,
};
