/** The choice of a format, and the button that downloads all files in it. */
import { root } from './support/root.ts';
import { expect, test } from 'bun:test';
import { h, render } from 'preact';
import { DownloadAll } from '../../../web/run/queue-screen.tsx';
import { queueText as texts } from '../../../web/texts/run-ends.ts';
import { control, drawn, one } from './support/app.ts';
import { choose, click } from './support/hands.ts';

function show(isReady: boolean) {
  const asked: { format: string; end(message: string): void }[] = [];
  const onDownload = (format: string) =>
    new Promise<string>((resolve) => {
      asked.push({ format, end: resolve });
    });
  render(h(DownloadAll, { first: 'vtt', isReady, onDownload }), root);
  const isOff = () => control(texts.convert, root).getAttribute('aria-disabled');
  return { asked, isOff, said: () => one('[role=status]', root).textContent };
}

test('the files are downloaded in the chosen format, once at a time', async () => {
  const { asked, isOff, said } = show(true);
  await click(texts.convert);
  expect(isOff()).toBe('true');
  await click(texts.convert);
  expect(asked.map(({ format }) => format)).toEqual(['vtt']);
  asked[0]!.end('Two files.');
  await drawn();
  expect([said(), isOff()]).toEqual(['Two files.', 'false']);
  await choose(one('select', root) as HTMLSelectElement, 'csv');
  await click(texts.convert);
  expect(asked.map(({ format }) => format)).toEqual(['vtt', 'csv']);
});

test('nothing is downloaded before the files are ready', async () => {
  const { asked, isOff } = show(false);
  await click(texts.convert);
  expect([asked, isOff()]).toEqual([[], 'true']);
});
