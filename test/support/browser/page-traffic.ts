/** What a page sends, uploads and downloads. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { until } from '../servers/client.ts';

/** A request that left a page. */
export interface Sent {
  method: string;
  path: string;
  bytes: number;
}

/** Everything that leaves the page from now on, by the lengths that the browser itself tells. */
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

/** Keeps what the page puts; a function that gives its bytes. */
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

/** Downloads into a folder what a press makes the browser download; its name and text. */
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
  // The name is taken by an empty file first; what was written takes its place.
  const name = await until(async () =>
    (await readdir(downloadPath)).find(
      (each) => !each.endsWith('.crdownload') && Bun.file(join(downloadPath, each)).size > 0,
    ),
  );
  return { name, content: await readFile(join(downloadPath, name), 'utf8') };
}
