/**
 * Three hostile tenants. Reads the duration in milliseconds, and optionally the name of a single
 * attack (by default all at once), and prints the number of attempts of each. Requests are prepared
 * in advance, so that they cost the service and not this process.
 */
import { setPriority } from 'node:os';
import { dial } from '../../test/support/servers/dial.ts';
import { repeat } from '../repeat.ts';
import { MEBIBYTE, recordingOfBytes } from '../recording.ts';

const PAUSE_MS = 20;
/** The time for which an idle connection is held open. */
const HELD_MS = 5000;

// A low priority: on a machine of its own, this process would take no time from the service.
setPriority(19);

const [url = '', eve = '', kim = '', bob = ''] = process.argv.slice(2);

const large = recordingOfBytes(20 * MEBIBYTE);
const json = (value: unknown): Buffer<ArrayBuffer> => Buffer.from(JSON.stringify(value));
const TYPE = { 'content-type': 'application/json' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ask = async (path: string, init: RequestInit): Promise<void> => {
  await (await fetch(`${url}${path}`, init)).text();
};
const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers: { ...TYPE, ...headers } });
const runOf = (payload: object) => json({ audio: { key: 'none.mp3' }, ...payload });
const inlineRecording = json({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'caption_audio',
    arguments: { audio: { base64: 'A'.repeat(8 * MEBIBYTE) } },
  },
});
const bombs = {
  'one long term': runOf({ glossary: [`a${'!'.repeat(300_000)}a`] }),
  'one term of many words': runOf({ glossary: ['ab '.repeat(32_000)] }),
  '500 terms': runOf({ glossary: Array.from({ length: 500 }, (_, n) => `term number ${n}`) }),
  'a run without a recording': runOf({}),
};
let at = 0;

const ATTACKS: Record<string, () => Promise<void>> = {
  async 'an upload that trickles'() {
    const { socket } = dial(url);
    socket.write(
      `PUT /audio/slow.mp3 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${kim}\r\nContent-Length: 99999\r\n\r\n`,
    );
    await Bun.sleep(HELD_MS);
    socket.destroy();
  },
  'uploads past the quota': () =>
    ask(`/audio/large-${at++}.mp3`, {
      method: 'PUT',
      body: large,
      headers: { ...bearer(bob), 'content-type': 'audio/mpeg' },
    }),
  ...Object.fromEntries(
    Object.entries(bombs).map(([name, body]) => [
      name,
      () => post('/workflows/captioner', body, bearer(eve)),
    ]),
  ),
  async 'a list that is not read'() {
    const response = await fetch(`${url}/workflows/captioner?limit=100`, { headers: bearer(kim) });
    await response.body?.cancel();
  },
  'an Accept header of 15 KB': () => ask('/', { headers: { accept: `"${'\\"'.repeat(7500)}` } }),
  'a registration nested deep': () => post('/agent/auth', Buffer.from('['.repeat(100_000))),
  'a recording inside a call': () =>
    post('/mcp', inlineRecording, {
      ...bearer(eve),
      accept: 'application/json, text/event-stream',
    }),
};

for await (const line of console) {
  const [ms, only = ''] = line.split('\t');
  const stop = AbortSignal.timeout(Number(ms));
  const ways = Object.entries(ATTACKS).filter(([name]) => only === '' || name === only);
  const made = await Promise.all(
    ways.map(async ([name, attack]) => [name, await repeat(stop, PAUSE_MS, attack)]),
  );
  console.log(JSON.stringify(Object.fromEntries(made)));
}
