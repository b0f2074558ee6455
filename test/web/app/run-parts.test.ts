/** Parts of a run's screen by themselves: the words so far, and the steps in the page. */
import './support/page.ts';
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { h, render } from 'preact';
import { signal } from '@preact/signals';
import { PartialTranscript } from '../../../web/run/run-progress.tsx';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import { Mp3Command, failureOf } from '../../../web/run/job-failure.tsx';
import { server } from '../../../web/server.ts';
import { text } from '../../support/browser/words.ts';
import { drawn, one } from './support/app.ts';

const page = document.createElement('div');

beforeEach(() => document.body.append(page));
afterEach(() => {
  jest.restoreAllMocks();
  render(null, page);
  page.remove();
});

test('the newest words stay in view unless the user has scrolled back', async () => {
  const heard = signal([{ text: 'One.', start: 0, end: 1 }]);
  render(h(PartialTranscript, { heard: heard as never }), page);
  const box = one('.heard-words', page);
  let height = 500;
  Object.defineProperties(box, {
    scrollHeight: { get: () => height },
    clientHeight: { get: () => 100 },
  });
  const say = async (words: string) => {
    height += 100;
    heard.value = [...heard.peek(), { text: words, start: 1, end: 2 }];
    await drawn();
  };
  const scroll = (to: number) => {
    box.scrollTop = to;
    box.dispatchEvent(new Event('scroll'));
  };
  await say('Two.');
  expect(box.scrollTop).toBe(600);
  // 48 pixels from the end is too far to follow.
  scroll(452);
  await say('Three.');
  expect(box.scrollTop).toBe(452);
  scroll(553);
  await say('Four.');
  expect(box.scrollTop).toBe(800);
});

test('screen readers announce the first words and, once a minute, the time they reach', async () => {
  const every = spyOn(globalThis, 'setInterval');
  const heard = signal([{ text: 'One.', start: 0, end: 61 }]);
  render(h(PartialTranscript, { heard: heard as never }), page);
  await drawn();
  const announced = () => one('[role=status]', page).textContent;
  expect(announced()).toBe(text.run.heardFirst);
  const [tick, ms] = every.mock.calls.find(([, time]) => time === 60_000)!;
  expect(ms).toBe(60_000);
  heard.value = [...heard.peek(), { text: 'Two.', start: 61, end: 125 }];
  await drawn();
  expect(announced()).toBe(text.run.heardFirst);
  (tick as () => void)();
  await drawn();
  expect(announced()).toBe(text.run.heardUntil(125));
});

test('only a failure that is not of the file is tried again, and a command shown where it may help', () => {
  const failure = (error: unknown) => {
    const { isOfFile, showCommand } = failureOf(error);
    return [isOfFile, showCommand];
  };
  expect(failure(new ConversionError('failed', ''))).toEqual([false, true]);
  expect(failure(new ConversionError('codec_unsupported', ''))).toEqual([true, true]);
  expect(failure(new ConversionError('too_large', ''))).toEqual([true, false]);
  expect(failure(new TypeError('x is not a function'))).toEqual([false, false]);
});

test('the command for an MP3 names the file as a shell reads it', () => {
  Object.assign(server, { ffmpegCommand: 'ffmpeg -i input.mp4 output.mp3' });
  render(h(Mp3Command, { name: "it's $& 1.2.mov" }), page);
  expect(one('code', page).textContent).toBe(
    "ffmpeg -i 'it'\\''s $& 1.2.mov' 'it'\\''s $& 1.2.mp3'",
  );
});
