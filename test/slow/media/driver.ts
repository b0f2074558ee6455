/** Runs the functions of page.ts on local files, and returns their results. */
import { join } from 'node:path';
import type { Visit } from '../../support/browser/chromium.ts';
import type { Media, Thrown } from './page.ts';
import type { MediaServer } from './server.ts';

export interface Converted {
  thrown: Thrown | null;
  durationSeconds: number;
  progress: number[];
  /** The number of reports after the promise settled. */
  late: number;
  size: number;
  type: string;
}

export interface Loudness {
  thrown: Thrown | null;
  seconds: number;
  values: number[];
  /** For each report: the length of the array, and the part that was done. */
  reports: { length: number; doneSeconds: number }[];
}

type Scope = { media: Media };

/** Chooses a file in the page. */
async function choose({ page }: Visit, path: string): Promise<void> {
  const input = await page.$('input');
  if (!input) throw new Error('the page has no field for a file');
  await input.uploadFile(path);
}

/** The result of the page's isMp3. */
export async function isMp3(visit: Visit, path: string): Promise<boolean> {
  await choose(visit, path);
  return visit.page.evaluate(() => {
    const { media } = globalThis as unknown as Scope;
    return media.isMp3(media.file());
  });
}

/**
 * Converts in the page and writes the MP3 next to the file. Aborted once more than a fraction is
 * done; below 0, before it starts.
 */
export async function convert(
  visit: Visit,
  server: MediaServer,
  path: string,
  abortAt = Infinity,
): Promise<Converted & { path: string }> {
  await choose(visit, path);
  const converted = await visit.page.evaluate(async (abortAt) => {
    const { media } = globalThis as unknown as Scope;
    const { convertToMp3 } = await media.convert();
    const controller = new AbortController();
    const progress: number[] = [];
    const onProgress = (fraction: number): void => {
      progress.push(fraction);
      if (fraction > abortAt) controller.abort(new RangeError('enough'));
    };
    if (abortAt < 0) controller.abort(new RangeError('enough'));
    let durationSeconds = 0;
    let mp3 = new Blob();
    let thrown: Thrown | null = null;
    try {
      const made = await convertToMp3(media.file(), { signal: controller.signal, onProgress });
      ({ durationSeconds, mp3 } = made);
    } catch (error) {
      thrown = media.describe(error);
    }
    const settled = progress.length;
    await fetch('/', { method: 'POST', body: mp3 });
    await new Promise((resolve) => setTimeout(resolve, thrown ? 300 : 0));
    const late = progress.length - settled;
    return { thrown, durationSeconds, progress, late, size: mp3.size, type: mp3.type };
  }, abortAt);
  const made = join(path, '..', 'made.mp3');
  await Bun.write(made, server.posted());
  return { ...converted, path: made };
}

/**
 * Aborts a conversion and a reading of peaks after each of these delays in milliseconds; returns
 * the errors.
 */
export async function abortAfter(visit: Visit, path: string, delays: number[]): Promise<string[]> {
  await choose(visit, path);
  return visit.page.evaluate(async (delays) => {
    const { media } = globalThis as unknown as Scope;
    const { convertToMp3 } = await media.convert();
    const { readPeaks } = await media.peaks();
    const file = media.file();
    const thrown: string[] = [];
    for (const work of [
      (signal: AbortSignal) => convertToMp3(file, { signal, onProgress: () => {} }),
      (signal: AbortSignal) => readPeaks(file, { signal }),
    ]) {
      for (const delay of delays) {
        const controller = new AbortController();
        const done = work(controller.signal).then(
          () => 'nothing',
          (error: unknown) => media.describe(error).name,
        );
        await new Promise((resolve) => setTimeout(resolve, delay));
        controller.abort(new RangeError('enough'));
        thrown.push(await done);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    return thrown;
  }, delays);
}

/** The page's estimate of the size of an MP3 of this many seconds, in bytes. */
export async function estimate({ page }: Visit, seconds: number): Promise<number> {
  return page.evaluate(async (seconds) => {
    const { media } = globalThis as unknown as Scope;
    return (await media.convert()).estimateMp3Bytes(seconds);
  }, seconds);
}

/** Reads peaks in the page; with `abort`, aborted at the first report. */
export async function peaks(visit: Visit, path: string, abort = false): Promise<Loudness> {
  await choose(visit, path);
  return visit.page.evaluate(async (abort) => {
    const { media } = globalThis as unknown as Scope;
    const { readPeaks } = await media.peaks();
    const controller = new AbortController();
    const { signal } = controller;
    const reports: Loudness['reports'] = [];
    const onPeaks = ({ length }: Uint8Array, doneSeconds: number): void => {
      reports.push({ length, doneSeconds });
      if (abort) controller.abort(new RangeError('enough'));
    };
    try {
      const { seconds, values } = await readPeaks(media.file(), { signal, onPeaks });
      return { thrown: null, seconds, values: [...values], reports };
    } catch (error) {
      return { thrown: media.describe(error), seconds: 0, values: [], reports };
    }
  }, abort);
}
