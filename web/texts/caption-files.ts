/** The texts about caption files: how one was read, what a format does not hold, and times that all change. */
import { count } from './format.ts';
import { inLanguage } from './language.ts';

/** The texts of the dense grid. */
export const gridText = inLanguage('gridText', {
  label: 'Captions, one row each',
  columns: 'Columns',
  list: 'Back to the list',
  open: (at: number) => `Caption ${at}: edit its text`,
  names: {
    start: 'Start',
    end: 'End',
    length: 'Seconds',
    speed: 'CPS',
    warnings: 'Warnings',
    doubts: 'Doubts',
    speaker: 'Speaker',
    text: 'Text',
  },
});

/** The texts of the dialog for all times. */
export const retimeText = inLanguage('retimeText', {
  title: 'Change all times',
  what: 'What to do',
  kinds: {
    shift: 'Shift all captions',
    stretch: 'Another frame rate',
    points: 'Fit two points',
    cut: 'Cut a stretch out',
    join: 'Join another file',
  },
  by: 'By how many seconds, such as 2.5 or -0.5',
  from: 'From',
  to: 'To',
  rates: { from: 'Made for (frames per second)', to: 'Played at (frames per second)' },
  is1: 'One time now',
  shall1: 'should be',
  is2: 'Another time now',
  shall2: 'should be',
  file: 'Caption file',
  begins: 'It begins at',
  run: 'Change the times',
  wrong:
    'Enter times as they are shown in the captions; two points must be at different times, in the same order.',
  outcome: (before: string, after: string, dropped: number) =>
    `The last caption ends at ${after}, now at ${before}.${dropped === 0 ? '' : ` ${count(dropped, 'caption falls', 'captions fall')} out.`}`,
  done: (captions: number) => `Times changed: ${count(captions, 'caption', 'captions')}.`,
});

/** The texts about the file from which captions came. */
export const fileText = inLanguage('fileText', {
  title: 'The file of these captions',
  format: (name: string) => `Read as ${name}.`,
  encoding: 'Encoding of its text',
  preview: 'How it reads',
  use: 'Read it in this encoding',
  used: (captions: number) => `Read again: ${count(captions, 'caption', 'captions')}.`,
  none: 'No captions can be read in this encoding.',
  unread: (lines: number) => `${count(lines, 'line was', 'lines were')} not read`,
  line: (line: number) => (line === 0 ? 'A caption' : `Line ${line}`),
  more: (lines: number) => `And ${lines.toLocaleString('en')} more.`,
  all: 'Every line was read.',
  notice: (lines: number, encoding: string | null) =>
    [
      lines === 0
        ? ''
        : `${count(lines, 'line of the file was', 'lines of the file were')} not read.`,
      encoding === null ? '' : `Its text was read as ${encoding}.`,
    ]
      .filter((says) => says !== '')
      .join(' '),
  show: 'Show…',
  dismiss: 'Dismiss',
});

/** The texts of the question before a download that loses something. */
export const lossText = inLanguage('lossText', {
  title: (format: string) => `What ${format} does not hold`,
  hint: 'Everything stays in this review.',
  changed:
    'Its text was changed: what was changed does not keep the colours, readings or times of words of the file.',
  caption: (cue: number) => (cue === 0 ? '' : `Caption ${cue}: `),
  more: (losses: number) => `And ${losses.toLocaleString('en')} more.`,
  save: 'Download anyway',
});
