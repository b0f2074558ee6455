/** The page of page.ts in a real Chromium under the app's policy, with media files. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browserFiles } from '../../../web/bundle.ts';
import { startChromium, visit } from '../../support/browser/chromium.ts';
import { until } from '../../support/servers/client.ts';
import { AAC, encoder, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';
import type { Media, Thrown } from './page.ts';

/**
 * The ffmpeg arguments for a kind of recording. Every row is complete, because the test runner
 * passes a callback in place of a missing value.
 */
export type Kind = [name: string, audio: string, video: (() => string) | null];

type Scope = { media: Media };

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "img-src 'self'",
  "style-src 'self'",
].join('; ');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Media</title>
<input type="file"><script type="module" src="/page.js"></script></html>`;

/** Builds and serves the bundle of page.ts, and receives what the page posts; throws if the build fails. */
async function mediaServer() {
  const built = await Bun.build({
    entrypoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    target: 'browser',
    splitting: true,
    minify: true,
    plugins: [browserFiles],
  });
  const scripts = new Map<string, string>();
  for (const output of built.outputs) {
    scripts.set(output.path.replace(/^\.?\/?/, '/'), await output.text());
  }
  let posted = new Uint8Array();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method === 'POST') {
        posted = new Uint8Array(await request.arrayBuffer());
        return new Response(null, { status: 204 });
      }
      const script = scripts.get(pathname);
      if (script !== undefined) {
        return new Response(script, { headers: { 'content-type': 'text/javascript' } });
      }
      if (pathname !== '/') return new Response(null, { status: 204 });
      return new Response(PAGE, {
        headers: { 'content-type': 'text/html', 'content-security-policy': POLICY },
      });
    },
  });
  return {
    url: server.url.href,
    scripts,
    posted: () => posted,
    stop: () => server.stop(true),
  };
}

/**
 * Opens a page that processes recordings, with a folder for them; all end with the test file. After each test, nothing
 * may still run, have been refused, or have called another host.
 */
export async function mediaBench() {
  const works = needsBoth === test;
  const folder = await mkdtemp(join(tmpdir(), 'media-'));
  const server = works ? await mediaServer() : null;
  const browser = works ? await startChromium() : null;
  const opened = browser && server ? await visit(browser, server.url) : null;
  afterEach(async () => {
    expect(opened?.faults ?? []).toEqual([]);
    // The browser reports with a delay that a worker has ended.
    await until(async () => (opened?.page.workers() ?? []).length === 0);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await rm(folder, { recursive: true });
  });
  const at = (name: string): string => join(folder, name);
  /** The page. @throws {Error} if there is none: such tests are skipped */
  const page = () => {
    if (!opened) throw new Error('the page is not open');
    return opened.page;
  };
  /** Chooses a file in the page. */
  async function choose(path: string): Promise<void> {
    const input = await page().$('input');
    if (!input) throw new Error('the page has no field for a file');
    await input.uploadFile(path);
  }

  return {
    folder,
    /** Arguments for encoding video as H.264 and VP8, or ffmpeg's replacements for them. */
    h264: works ? await encoder('libx264', 'libopenh264', 'mpeg4') : '',
    vp8: works ? await encoder('libvpx', 'libvpx-vp9') : '',
    /** The path of a file in the folder. */
    at,

    /** Writes a file to the folder, and returns its path. */
    async written(name: string, content: string | Uint8Array): Promise<string> {
      await Bun.write(at(name), content);
      return at(name);
    },

    /** Creates a recording of over seven minutes, and the part that it repeats. */
    async long() {
      const part = await speech(folder, 'part.m4a', AAC);
      return { path: await ffmpeg(at('long.m4a'), '-stream_loop 36 -i', part, '-c copy'), part };
    },

    /** The sizes of the scripts that the page has loaded. */
    async loadedSizes(): Promise<number[]> {
      const paths = await page().evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => new URL(name).pathname)
          .filter((path) => path.endsWith('.js')),
      );
      return paths.map((path) => server?.scripts.get(path)?.length ?? NaN);
    },

    async isMp3(path: string): Promise<boolean> {
      await choose(path);
      return page().evaluate(() => {
        const { media } = globalThis as unknown as Scope;
        return media.isMp3(media.file());
      });
    },

    /**
     * Converts in the page and writes the MP3 next to the file. Aborted once more than a fraction is
     * done; below 0, before it starts.
     */
    async converted(path: string, abortAt = Infinity) {
      await choose(path);
      const converted = await page().evaluate(async (abortAt) => {
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
        /** The number of reports after the promise settled. */
        const late = progress.length - settled;
        return { thrown, durationSeconds, progress, late, size: mp3.size, type: mp3.type };
      }, abortAt);
      const made = join(path, '..', 'made.mp3');
      await Bun.write(made, server!.posted());
      return { ...converted, path: made };
    },

    /**
     * Aborts a conversion and a reading of peaks after each of these delays in milliseconds; returns
     * the errors.
     */
    async abortAfter(path: string, delays: number[]): Promise<string[]> {
      await choose(path);
      return page().evaluate(async (delays) => {
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
    },

    /** The page's estimate of the size of an MP3 of this many seconds, in bytes. */
    async estimate(seconds: number): Promise<number> {
      return page().evaluate(async (seconds) => {
        const { media } = globalThis as unknown as Scope;
        return (await media.convert()).estimateMp3Bytes(seconds);
      }, seconds);
    },

    /** Reads peaks in the page; with `abort`, aborted at the first report. */
    async peaks(path: string, abort = false) {
      await choose(path);
      return page().evaluate(async (abort) => {
        const { media } = globalThis as unknown as Scope;
        const { readPeaks } = await media.peaks();
        const controller = new AbortController();
        const { signal } = controller;
        /** For each report: the length of the array, and the part that was done. */
        const reports: { length: number; doneSeconds: number }[] = [];
        const onPeaks = ({ length }: Uint8Array, doneSeconds: number): void => {
          reports.push({ length, doneSeconds });
          if (abort) controller.abort(new RangeError('enough'));
        };
        try {
          const { seconds, values } = await readPeaks(media.file(), { signal, onPeaks });
          return { thrown: null, seconds, values: [...values], reports };
        } catch (error) {
          return { thrown: media.describe(error), seconds: 0, values: [] as number[], reports };
        }
      }, abort);
    },
  };
}
