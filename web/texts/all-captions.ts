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
  hint: 'Paste what was said. The captions get exactly these words, at the times at which they were spoken. A paragraph may begin with a speaker’s name and a colon.',
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
  same: 'The script matches the recognised words.',
  differences: (places: number) => `It differs in ${count(places, 'place', 'places')}:`,
  more: (places: number) => `And in ${places.toLocaleString('en')} more.`,
  done: (captions: number) => `Aligned: now ${count(captions, 'caption', 'captions')}.`,
};
