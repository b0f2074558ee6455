/**
 * Edges that snap, by dragging and by keys: to speech, to shot changes found in the video, to frames, to
 * the captions beside them.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import { chooseFile } from '../../support/browser/app.ts';
import { cutVideo, RATE } from '../../support/browser/cut-video.ts';
import {
  byName,
  captionsOf,
  countHands,
  rowOf,
  seekTo,
  taken,
  writeRows,
  type Task,
} from '../../support/browser/desk-task.ts';
import { placeOf, secondsOf } from '../../support/browser/review-sound.ts';
import { reviewBench, SHORT_TALK, wordsOf, type ReviewPage } from '../../support/browser/review.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { needsBoth } from '../../web/support/media-files.ts';

setDefaultTimeout(180_000);

/** A cut within the third caption. */
const CUT = 11.4;

const bench = await reviewBench();
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
let review: ReviewPage;
beforeAll(async () => {
  if (!bench || !Bun.which('ffmpeg')) return;
  review = await bench.open(await bench.run(), { before: countHands });
  await review.page.setViewport({ width: 1440, height: 1700 });
  await chooseFile(review.page, await cutVideo(folder, [CUT, 20]));
  await review.page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 1);
  await byName(review, 'find the shot');
  await review.page.waitForFunction(() =>
    document.querySelector('.said')?.textContent?.startsWith('Found 2 shot changes'),
  );
});

type Edge = 'start' | 'end';
const edgeOf = async (caption: number, edge: Edge): Promise<number> =>
  secondsOf((await review.times(caption))[edge === 'start' ? 0 : 1]);

/** Drags an edge of a caption to a time, as far as the mouse can tell. */
async function drag(caption: number, edge: Edge, to: number): Promise<void> {
  const { mouse } = review.page;
  const from = await edgeOf(caption, edge);
  const [x, y] = await placeOf(review, from + (edge === 'start' ? 0.02 : -0.02));
  const [until] = await placeOf(review, to);
  await mouse.move(x, y);
  await mouse.down();
  for (let step = 1; step <= 5; step += 1) await mouse.move(x + ((until - x) * step) / 5, y);
  await mouse.up();
  await review.settled();
}

/** Turns one kind of snapping on, and the others off. */
async function snapTo(wanted: 'Speech' | 'Shots' | 'Frames' | 'Neighbours'): Promise<void> {
  const names = {
    Speech: 'snap to speech',
    Shots: 'snap to shot',
    Frames: 'snap to frames',
    Neighbours: 'snap to neigh',
  };
  for (const [name, typed] of Object.entries(names)) {
    const isOn = await review.page.evaluate(
      (key, initial) => JSON.parse(localStorage.getItem(key) ?? initial) as boolean,
      `captioner.desk.snap-${name.toLowerCase()}`,
      String(name === 'Shots' || name === 'Neighbours'),
    );
    if (isOn !== (name === wanted)) await byName(review, typed);
  }
}

interface Snap extends Pick<Task, 'name' | 'subtitleEdit'> {
  to: Parameters<typeof snapTo>[0];
  prepare?(): Promise<unknown>;
  keys(): Promise<unknown>;
  mouse(): Promise<unknown>;
  /** The time of the edge afterwards, and the expected time. */
  done(): Promise<readonly [is: number, ought: number]>;
}

const words = wordsOf(SHORT_TALK);
const secret = words.find(({ text }) => text === 'copies')?.start ?? 0;
const near = 0.06;

const SNAPS: readonly Snap[] = [
  {
    name: 'A caption starts where its speech begins (dragged, snapped)',
    subtitleEdit: 'drag the edge; Shift+drag snaps to shot changes only',
    to: 'Speech',
    async keys() {
      await review.focus(4);
      await seekTo(review, secret + 0.1);
      await review.keys('Alt+BracketLeft');
    },
    mouse: () => drag(4, 'start', secret - 0.04 + near),
    done: async () => [await edgeOf(4, 'start'), secret - 0.04],
  },
  {
    name: 'A caption ends at the shot change (dragged, snapped)',
    subtitleEdit: 'drag the edge; it snaps to shot changes',
    to: 'Shots',
    async keys() {
      await review.focus(3);
      await seekTo(review, CUT + 0.2);
      await review.keys('Alt+BracketRight');
    },
    mouse: () => drag(3, 'end', CUT - near),
    done: async () => [await edgeOf(3, 'end'), CUT],
  },
  {
    name: 'A caption starts on a frame (dragged, snapped)',
    subtitleEdit: 'all times, if “use frames” is on',
    to: 'Frames',
    async keys() {
      await review.focus(3);
      await seekTo(review, 9.013);
      await review.keys('Alt+BracketLeft');
    },
    mouse: () => drag(3, 'start', 9.013),
    async done() {
      const at = await edgeOf(3, 'start');
      return [at, Math.round(at * RATE) / RATE];
    },
  },
  {
    name: 'A caption ends a gap before the next (dragged, snapped)',
    subtitleEdit: 'Ctrl+Shift+E; a drag is stopped by the next',
    to: 'Neighbours',
    prepare: () => review.fill(review.end(3), String(10)),
    async keys() {
      await review.focus(3);
      await review.keys('Alt+KeyG');
    },
    mouse: async () => drag(3, 'end', (await edgeOf(4, 'start')) - 0.084 - near),
    done: async () => [await edgeOf(3, 'end'), (await edgeOf(4, 'start')) - 0.084],
  },
];

const rows: string[] = [];
afterAll(() => writeRows(rows));

describe('edges snap by keyboard and by mouse', () => {
  for (const snap of SNAPS) {
    needsBoth(snap.name, async () => {
      const original = await captionsOf(review);
      await snapTo(snap.to);
      const ways = [];
      for (const way of ['keys', 'mouse'] as const) {
        await snap.prepare?.();
        await seekTo(review, 9);
        const before = await captionsOf(review);
        ways.push(await taken(review.page, snap[way]));
        const [is, ought] = await snap.done();
        expect([way, is]).toEqual([way, expect.closeTo(ought, 3)]);
        expect(await captionsOf(review)).not.toEqual(before);
        await review.keys('Control+KeyZ');
        if (snap.prepare) await review.keys('Control+KeyZ');
        expect(await captionsOf(review)).toEqual(original);
      }
      const [keys, mouse] = ways;
      expect(keys?.clicks).toBe(0);
      if (keys && mouse) rows.push(rowOf(snap, keys, mouse));
      expect(review.faults).toEqual([]);
    });
  }
});
