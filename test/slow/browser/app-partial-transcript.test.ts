/**
 * The words of a running run: shown as they are recognised, readable, and never announced in a
 * flood.
 */
import { afterAll, expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import { createPartialTranscripts } from '../../../server/runs/store/partial-transcripts.ts';
import { createRunStore } from '../../../server/runs/store/run-store.ts';
import { openDatabase } from '../../../server/storage/database.ts';
import { text } from '../../support/browser/words.ts';
import { hides, shows, showsReview } from '../../support/browser/app.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import { expectToLookWell } from '../../support/browser/look.ts';
import { appBench } from './support.ts';

// All visual rules are checked in four variants, which takes a minute or more on a busy machine.
setDefaultTimeout(300_000);

const { server, openRunning } = await appBench();
const database = openDatabase(join(server.dataDir, 'captioner.sqlite'));
afterAll(() => database.destroy());
const partial = createPartialTranscripts(database);
const runs = createRunStore(database);

const SAID = [
  'Good evening, and welcome to this short talk about how agents register with a service.',
  'An agent that wants to act for a person needs a key, and the person has to know about it.',
  'So the service mails a code of six digits, and only the person can read that mail.',
];
const many = Array.from({ length: 30 }, (_, at) => `${at + 4}: ${SAID[at % 3]}`);

needsChromium('the words appear while the run goes on, and make room for the review', async () => {
  const { page, runId, release } = await openRunning();
  expect(await page.$('.heard')).toBe(null);
  let position = 0;
  /** Like a worker: stores the words, then reports progress, which notifies the watchers. */
  const hear = async (texts: readonly string[]) => {
    const parts = texts.map((said, at) => ({
      start: (position + at) * 28,
      end: (position + at) * 28 + 27.5,
      text: said,
    }));
    await partial.add(runId, position, parts);
    position += texts.length;
    await runs.report(runId, 'transcription', 0.5 + position / 100);
  };
  await hear(SAID.slice(0, 1));
  await shows(page, text.run.heardTitle);
  await shows(page, SAID[0]!);
  expect(await page.$eval('.heard [role=status]', (one) => one.textContent)).toBe(
    text.run.heardFirst,
  );
  await hear(SAID.slice(1));
  await shows(page, `${SAID[0]} ${SAID[1]} ${SAID[2]}`);
  await expectToLookWell(page, 'heard-so-far');

  // The newest words stay in view until the user scrolls up.
  await hear(many);
  await shows(page, many.at(-1)!);
  const fromEnd = () =>
    page.$eval('.heard-words', (box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  expect(await fromEnd()).toBeLessThan(2);
  await page.$eval('.heard-words', (box) => box.scrollTo(0, 0));
  await page.waitForFunction(() => document.querySelector('.heard-words')!.scrollTop === 0);
  await hear(['And the last words.']);
  await shows(page, 'And the last words.');
  expect(await page.$eval('.heard-words', (box) => box.scrollTop)).toBe(0);
  // Screen readers get a single message for all of that.
  expect(await page.$eval('.heard [role=status]', (one) => one.textContent)).toBe(
    text.run.heardFirst,
  );

  // A page opened later shows everything, once.
  await page.reload();
  await shows(page, 'And the last words.');
  const said = await page.$eval('.heard-words', (box) => (box as HTMLElement).innerText);
  expect(said).toBe([...SAID, ...many, 'And the last words.'].join(' '));

  release();
  await showsReview(page);
  await hides(page, text.run.heardTitle);
});
