/**
 * Next steps after a failure: the same file again, another one, the recording of a run; and
 * leaving.
 */
import { beforeEach, expect, test } from 'bun:test';
import { runEndText } from '../../../web/texts/run-ends.ts';
import { text } from '../../support/browser/words.ts';
import { sample } from '../../support/sample.ts';
import {
  all,
  control,
  goToStart,
  has,
  one,
  openApp,
  openFile,
  pageText,
  refusal,
  until,
  visit,
} from './support/app.ts';
import { endedRun, srtOf } from './support/talks.ts';
import { click, giveFiles } from './support/hands.ts';
import { examples } from '../../../server/http/openapi/examples.ts';

const says = text.start;
const ann = await openApp();

beforeEach(async () => {
  ann.interrupt(null);
  await goToStart();
});

const mp3 = async (name = 'talk.mp3') =>
  new File([await Bun.file(sample).arrayBuffer()], name, { type: 'audio/mpeg' });

const isStart = ({ method, url }: Request): boolean =>
  method === 'POST' && new URL(url).pathname === '/workflows/captioner';

async function captioned(file: File): Promise<void> {
  await giveFiles(one('.drop input[type=file]'), [file]);
  await until('the choice', () => pageText().includes(file.name));
  await click(says.make);
}

test('a refused run can be retried or abandoned', async () => {
  let tries = 0;
  ann.interrupt((request) => {
    if (!isStart(request)) return null;
    tries += 1;
    return refusal(429, 'quota_exceeded', 'No more today.');
  });
  await captioned(await mp3());
  await until(
    'the refusal',
    () => pageText().includes('No more today.') && has(runEndText.tryAgain),
  );
  await click(runEndText.tryAgain);
  await until('another try', () => tries === 2 && has(runEndText.tryAgain));
  await click(runEndText.back);
  await until('the start page', () => document.querySelector('form.start'));
});

test('a file that is not a recording is refused, and another one can be chosen', async () => {
  ann.interrupt((request) =>
    isStart(request) ? refusal(429, 'quota_exceeded', 'No more today.') : null,
  );
  await captioned(new File(['nothing at all'], 'broken.mp4', { type: 'video/mp4' }));
  await until('another choice', () => has(runEndText.otherFile));
  expect(has(runEndText.tryAgain)).toBe(false);
  await giveFiles(one('.card input[type=file]'), [await mp3('better.mp3')]);
  await until('the other one', () => pageText().includes('better.mp3'));
  await until('its refusal', () => pageText().includes('No more today.'));
});

test('a failed run can run again with its recording, which the user chooses if it is not stored', async () => {
  const source = { key: 'talks/keynote.mp3', filename: 'keynote.mp4' };
  const input = { ...examples.failedResult.input, source };
  const runId = await endedRun(ann, 'failed', { ...examples.failedResult, input });
  await visit(`#/runs/${runId}`, text.run.failed);
  await click(runEndText.again);
  await until('the request', () => pageText().includes(runEndText.needFile));
  expect(document.activeElement?.closest('.actions')).not.toBeNull();
  const payloads: Record<string, unknown>[] = [];
  ann.interrupt((request) =>
    isStart(request)
      ? request.json().then((payload: Record<string, unknown>) => {
          payloads.push(payload);
          return refusal(429, 'quota_exceeded', 'No more today.');
        })
      : null,
  );
  await giveFiles(all('.card input[type=file]').at(-1)!, [await mp3('again.mp3')]);
  await until('the run', () => payloads.length === 1);
  // It is the same recording, whatever its file is called here.
  expect(payloads[0]).toMatchObject({
    audio: { key: expect.stringContaining('again'), filename: 'keynote.mp4' },
  });
});

test('the app shows a message while the browser is offline', async () => {
  const online = (is: boolean) => {
    Object.defineProperty(navigator, 'onLine', { value: is, configurable: true });
    dispatchEvent(new Event(is ? 'online' : 'offline'));
  };
  online(false);
  await until('the notice', () => pageText().includes(text.offline));
  online(true);
  await until('no notice', () => !pageText().includes(text.offline));
});

test('signing out asks about the data in this browser', async () => {
  await openFile(srtOf('Good night.'), 'mine.srt');
  await visit('#/', says.make);
  const signOut = async () => {
    await click(all('.header-end .menu > button')[0]!);
    await click(control(text.header.signOut));
    await until('the question', () => pageText().includes(text.header.signOutAsk));
  };
  await signOut();
  await click(text.cancel);
  await until('no question', () => !document.querySelector('dialog'));
  expect(sessionStorage.getItem('captioner.session')).not.toBeNull();
  await signOut();
  await click(text.header.signOutKeep);
  await until('the way to sign in', () => has(text.header.signIn));
  expect(sessionStorage.getItem('captioner.session')).toBeNull();
  await visit('#/runs', 'mine');
});
