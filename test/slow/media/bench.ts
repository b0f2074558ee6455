/** The page of page.ts in a real Chromium under the app's policy, with media files. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChromium, visit, type Visit } from '../../support/browser/chromium.ts';
import { until } from '../../support/servers/client.ts';
import { convert } from './driver.ts';
import { AAC, encoder, ffmpeg, needsBoth, speech } from '../../support/media-files.ts';
import { mediaServer, type MediaServer } from './server.ts';

/**
 * The ffmpeg arguments for a kind of recording. Every row is complete, because the test runner
 * passes a callback in place of a missing value.
 */
export type Kind = [name: string, audio: string, video: (() => string) | null];

/** A page that processes recordings, and a folder for them, which all end with the test file. */
export interface MediaBench {
  /** The server of the page; null if Chromium or ffmpeg is not installed. */
  server: MediaServer | null;
  folder: string;
  /** Arguments for encoding video as H.264 and VP8, or ffmpeg's replacements for them. */
  h264: string;
  vp8: string;
  /**
   * The page.
   * @throws {Error} if there is none: such tests are skipped
   */
  app(): Visit;
  /** Converts a file in the page, aborted once more than a fraction is done. */
  converted(path: string, abortAt?: number): ReturnType<typeof convert>;
  /** The path of a file in the folder. */
  at(name: string): string;
  /** Writes a file to the folder, and returns its path. */
  written(name: string, content: string | Uint8Array): Promise<string>;
  /** Creates a recording of over twenty minutes, and the part that it repeats. */
  long(): Promise<{ path: string; part: string }>;
}

/**
 * Opens the page. After each test, nothing may still run, have been refused, or have called another
 * host.
 */
export async function mediaBench(): Promise<MediaBench> {
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
  const app = (): Visit => {
    if (!opened) throw new Error('the page is not open');
    return opened;
  };
  return {
    server,
    folder,
    h264: works ? await encoder('libx264', 'libopenh264', 'mpeg4') : '',
    vp8: works ? await encoder('libvpx', 'libvpx-vp9') : '',
    app,
    at,
    converted: (path, abortAt) => {
      if (!server) throw new Error('there is no server');
      return convert(app(), server, path, abortAt);
    },
    async written(name, content) {
      await Bun.write(at(name), content);
      return at(name);
    },
    async long() {
      const part = await speech(folder, 'part.m4a', AAC);
      return { path: await ffmpeg(at('long.m4a'), '-stream_loop 104 -i', part, '-c copy'), part };
    },
  };
}
