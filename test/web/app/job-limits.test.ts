/** Recordings at the size limit, and what a refused key does to one of two recordings. */
import { beforeEach, expect, mock, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { pageText, until } from './support/app.ts';
import { captioned, holding, mp3, step, useJobs } from './support/job.ts';
import { UPLOAD } from '../../../server/contract/limits.ts';

/** The names of the files that were converted, and the size of the MP3 that each becomes. */
const converted: string[] = [];
let becomes = 0;
void mock.module('../../../web/media/convert.ts', () => ({
  convertToMp3: async ({ name }: File) => {
    converted.push(name);
    return { mp3: sized(mp3(name), becomes), durationSeconds: 3, tookMs: 5 };
  },
}));

useJobs();
beforeEach(() => {
  converted.length = 0;
  becomes = 1000;
});

/** A file that says it has another size. */
const sized = (file: File, size: number): File =>
  Object.defineProperty(file, 'size', { value: size });

test.each<[name: string, size: number, becomes: number, ends: string]>([
  ['most.mp3', UPLOAD.maxBytes, 0, 'uploaded'],
  ['more.mp3', UPLOAD.maxBytes + 1, 1000, 'converted, uploaded'],
  ['most.mov', 4, UPLOAD.maxBytes, 'converted, uploaded'],
  ['more.mov', 4, UPLOAD.maxBytes + 1, 'converted, refused'],
])('%s of %d bytes, which becomes %d, is %s', async (name, size, made, ends) => {
  holding(() => true);
  becomes = made;
  const file = name.endsWith('.mp3') ? mp3(name) : new File(['film'], name);
  await captioned(sized(file, size));
  if (ends.endsWith('refused'))
    await until('the refusal', () => pageText().includes(text.run.conversion.too_large));
  else await until('the upload', () => step()[0] === text.run.uploading);
  expect(converted).toEqual(ends.startsWith('converted') ? [name] : []);
});
