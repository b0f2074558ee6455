/** A client of resumable uploads for the mounted app. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sample } from '../sample.ts';
import { mountedApp, type MountedKey } from './mounted.ts';

/** The app, two users and their uploads. */
export async function resumableBench() {
  const app = await mountedApp();
  const { audio } = app.services;
  const talk = new Uint8Array(await readFile(sample));
  const ann = await app.signUp('ann@example.com');
  const bob = await app.signUp('bob@other.example');
  const TUS = { 'tus-resumable': '1.0.0' };
  const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };
  const named = (key: string) => `filename dGFsaw==,key ${Buffer.from(key).toString('base64')}`;
  let count = 0;
  const newKey = () => `talks/${(count += 1)} ü.mp3`;

  const begin = (key: string, headers: Record<string, string | null> = {}, by = ann) => {
    const all = {
      ...TUS,
      'upload-length': String(talk.length),
      'upload-metadata': named(key),
      ...headers,
    };
    const sent = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    return app.ask('/resumable', {
      method: 'POST',
      key: by.key,
      headers: Object.fromEntries(sent),
    });
  };
  const begun = async (key = newKey()) => {
    const response = await begin(key);
    if (response.status !== 201) throw new Error(await response.text());
    return response.headers.get('location') ?? '';
  };
  const send = (url: string, at: number, body: BodyInit, more: object = {}, by = ann) =>
    app.ask(url, {
      method: 'PATCH',
      key: by.key,
      headers: { ...BYTES, 'upload-offset': String(at), ...more },
      body,
    });
  const head = (url: string, by: MountedKey = ann) =>
    app.ask(url, { method: 'HEAD', key: by.key, headers: TUS });
  const offsetOf = async (url: string) => (await head(url)).headers.get('upload-offset');
  const problem = async (response: Response) => [
    response.status,
    (await response.json()).error.code as string,
  ];
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  async function storedBytes(key: string, by = ann): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of audio.read(by.organizationId, key)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  const objects = async () =>
    (await readdir(join(app.dataDir, 'audio'), { recursive: true })).filter((name) =>
      name.endsWith('.mp3'),
    ).length;
  /** A body that breaks off after some bytes. */
  const broken = (bytes: Uint8Array): ReadableStream => {
    let isSent = false;
    return new ReadableStream(
      {
        pull(controller) {
          if (isSent) return controller.error(new Error('reset'));
          isSent = true;
          controller.enqueue(bytes);
        },
      },
      { highWaterMark: 0 },
    );
  };
  return {
    app,
    audio,
    talk,
    ann,
    bob,
    TUS,
    BYTES,
    named,
    newKey,
    begin,
    begun,
    send,
    head,
    offsetOf,
    problem,
    digest,
    storedBytes,
    objects,
    broken,
  };
}
