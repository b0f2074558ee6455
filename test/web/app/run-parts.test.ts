/** Parts of a run's screen by themselves: the words so far, and the steps in the page. */
import './support/page.ts';
import { afterEach, beforeEach, expect, jest, spyOn, test } from 'bun:test';
import { h, render } from 'preact';
import { signal } from '@preact/signals';
import { ConversionError } from '../../../web/media/conversion-error.ts';
import { failureOf } from '../../../web/run/job-failure.ts';
import { JobScreen } from '../../../web/run/job-screen.tsx';
import { makeJob, type Step } from '../../../web/run/job.ts';
import { PartialTranscript } from '../../../web/run/run-progress.tsx';
import { Mp3Command } from '../../../web/run/mp3-command.tsx';
import { server } from '../../../web/server.ts';
import { text } from '../../support/browser/words.ts';
import { drawn, one } from './support/app.ts';
import { line } from './support/followed-run.ts';

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

test('what happens in the page has one bar, and the time left', () => {
  spyOn(performance, 'now').mockReturnValue(100_000);
  const job = makeJob('talk.wav', () => {});
  const shown = (conversion: Partial<Step>, upload: Partial<Step> = {}) => {
    job.conversion.value = { ...job.conversion.peek(), ...conversion };
    job.upload.value = { ...job.upload.peek(), ...upload };
    render(null, page);
    render(h(JobScreen, { job }), page);
    return line();
  };
  expect(shown({})).toEqual([text.run.making, '', '', '0']);
  expect(
    shown({ state: 'active', startedAt: 90_000, fraction: 0.5, note: '0:05 of 0:10' }),
  ).toEqual([text.run.making, '0:05 of 0:10', text.run.left(10), '0.125']);
  expect(shown({ fraction: 0.01 })[2]).toBe('');
  expect(
    shown({ state: 'done' }, { state: 'active', startedAt: 99_000, fraction: 0.5, note: '1 of 2' }),
  ).toEqual([text.run.uploading, '1 of 2', '', '0.325']);
  expect(shown({}, { state: 'done', fraction: 1 })).toEqual([text.run.starting, '', '', '0.4']);
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
