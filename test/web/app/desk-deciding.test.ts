/** Deciding in the review: playing doubtful words, deciding on them at the cursor or everywhere, and long lists. */
import { beforeEach, expect, test } from 'bun:test';
import { text } from '../../support/browser/words.ts';
import {
  all,
  control,
  drawn,
  field,
  goToStart,
  has,
  one,
  openApp,
  openFile,
  openRun,
  said,
  until,
} from './support/app.ts';
import { CORRECTIONS, words } from './support/doubtful-talk.ts';
import { click, press, type } from './support/hands.ts';
import { srtOf } from './support/srt.ts';
import { open, panel, tab } from './support/panels.ts';
import { video } from './support/recordings.ts';

const says = text.review;
const ann = await openApp();
const media = () => one('video') as HTMLVideoElement;

beforeEach(() => {
  ann.interrupt(null);
  localStorage.clear();
});

/** Opens a talk with a recording that records what is played. */
async function openTalk(of = words): Promise<void> {
  await openRun(ann, of, CORRECTIONS);
  const { setLocalMedia } = await import('../../../web/run/local-media.ts');
  const runId = location.hash.split('/').at(-1)!;
  setLocalMedia(runId, video);
  await goToStart();
  location.hash = `#/runs/${runId}`;
  await until('the video', () => document.querySelector('video'));
  field(1).focus();
  await drawn();
}

test('a term is played from a second before it to half a second after', async () => {
  await openTalk();
  await until('the terms', () => all('.term').length === 2);
  const [first] = CORRECTIONS;
  await click(all('.term [title="Play it"]')[0]!);
  expect([media().paused, media().currentTime]).toEqual([false, first!.start - 1]);
  media().currentTime = first!.end + 0.49;
  await drawn();
  expect(media().paused).toBe(false);
  media().currentTime = first!.end + 0.5;
  await until('its end', () => media().paused);
});

test('a doubtful word is played in the same way', async () => {
  await openTalk();
  await open('doubts');
  await until('the words', () => all('.term').length === 2);
  // The first of them is less than a second from the beginning.
  await click(all('.term [title="Play it"]')[0]!);
  expect(media().currentTime).toBe(words[3]!.start - 1);
  await click(all('.term [title="Play it"]')[1]!);
  expect(media().currentTime).toBeCloseTo(words[20]!.start - 1, 6);
  media().currentTime = words[20]!.end + 0.5;
  await until('its end', () => media().paused);
});

test('one decision applies to all places of a doubtful word, by a button and by a key', async () => {
  const doubted = words.map((word) => ({
    ...word,
    confidence: word.text === 'the' || word.text === 'off' ? 0.2 : 0.95,
  }));
  await openRun(ann, doubted);
  await open('doubts');
  await until('the words', () => all('.term').length === 3);
  expect(has(says.sureAll(2))).toBe(true);
  await click(says.sureAll(2));
  await until('one is left', () => all('.term').length === 1);
  expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
  await click(says.undo);
  await until('all are back', () => all('.term').length === 3);
  await press('F9', field(1));
  await press('F9', document.activeElement!);
  await press('Alt+Shift+KeyA', document.activeElement!);
  await until('both are settled', () => tab('doubts').textContent === says.tabs.doubts(1));
});

test('a doubtful word is confirmed from either of its ends as well', async () => {
  await openTalk();
  const doubted = words[3]!.text.replace(/\W+$/, '');
  const from = field(1).value.indexOf(doubted);
  for (const at of [from, from + doubted.length]) {
    field(1).setSelectionRange(at, at);
    await press('Alt+KeyA', field(1));
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(1));
    await click(says.undo);
    expect(tab('doubts').textContent).toBe(says.tabs.doubts(2));
    field(1).focus();
  }
});

test('the keys show a message if there is nothing to decide', async () => {
  await openFile(srtOf('Good night.'));
  field(1).focus();
  for (const key of ['Alt+KeyA', 'Alt+KeyR', 'Alt+Shift+KeyA', 'Alt+Shift+KeyR']) {
    await type(field(1), `Good night ${key}.`);
    await press(key, field(1));
    expect(said()).toBe(says.nothingToDecide);
  }
});

test('rejecting a doubtful word decides on the term of its caption', async () => {
  await openTalk();
  await press('F9', field(1));
  await press('Alt+KeyR', document.activeElement!);
  expect(tab('doubts').textContent).toBe(says.tabs.doubts(2));
});

test('the number of open items links to their panel', async () => {
  await openTalk();
  await click(control(says.leftDoubts(2)));
  expect(tab('doubts').getAttribute('aria-selected')).toBe('true');
  await click(control(says.leftTerms(2)));
  expect(tab('terms').getAttribute('aria-selected')).toBe('true');
});

test('the first hundred doubtful words are listed, and the others counted', async () => {
  const many = Array.from({ length: 120 }, (_, at) => ({
    text: `word${at}`,
    start: at,
    end: at + 0.5,
    confidence: 0.1,
  }));
  await openRun(ann, many);
  await open('doubts');
  await until('the list', () => all('.term').length === 100);
  expect(panel()).toContain(says.doubtsMore(20));
  await openRun(ann, many.slice(0, 100));
  await open('doubts');
  await until('the list', () => all('.term').length === 100);
  expect(panel()).not.toContain('more.');
});

test('the first hundred warnings are listed, each with its caption', async () => {
  const long = 'So many words that nobody could ever read them all.';
  await openFile(srtOf(...Array.from({ length: 60 }, () => long)));
  await open('warnings');
  await until('the list', () => all('.warnings li').length === 100);
  const [first, second] = all('.warnings li');
  expect(one('b', first).textContent).toBe('1');
  expect([first!.className, second!.className].toSorted()).toEqual(['warning', 'warning']);
  expect(all('[role=tabpanel] kbd').map(({ textContent }) => textContent)).toEqual([
    'Shift+F8',
    'F8',
  ]);
  await openFile(srtOf('Good night.'));
  await open('warnings');
  await until('none', () => panel().includes(says.warningsNone));
  expect(all('[role=tabpanel] .actions button')).toHaveLength(0);
});
