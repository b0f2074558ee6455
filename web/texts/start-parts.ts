/** The texts of parts of the start page that are loaded when they are unfolded. */
import { count } from '../format.ts';

/** The search for terms in a pasted text. */
export const paste = {
  text: 'Slides, an abstract, a list of speakers, a web page',
  textHint: 'The text is read in this browser and is not sent anywhere.',
  find: 'Find names and terms',
  none: 'No names or terms were found in this text.',
  found: (terms: number) =>
    `Found ${count(terms, 'name or term', 'names and terms')}. Tick those that are spoken.`,
  cut: (characters: number) =>
    `Only the first ${characters.toLocaleString('en')} characters were read.`,
  takeAll: 'Tick all',
  times: (times: number) => `${times} ×`,
};

/** The preview of the caption format. */
export const preview = {
  title: 'Preview',
  summary: (cues: number, longest: number, lines: number) =>
    `${count(cues, 'caption', 'captions')} for this half minute; longest line: ${longest} characters; at most ${count(lines, 'line', 'lines')}.`,
  sample:
    'Last night the team showed how an agent signs in for the first time. It reads one page, asks the person for a code, and from then on it has its own key, with no more rights than it needs. Nobody had to copy a secret from one window to another, and nobody had to wait.',
};
