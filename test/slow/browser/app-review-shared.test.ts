/** One review in two browsers: edits are saved while typing, merged, and never overwritten. */
import { expect, setDefaultTimeout } from 'bun:test';
import { saveText } from '../../../web/texts/saving.ts';
import { text } from '../../support/browser/words.ts';
import { press, shows } from '../../support/browser/app.ts';
import { until } from '../../support/servers/client.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { reviewBench, type ReviewPage } from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const bench = await reviewBench();

/** A page in the background renders no frames, so it is polled. */
const POLLING = { polling: 50 } as const;

const isSaved = ({ page }: ReviewPage): Promise<unknown> =>
  page.waitForFunction(
    (says) => document.querySelector<HTMLElement>('.saving')?.innerText === says,
    POLLING,
    saveText.saved,
  );
/** Waits until a caption contains some words. */
const has = (review: ReviewPage, caption: number, words: string): Promise<unknown> => {
  const field = `document.querySelector(${JSON.stringify(review.field(caption))})`;
  return review.page.waitForFunction(`${field}?.value.includes(${JSON.stringify(words)})`, POLLING);
};
const typeIn = async (review: ReviewPage, caption: number, words: string): Promise<void> => {
  await review.page.bringToFront();
  await review.type(caption, words);
};

needsChromium('two browsers edit one review, and neither overwrites the other', async () => {
  if (!bench) throw new Error('there is no Chromium');
  const run = await bench.run();
  const served = async (): Promise<string> =>
    (await bench.client.get(`/workflows/captioner/${run.runId}/captions.srt`)).text();
  const ann = await bench.open(run, { shared: true });
  await typeIn(ann, 1, ' ONE');
  await isSaved(ann);
  expect(await served()).toContain(' ONE');

  const ben = await bench.open(run, { shared: true });
  await has(ben, 1, ' ONE');
  await typeIn(ben, 2, ' TWO');
  await isSaved(ben);

  // Ann's save comes after Ben's, so his is merged into hers first.
  await typeIn(ann, 3, ' THREE');
  await shows(ann.page, saveText.news(1));
  await has(ann, 2, ' TWO');
  await isSaved(ann);
  for (const words of [' ONE', ' TWO', ' THREE']) expect(await served()).toContain(words);
  await press(ann.page, saveText.dismiss);

  // Speakers are shared as well; Ben gets the name while he is typing.
  const speaks = async (): Promise<string[]> => {
    const path = `/workflows/captioner/${run.runId}/review`;
    const { cues, speakers } = await (await bench.client.get(path)).json();
    return [cues[0].speaker ?? '', ...speakers.map(({ name }: { name: string }) => name)];
  };
  await ann.page.click(ann.field(1));
  await ann.tab('speakers');
  await ann.page.waitForSelector('.new-speaker input');
  await ann.fill('.new-speaker input', 'Ada');
  await until(async () => (await speaks()).join() === 'Ada,Ada');
  await typeIn(ben, 2, ' too');
  await ben.page.waitForFunction(
    () => document.querySelector<HTMLElement>('.cue-speakers')?.innerText === 'Ada',
    POLLING,
  );
  await isSaved(ben);
  expect(await speaks()).toEqual(['Ada', 'Ada']);
  await press(ben.page, saveText.dismiss);

  // Both edit the same caption, Ann while offline.
  await ann.page.setOfflineMode(true);
  await typeIn(ann, 4, ' of Ann');
  await shows(ann.page, saveText.here);
  await typeIn(ben, 4, ' of Ben');
  await isSaved(ben);
  await ann.page.bringToFront();
  await ann.page.setOfflineMode(false);
  await shows(ann.page, saveText.conflict(1));
  expect(await served()).toContain(' of Ben');
  await press(ann.page, saveText.compare);
  await ann.page.waitForSelector('.two-versions');
  await expectToLookWell(ann.page, 'review-shared');
  await ann.page.setViewport({ width: 1280, height: 900 });
  await press(ann.page, saveText.keepMine.slice(0, 9), 'dialog');
  await press(ann.page, text.close, 'dialog');
  await isSaved(ann);
  const after = await served();
  expect([after.includes(' of Ann'), after.includes(' of Ben')]).toEqual([true, false]);

  // Edits made right before closing the page are saved.
  await typeIn(ann, 5, ' at last');
  await ann.page.goto(`${bench.server.url}/guide`);
  await ben.page.bringToFront();
  await ben.page.reload();
  await has(ben, 5, ' at last');
  expect(await ben.text(4)).toEndWith(' of Ann');
  const offline = 'console: Failed to load resource: net::ERR_INTERNET_DISCONNECTED';
  expect([ann.faults.filter((fault) => fault !== offline), ben.faults]).toEqual([[], []]);
  await ann.close();
  await ben.close();
});
