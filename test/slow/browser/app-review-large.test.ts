/** A two-hour talk with three thousand captions, of which the page renders only a few. */
import { beforeAll, expect, setDefaultTimeout } from 'bun:test';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { needsChromium } from '../../support/browser/chromium.ts';
import {
  reviewBench,
  SHORT_TALK,
  wordsOf,
  type ReviewPage,
  type ReviewRun,
} from '../../support/browser/review.ts';

setDefaultTimeout(300_000);

const HOURS = 2;

/** The short talk repeated for two hours, at a pace that gives three thousand captions. */
function longTalk(): TranscriptWord[] {
  const once = wordsOf(SHORT_TALK, 0.1);
  const length = (once.at(-1)?.end ?? 0) + 0.1;
  return Array.from({ length: Math.ceil((HOURS * 3600) / length) }, (_, at) =>
    once.map((word) => ({
      ...word,
      start: Math.round((word.start + at * length) * 1000) / 1000,
      end: Math.round((word.end + at * length) * 1000) / 1000,
    })),
  ).flat();
}

const bench = await reviewBench();
let run: ReviewRun;
let review: ReviewPage;
beforeAll(async () => {
  if (!bench) return;
  bench.hear(longTalk());
  run = await bench.run();
  review = await bench.open(run);
});

const rowsInPage = (): Promise<number> => review.count('.cue');

needsChromium(
  'few rows are in the page wherever it is scrolled, and the last one is at its end',
  async () => {
    expect(run.cues.length).toBeGreaterThan(2000);
    const most: number[] = [];
    for (let part = 0; part <= 10; part += 1) {
      await review.page.$eval(
        '.cue-list',
        (list, to) => list.scrollTo(0, to * list.scrollHeight),
        part / 10,
      );
      await review.settled();
      most.push(await rowsInPage());
    }
    expect(Math.max(...most)).toBeLessThan(60);
    expect(Math.min(...most)).toBeGreaterThan(5);
    await review.page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight));
    await review.settled();
    const last = await review.page.$eval(`[aria-posinset="${run.cues.length}"]`, (row) => {
      const list = row.closest('.cue-list')?.getBoundingClientRect();
      return (list?.bottom ?? 0) - row.getBoundingClientRect().bottom;
    });
    expect(Math.abs(last)).toBeLessThan(4);
    expect(await review.text(run.cues.length)).toBe(run.cues.at(-1)?.text ?? '');
  },
);

needsChromium(
  'the caption in which the user types does not move, and no letter is lost',
  async () => {
    await review.focus(1500);
    const top = () => review.page.$eval('.cue.current', (row) => row.getBoundingClientRect().top);
    const before = await top();
    const typed = ' it is typed here, without any haste, a word after a word.';
    await review.page.keyboard.type(typed);
    expect(await review.text(1500)).toEndWith(typed);
    expect(Math.abs((await top()) - before)).toBeLessThan(2);
  },
);

needsChromium(
  'the row that is typed in keeps the focus, however far the list is scrolled',
  async () => {
    await review.focus(1500);
    await review.page.$eval('.cue-list', (list) => list.scrollTo(0, 0));
    await review.settled();
    expect((await review.current()).typing).toBe(true);
    await review.page.keyboard.type('far');
    await review.page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight));
    await review.settled();
    expect(await review.current()).toMatchObject({ caption: 1500, typing: true });
    expect(await review.text(1500)).toContain('far');
  },
);

needsChromium(
  'warnings are visited in turn, and all places of a word replaced at once',
  async () => {
    await review.focus(1);
    const seen: number[] = [];
    for (let press = 0; press < 20; press += 1) {
      await review.keys('F8');
      seen.push((await review.current()).caption);
    }
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    const wanted = run.result.quality.captions.warnings.map(({ cue }: { cue: number }) => cue);
    expect([...new Set(wanted)].slice(0, 20)).toEqual(seen);
    await review.keys('Shift+F8');
    expect((await review.current()).caption).toBe(seen.at(-2) ?? 0);

    await review.keys('Control+KeyH');
    await review.page.keyboard.type('registration');
    await review.page.keyboard.press('Tab');
    const places = (await review.srt()).split('registration').length - 1;
    await review.fill('.find-replace input', 'enrolment');
    await review.press('Replace all');
    expect(await review.said()).toBe(`Replaced ${places.toLocaleString('en')} times.`);
    const srt = await review.srt();
    expect(srt).not.toContain('registration');
    expect(srt.split('enrolment').length - 1).toBe(places);
    expect(review.faults).toEqual([]);
  },
);
