/** The texts about publishers’ profiles, and of the dialogs that change all captions. */
import { count } from './format.ts';
import { inLanguage, keyed } from './language.ts';

/** The texts of the dialog for profiles of one’s own. */
export const house = inLanguage('house', {
  title: 'Your own profiles',
  hint: 'Rules of your own, based on a publisher’s. They are stored in this browser; save one as a file to use it elsewhere, for example on the command line.',
  which: 'Profile',
  fresh: 'A new profile',
  name: 'Name',
  base: 'Based on',
  maxLines: 'Lines per caption, at most',
  maxLineChars: 'Characters per line, at most',
  unit: 'Reading speed in',
  characters: 'characters per second',
  words: 'words per minute',
  perSecond: 'Characters per second, at most',
  perMinute: 'Words per minute, at most',
  minDuration: 'Shortest caption, in seconds',
  maxDuration: 'Longest caption, in seconds',
  gapFrames: 'Frames between captions, at least',
  closedGap: 'Close gaps of up to (seconds)',
  frames: 'Frames per second',
  noFrames: 'any: captions are not aligned with frames',
  shots: 'Avoid shot changes',
  before: 'End captions this many frames before a shot change',
  dialogue: 'Two speakers in one caption',
  dialogues: keyed({
    'both -': '-Each line with a hyphen',
    'both - ': '- Each line with a hyphen and a space',
    'second -': '-Only the second line, with a hyphen',
    'second - ': '- Only the second line, with a hyphen and a space',
  }),
  save: 'Save',
  saved: (name: string) =>
    `“${name}” is saved. You can choose it under “Check against” and when you rebuild captions.`,
  remove: 'Delete',
  removed: (name: string) => `“${name}” is deleted.`,
  undo: 'Undo',
  download: 'Save as a file',
  open: 'Open a file',
  opened: (name: string) => `“${name}” was read from the file and saved.`,
  tooLarge: 'This file is too large for a profile.',
  wrong: 'This file cannot be used:',
  nameFirst: 'Give the profile a name first.',
  taken: (name: string) =>
    `There is already a profile named “${name}”. Choose another name, or edit that profile.`,
  order: 'The shortest caption must not be longer than the longest.',
});

const rules: Readonly<Record<string, string>> = {
  line_length: 'Line length',
  line_count: 'Number of lines',
  reading_speed: 'Reading speed',
  min_duration: 'Minimum duration',
  max_duration: 'Maximum duration',
  gap: 'Gap between captions',
  small_gap: 'Small gaps',
  on_frames: 'Frames',
  shot_in: 'Start near a shot change',
  shot_out: 'End near a shot change',
  two_speakers: 'Two speakers',
};

/** Why nothing mends a rule, where no other rule is in the way. */
const whyNot: Readonly<Record<string, string>> = {
  line_length: 'a word, or what one of two speakers says, is longer than a line',
  line_count: 'the lines cannot be divided between speakers',
  two_speakers: 'its speakers do not each have lines of their own',
  max_duration: 'there is no place to divide it',
  gap: 'the overlap may be speech; set the times by ear',
  line_break: 'no other break of its lines is better',
};

/** They are loaded with the panel. */
export const profiles = inLanguage('profiles', {
  rules,
  /** Why a violation has no fix, as a sentence. */
  why: (rule: string, blockedBy: readonly string[]): string => {
    const [first, ...others] = blockedBy.map((each) => `“${rules[each] ?? each}”`);
    if (first === undefined)
      return `No automatic fix: ${whyNot[rule] ?? 'no change of its times alone mends it'}.`;
    const list =
      others.length === 0
        ? first
        : `${[first, ...others.slice(0, -1)].join(', ')} or ${others.at(-1)}`;
    return `No automatic fix: without changing words, it would break ${list} here or beside it.`;
  },
  by: 'Check against',
  own: 'The limits of this run',
  service: 'Captioner’s defaults',
  frameRate: 'Frames per second',
  itsRate: 'as the rules define',
  videoRate: (rate: number) => `as in the video (${Math.round(rate * 1000) / 1000})`,
  manage: 'Your own profiles…',
  checking: 'Checking…',
  failed: 'The rules could not be loaded. Choose them again.',
  none: 'Every caption follows these rules.',
  fixAll: (captions: number) => `Fix all ${captions.toLocaleString('en')}`,
  fixEverything: (captions: number) =>
    `Fix everything that can safely be fixed (${captions.toLocaleString('en')})`,
  fixLabel: (at: number, rule: string) => `Fix caption ${at}: ${rules[rule] ?? rule}`,
  more: (captions: number) => `And ${captions.toLocaleString('en')} more.`,
  bySource: (source: string) => `Source: ${source}.`,
});

/** The texts of the dialog for frames. */
export const framesText = inLanguage('framesText', {
  title: 'Frames and time code',
  rate: 'Frames per second',
  unknown: 'unknown: play the video, or choose',
  ruled: (rate: number) => `as the rules define (${Math.round(rate * 1000) / 1000})`,
  video: (rate: number) => `as in the video (${Math.round(rate * 1000) / 1000})`,
  drop: 'Drop frame',
  dropHint:
    'Two or four numbers are left out each minute but every tenth, so that time code keeps up with the clock.',
  times: 'Show times in',
  auto: 'frames while the chosen rules ask for them',
  frames: 'frames (HH:MM:SS:FF)',
  milliseconds: 'milliseconds',
  start: 'Start of programme',
  startHint:
    'The time code of the first frame. It is added to all times shown here, and in files that count frames.',
  badStart: (isKnown: boolean) =>
    isKnown ? 'Enter time code, such as 10:00:00:00.' : 'Choose the frames per second first.',
  noRate: 'Times are shown in milliseconds: the frames per second are not known.',
  now: (example: string) => `One second into the recording is now ${example}.`,
});

/** They are loaded with the reports. */
export const reportText = inLanguage('reportText', {
  title: (name: string) => `Captions of ${name}`,
  own: 'The limits of this run',
  atRate: (rules: string, rate: number) =>
    `${rules}, at ${Math.round(rate * 1000) / 1000} frames per second`,
  columns: ['Caption', 'Start', 'End', 'Text', 'Warnings'],
  summary: (rules: string, captions: number, warnings: number, score: number) =>
    `Checked against: ${rules}. ${count(captions, 'caption', 'captions')}, ${count(warnings, 'warning', 'warnings')}. Format score: ${Math.round(score * 100)}%.`,
});

/** The texts of rebuilding captions, loaded with its dialog. */
export const rebuildText = inLanguage('rebuildText', {
  title: 'Rebuild captions',
  what: 'What to do',
  anew: 'Divide and time them again',
  linesOnly: 'Only re-break their lines',
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
});

/** The texts of aligning a script. */
export const scriptText = inLanguage('scriptText', {
  title: 'Align a script',
  hint: 'Paste what was said, all or a part of it. The captions get exactly these words, at the times at which they were spoken. A paragraph or a line may begin with a speaker’s name and a colon.',
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
});
