/** Recordings at the size limit, and what a refused key does to one of two recordings. */
import { beforeEach, expect, mock, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { pageText, until, visit } from './support/app.ts';
import { click } from './support/hands.ts';
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

test('an MP3 of the largest size is uploaded unchanged, and a larger one is converted first', async () => {
  holding(() => true);
  await captioned(sized(mp3('most.mp3'), UPLOAD.maxBytes));
  await until('the upload', () => step()[0] === text.run.uploading);
  expect(converted).toEqual([]);
  await click(text.run.cancel);
  await visit('#/', text.start.title);
  await captioned(sized(mp3('more.mp3'), UPLOAD.maxBytes + 1));
  await until('the upload', () => step()[0] === text.run.uploading);
  expect(converted).toEqual(['more.mp3']);
});

test('a converted MP3 of the largest size is uploaded, and a larger one is refused', async () => {
  holding(() => true);
  becomes = UPLOAD.maxBytes;
  await captioned(new File(['film'], 'most.mov'));
  await until('the upload', () => step()[0] === text.run.uploading);
  await click(text.run.cancel);
  await visit('#/', text.start.title);
  becomes = UPLOAD.maxBytes + 1;
  await captioned(new File(['film'], 'more.mov'));
  await until('the refusal', () => pageText().includes(text.run.conversion.too_large));
});
