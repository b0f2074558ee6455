/** The tab that a review opens with: the first with something to do. */
import { expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import { spoken } from '../../support/servers/completed-run.ts';
import { one, openApp, openFile, openRun, until } from './support/app.ts';
import { srtOf } from './support/srt.ts';

const says = text.review;
const ann = await openApp();
const TALK = spoken('Welcome to the talk. We are glad that you are here. Thank you all.');

const chosen = () => one('[role=tab][aria-selected=true]').dataset['tab'];
const named = (tab: string) => one(`[data-tab=${tab}]`).textContent;

test('doubtful words come first where there are no terms', async () => {
  await openRun(
    ann,
    TALK.map((word, at) => ({ ...word, confidence: at === 3 ? 0.2 : 0.95 })),
  );
  await until('the tab', () => chosen() === 'doubts');
  expect([named('terms'), named('doubts')]).toEqual([says.tabs.terms(0), says.tabs.doubts(1)]);
});

test('then warnings, and the figures where nothing is left', async () => {
  await openFile(
    srtOf('So many words that nobody could ever read all of them in these two seconds.'),
  );
  await until('the warnings', () => chosen() === 'warnings');
  expect(named('warnings')).toBe(says.tabs.warnings(2));
  await openRun(
    ann,
    TALK.map((word) => ({ ...word, confidence: 0.95 })),
  );
  await until('the figures', () => chosen() === 'report');
});
