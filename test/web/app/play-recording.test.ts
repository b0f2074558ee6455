/** The player for a run without captions, and running its recording again. */
import { afterEach, expect, jest, spyOn, test } from 'bun:test';
import { h, render } from 'preact';
import { root } from './support/root.ts';
import * as jobs from '../../../web/run/job.ts';
import { localMedia } from '../../../web/run/local-media.ts';
import { PlayRecording, useRunAgain } from '../../../web/run/run-again.tsx';
import { runEndText as texts } from '../../../web/texts/run-ends.ts';
import { control, drawn, one, until } from './support/app.ts';
import { click, giveFiles } from './support/hands.ts';
import { examples } from '../../../server/http/openapi/examples.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const result = examples.failedResult as never;
const file = new File(['x'], 'talk.mp4');
const player = () => root.querySelector('audio');

test('a recording that was opened is played from its place, and known from then on', async () => {
  render(h(PlayRecording, { runId: 'run_1', result, from: 12 }), root);
  const choice = await until('the choice', () => root.querySelector('input[type=file]'));
  await giveFiles(choice, [file]);
  player()!.dispatchEvent(new Event('loadedmetadata'));
  expect([player()!.currentTime, localMedia('run_1') === file]).toEqual([12, true]);
  const revoked = spyOn(URL, 'revokeObjectURL');
  const src = player()!.getAttribute('src')!;
  render(null, root);
  await until('the end of its address', () => revoked.mock.calls.flat().includes(src));
});

test('a run without its recording asks for it, and then applies the latest change', async () => {
  const started = spyOn(jobs, 'startAgain').mockImplementation(() => {});
  const Again = () => {
    const [again, request] = useRunAgain('run_4', result);
    const button = (language: string) =>
      h('button', { onClick: () => again({ language }) }, language);
    return h('div', {}, button('de'), button('fr'), request);
  };
  render(h(Again, {}), root);
  await click(control('de', root));
  const choice = await until('the request', () => root.querySelector('input[type=file]'));
  await until('the focus', () => document.activeElement === choice);
  expect(one(`#${choice.getAttribute('aria-describedby')}`, root).textContent).toBe(texts.needFile);
  await click(control('fr', root));
  await drawn();
  // Closing the browser's dialog starts nothing.
  await giveFiles(choice, []);
  expect(started).not.toHaveBeenCalled();
  await giveFiles(choice, [file]);
  expect(started.mock.calls).toEqual([[file, expect.objectContaining({ language: 'fr' })]]);
});
