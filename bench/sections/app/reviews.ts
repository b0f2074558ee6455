/** Opening and typing in a review of thousands of captions, against a short one. */
import type { Browser, Page } from 'puppeteer-core';
import { openApp } from '../../../test/support/browser/app.ts';
import type { Client } from '../../../test/support/servers/client.ts';
import { percentile } from '../../figures.ts';
import { answerFor, type InstantProvider } from '../../instant-provider.ts';
import { inTurn, row } from '../../measure.ts';
import { recordingOfSeconds } from '../../recording.ts';
import type { Bench } from '../../section.ts';
import { payload } from '../../service.ts';

/** The number of words that makes about 3,000 captions. */
const LONG_TALK = 36_000;
/** A tenth of that number, still enough for a list that scrolls. */
const SHORT_TALK = 3600;
const WORDS_A_SECOND = 2.75;
const ROUNDS = 3;
const KEYS = 80;
const ZOOMS = 120;
const SCROLLS = 60;
/** How far the list is scrolled in a frame, in pixels, and the part of it that is scrolled up and down. */
const SCROLL_STEP = 900;
const SCROLL_RANGE = 12_000;
/** The limit for the 99th percentile of a keystroke, in milliseconds: two frames. */
const TWO_FRAMES_MS = 33;
/** The duration of a frame at 60 frames a second. */
const FRAME_MS = 16.7;

interface Review {
  cues: number;
  /** Milliseconds from requesting the review to its captions. */
  opened: number;
  /** Milliseconds of script and layout for each keystroke. */
  keys: number[];
  /** Milliseconds of script for each zoom step of the timeline. */
  zooms: number[];
  /** Milliseconds between frames while zooming. */
  frames: number[];
  /** Milliseconds of script, style and layout for each frame in which the list is scrolled. */
  scrolled: number;
}

/** Creates both reviews with runs of `client`, whose service must use `provider`. */
export async function reviews(
  bench: Bench,
  browser: Browser,
  client: Client,
  { state }: InstantProvider,
): Promise<void> {
  await client.put('review.mp3', recordingOfSeconds(60));
  const made = async (words: number) => {
    state.answer = answerFor(words, words / WORDS_A_SECOND);
    const { _meta } = await client.caption(payload('review.mp3'));
    return () => review(browser, client, _meta.runId);
  };
  const { short, long } = await inTurn(ROUNDS, {
    short: await made(SHORT_TALK),
    long: await made(LONG_TALK),
  });
  const key = (of: Review[], share: number) => of.map(({ keys }) => percentile(keys, share));
  const zoomed = (of: Review[], what: 'zooms' | 'frames', share: number) =>
    of.map((one) => percentile(one[what], share));
  const among = (of: Review[]) => `${(of[0]?.cues ?? 0).toLocaleString('en')} captions`;
  const typed = `a key typed among ${among(long)}`;
  const frame = 'a frame of sixty a second';
  bench.rows(
    row(`${typed}, p50`, `among ${among(short)}`, 'ms', key(long, 0.5), key(short, 0.5)),
    row(`${typed}, p50`, frame, 'ms', key(long, 0.5), [FRAME_MS]),
    row(`${typed}, p99`, 'two frames', 'ms', key(long, 0.99), [TWO_FRAMES_MS]),
    row(`a step of zoom among ${among(long)}, p99`, frame, 'ms', zoomed(long, 'zooms', 0.99), [
      FRAME_MS,
    ]),
    row(`from frame to frame while zooming, p50`, frame, 'ms', zoomed(long, 'frames', 0.5), [
      FRAME_MS,
    ]),
    row(`from frame to frame while zooming, p95`, frame, 'ms', zoomed(long, 'frames', 0.95), [
      FRAME_MS,
    ]),
    row(
      `a frame of scrolling ${among(long)}`,
      `one of ${among(short)}`,
      'ms',
      long.map(({ scrolled }) => scrolled),
      short.map(({ scrolled }) => scrolled),
    ),
    row(
      `to open a review of ${among(long)}`,
      `one of ${among(short)}`,
      'ms',
      long.map(({ opened }) => opened),
      short.map(({ opened }) => opened),
    ),
  );
}

async function review(browser: Browser, client: Client, runId: string): Promise<Review> {
  const started = performance.now();
  const { page } = await openApp(browser, client.url, { client, at: `/runs/${runId}` });
  await page.waitForSelector('.cue textarea');
  const opened = performance.now() - started;
  const cues = await page.$eval('.cue', (row) => Number(row.getAttribute('aria-setsize')));
  // Scroll to the middle of the talk.
  await page.$eval('.cue-list', (list) => list.scrollTo(0, list.scrollHeight / 2));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await measureKeys(page);
  const rows = await page.$$('.cue textarea');
  await rows[Math.floor(rows.length / 2)]?.click();
  for (let key = 0; key < KEYS; key += 1)
    await page.keyboard.press(key % 7 === 6 ? 'Space' : 'KeyE');
  const keys = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys);
  const { zooms, frames } = await zoom(page);
  const scrolled = await scroll(page);
  await page.browserContext().close();
  return { cues, opened, keys, zooms, frames, scrolled };
}

/**
 * Scrolls the list up and down within a part that a short review has as well, and returns the work per frame as the
 * browser measures it: the time between frames only shows whether they were late.
 */
async function scroll(page: Page): Promise<number> {
  const before = await work(page);
  await page.$eval(
    '.cue-list',
    async (list, [steps, step, range]) => {
      list.scrollTo(0, 0);
      for (let at = 0, by: number = step; at < steps; at += 1) {
        if (list.scrollTop + by > range || list.scrollTop + by < 0) by = -by;
        list.scrollTop += by;
        await new Promise(requestAnimationFrame);
      }
    },
    [SCROLLS, SCROLL_STEP, SCROLL_RANGE] as const,
  );
  return ((await work(page)) - before) / SCROLLS;
}

/** The work of a page since it was opened, in milliseconds. */
async function work(page: Page): Promise<number> {
  const { ScriptDuration = 0, LayoutDuration = 0, RecalcStyleDuration = 0 } = await page.metrics();
  return (ScriptDuration + LayoutDuration + RecalcStyleDuration) * 1000;
}

/** Zooms the timeline in and out, one step per frame, like a wheel with Ctrl. */
const zoom = (page: Page): Promise<Pick<Review, 'zooms' | 'frames'>> =>
  page.evaluate(async (steps) => {
    const frame = document.querySelector('.waveform-frame');
    const box = frame?.getBoundingClientRect();
    const zooms: number[] = [];
    const frames: number[] = [];
    let last = await new Promise<number>(requestAnimationFrame);
    for (let step = 0; step < steps; step += 1) {
      const began = performance.now();
      frame?.dispatchEvent(
        new WheelEvent('wheel', {
          deltaY: step % 40 < 20 ? 12 : -12,
          ctrlKey: true,
          clientX: (box?.left ?? 0) + 300,
          clientY: (box?.top ?? 0) + 20,
          bubbles: true,
          cancelable: true,
        }),
      );
      zooms.push(performance.now() - began);
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - last);
      last = now;
    }
    return { zooms, frames };
  }, ZOOMS);

/**
 * Measures the time from a keystroke to the finished layout: everything that delays the next frame.
 */
const measureKeys = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const keys: number[] = [];
    Object.assign(globalThis, { keys });
    let pressed = 0;
    addEventListener('keydown', () => (pressed = performance.now()), { capture: true });
    addEventListener('input', () => {
      // Preact renders in a microtask.
      setTimeout(() => {
        void document.body.offsetHeight;
        keys.push(performance.now() - pressed);
      });
    });
  });
