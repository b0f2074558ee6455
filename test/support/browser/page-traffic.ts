/** Records the requests, uploads and downloads of a page. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { until } from '../servers/client.ts';

/** A request sent by a page. */
export interface Sent {
  method: string;
  path: string;
  bytes: number;
}

/**
 * Records everything that the page sends from now on, with the lengths that the browser reports.
 */
export async function watchSent(page: Page): Promise<Sent[]> {
  const sent = new Map<string, Sent>();
  const list: Sent[] = [];
  const session = await page.createCDPSession();
  await session.send('Network.enable');
  const of = (id: string): Sent => {
    const known = sent.get(id) ?? { method: '', path: '', bytes: 0 };
    if (!sent.has(id)) list.push(known);
    sent.set(id, known);
    return known;
  };
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    Object.assign(of(requestId), {
      method: request.method,
      path: new URL(request.url).pathname,
    });
  });
  session.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    const length = Object.entries(headers).find(
      ([name]) => name.toLowerCase() === 'content-length',
    );
    if (length) of(requestId).bytes = Number(length[1]);
  });
  return list;
}

/** Stores the page's uploads; returns a function that returns their bytes. */
export async function keepUploads(page: Page): Promise<() => Promise<Buffer>> {
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function keep(body) {
      Object.assign(globalThis, { uploaded: body });
      Reflect.apply(send, this, [body]);
    };
  });
  return async () => {
    const bytes = await page.evaluate(async () => {
      const { uploaded } = globalThis as unknown as { uploaded: Blob };
      return [...(await uploaded.bytes())];
    });
    return Buffer.from(bytes);
  };
}

/** Downloads the file that a press produces into a folder; returns its name and text. */
export async function downloaded(
  page: Page,
  folder: string,
  pressing: () => Promise<void>,
): Promise<{ name: string; content: string }> {
  const downloadPath = await mkdtemp(join(folder, 'downloads-'));
  const session = await page.createCDPSession();
  const browserContextId = page.browserContext().id;
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath,
    ...(browserContextId === undefined ? {} : { browserContextId }),
  });
  await pressing();
  // The browser reserves the name with an empty file first, and then replaces it.
  const name = await until(async () =>
    (await readdir(downloadPath)).find(
      (each) => !each.endsWith('.crdownload') && Bun.file(join(downloadPath, each)).size > 0,
    ),
  );
  return { name, content: await readFile(join(downloadPath, name), 'utf8') };
}
