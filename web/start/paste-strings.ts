/** The texts of the search for terms in a pasted text, loaded with it. */
import { count } from '../format.ts';

/** Texts that depend on a value are functions of it. */
export const paste = {
  text: 'Slides, an abstract, a list of speakers, a web page',
  textHint: 'The text is read in this browser and is not sent anywhere.',
  find: 'Find names and terms',
  none: 'No names or terms were found in this text.',
  found: (terms: number) =>
    `Found ${count(terms, 'name or term', 'names and terms')}. Tick those that are spoken.`,
  cut: (characters: number) =>
    `Only the first ${characters.toLocaleString('en')} characters were read.`,
  takeAll: 'Take all',
  times: (times: number) => `${times} ×`,
};
