/** The texts of the speakers panel. */
import { count } from '../format.ts';

/** They are loaded with the panel. */
export const speakersText = {
  hint: 'VTT, ASS, TTML and plain text files name the speakers.',
  none: 'No speakers yet. Add the speaker of the current caption or of the selected ones.',
  name: (name: string) => `Name of ${name}`,
  captions: (captions: number) => count(captions, 'caption', 'captions'),
  give: (target: string) => `Speaks in ${target}`,
  giveLabel: (name: string, target: string) => `${name} speaks in ${target}`,
  current: (at: number) => `caption ${at}`,
  selected: (captions: number) => `the ${captions} selected`,
  add: 'Another speaker',
  addDo: 'Add',
  nobody: 'Nobody',
  lines: (at: number) => `Line by line, caption ${at}`,
  line: (at: number) => `Line ${at}`,
  top: 'At the top of the picture',
};
