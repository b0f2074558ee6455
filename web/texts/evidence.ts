/** The texts for measuring how accurate captions are. */
import { count } from './format.ts';
import { inLanguage } from './language.ts';

const percent = (share: number): string => `${(100 * share).toFixed(1)}\u00a0%`;

/** An accuracy between two limits. */
interface Figure {
  value: number;
  low: number;
  high: number;
}

const figure = ({ value, low, high }: Figure): string =>
  `${percent(value)} (${percent(low)} to ${percent(high)})`;

/** The texts. */
export const evidence = inLanguage('evidence', {
  title: 'Check accuracy',
  about:
    'Hear short passages from the whole talk, drawn at random, and correct what is shown. 50 passages take about five minutes and give a figure that can be shown to others; the corrections go into the captions too.',
  signIn: 'Save this review on the service first: the figures are kept there.',
  noSound: 'Open the recording first: what nobody has heard cannot be judged.',
  name: 'Your name',
  nameHint: 'It stands in the report.',
  start: 'Check accuracy',
  again: 'Start another check',
  goOn: 'Go on',
  passage: (number: number, left: number) =>
    `Passage ${number}. ${count(left, 'passage', 'passages')} until the next figure.`,
  play: 'Play again',
  heard: 'What is said',
  silent: 'The captions show nothing here. Leave it empty if nobody speaks.',
  late: 'The captions are more than half a second off',
  next: 'Next passage',
  back: 'Previous passage',
  errors: 'Errors in this passage',
  noErrors: 'No errors in this passage.',
  classes: {
    substitution: 'wrong word',
    insertion: 'extra word',
    deletion: 'missing word',
    name: 'name',
    punctuation: 'punctuation or case',
    speaker: 'speaker',
    sound: 'sound',
    time: 'time',
  },
  error: (shown: string | null, said: string | null) => `${shown ?? '–'} → ${said ?? '–'}`,
  byHand: 'The captions were changed here meanwhile. Correct them by hand.',
  soFar: (value: Figure, words: number) =>
    `So far ${figure(value)} of ${count(words, 'word', 'words')}. This counts only once all passages of this part are heard.`,
  counts: (value: Figure) => `Accuracy: ${figure(value)}, with 95 % certainty.`,
  goal: (goal: number) => `The goal is ${percent(goal)}.`,
  states: {
    open: 'The goal is still within the interval.',
    above: 'The captions are above the goal.',
    below: 'The captions are below the goal.',
    ended: 'The goal is within the interval, and no passages are left.',
  },
  needed: (words: number) => `About ${words.toLocaleString('en')} words are needed to tell.`,
  agreement: (people: string, share: number, kappa: number | null) =>
    `${people} agree on ${percent(share)} of the words${kappa === null ? '' : ` (kappa ${kappa.toFixed(2)})`}.`,
  reports: { 'report.json': 'Signed report', 'report.pdf': 'Report as PDF' },
} as const);

/** The texts of the screen on which anybody checks a report. */
export const verifyText = inLanguage('verifyText', {
  title: 'Check a report',
  about:
    'Choose a signed report (report.json), and the caption file if you have it. Both are checked in this browser, and nothing is sent.',
  choose: 'Choose files',
  tooLarge: (name: string) => `${name} is too large for a report or captions.`,
  noReport: 'Choose the report (report.json) too.',
  refused: (name: string, reason: string) => `${name} proves nothing. ${reason}`,
  signed: (name: string, date: string) => `${name} is as it was signed on ${date}.`,
  talk: (talk: string) => `It is about the captions of “${talk}”.`,
  ours: 'This service signed it.',
  others: (key: string) =>
    `This service did not sign it. Ask whoever sent it which service did; its key is ${key}.`,
  unknown: (key: string) =>
    `Whether this service signed it could not be checked, because its key was not read. The report’s key is ${key}.`,
  same: (name: string) => `${name} is the file that the report names.`,
  changed: (name: string) =>
    `The report is for another version: ${name} is not a file that it names.`,
  accuracy: (value: Figure, person: string) =>
    `${person} measured an accuracy of ${figure(value)}.`,
  unmeasured: 'Nobody measured the accuracy.',
  read: 'Its points',
} as const);
