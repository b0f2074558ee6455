/** The texts of the queue page. */
import { count } from '../format.ts';

/** They are loaded with the page. */
export const queueSays = {
  title: 'Several recordings',
  done: (done: number, all: number) => `${done} of ${count(all, 'recording', 'recordings')} done`,
  allDone: (all: number) => `${all === 1 ? 'It is' : `All ${all} are`} done.`,
  waiting: 'Waiting',
  making: 'Making MP3',
  uploading: 'Uploading',
  starting: 'Starting',
  queued: 'Waiting on the service',
  running: 'Captioning',
  completed: 'Done',
  blocked: 'Blocked by moderation',
  failed: 'Failed',
  cancelled: 'Cancelled',
  review: (name: string) => `Review ${name}`,
  reviewShort: 'Review',
  look: (name: string) => `See what happened to ${name}`,
  lookShort: 'Why?',
  cancel: (name: string) => `Cancel ${name}`,
  cancelShort: 'Cancel',
  again: (name: string) => `Try ${name} again`,
  againShort: 'Try again',
  stay: 'Keep this page open until everything is uploaded. After that the runs continue without it and are listed under Past runs.',
  more: 'Add more recordings',
  another: 'Open other files',
  captionsTitle: 'Several caption files',
  read: (done: number, all: number) => `${done} of ${count(all, 'file', 'files')} read`,
  allRead: (all: number) => `${count(all, 'file', 'files')} read.`,
  found: (captions: number, warnings: number) =>
    `${count(captions, 'caption', 'captions')}, ${count(warnings, 'warning', 'warnings')}`,
  format: 'Format',
  convert: 'Download all',
  without: (name: string) => `No speech was recognised in ${name}.`,
  converted: (files: number) => `Downloaded ${count(files, 'file', 'files')}.`,
};
