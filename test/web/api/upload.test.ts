/** A recording is uploaded, also over a connection that breaks. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { NoAnswer } from '../../../web/api/request.ts';
import { uploadRecording, uploadResumably } from '../../../web/api/upload.ts';
import { UPLOADS_KEY } from '../../../web/storage/web-storage.ts';
import { uploads } from '../app/support/uploads.ts';

const own = { fetch: globalThis.fetch, request: globalThis.XMLHttpRequest };

/** The storage of the browser. */
const stored = new Map<string, string>();

/** A service that holds uploads by their id, and may refuse requests or break the connection. */
class Service {
  readonly parts = new Map<string, string>();
  readonly asked: string[] = [];
  /** The length and the key of each upload. */
  created: string[] = [];
  /** The bytes of the next part that arrive before the connection breaks; null if it does not. */
  breaksAt: number | null = null;
  /** How many bytes of each of the next parts the service accepts; its answers tell the new offset as usual. */
  cuts: number[] = [];
  /** The status of the next answers to a part; 0 for a part that is accepted. */
  refusals: number[] = [];

  readonly answer = async (path: string, init: RequestInit): Promise<Response> => {
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    this.asked.push(`${method} ${path} ${headers.get('upload-offset') ?? ''}`.trim());
    if (headers.get('authorization') !== 'Bearer k') return new Response(null, { status: 401 });
    if (headers.get('tus-resumable') !== '1.0.0') return new Response(null, { status: 412 });
    if (method === 'POST') return this.#create(headers);
    const id = path.split('/').pop()!;
    const before = this.parts.get(id);
    if (before === undefined) return new Response(null, { status: 404 });
    const at = (bytes: number, status: number) =>
      new Response(null, { status, headers: { 'upload-offset': String(bytes) } });
    if (method === 'HEAD') return at(before.length, 200);
    const refusal = this.refusals.shift();
    if (refusal) return new Response(null, { status: refusal });
    const body = new TextDecoder().decode(init.body as ArrayBuffer);
    const { breaksAt } = this;
    this.breaksAt = null;
    this.parts.set(id, before + body.slice(0, this.cuts.shift() ?? breaksAt ?? body.length));
    if (breaksAt !== null) throw new TypeError('the connection broke');
    return at(this.parts.get(id)!.length, 204);
  };

  #create(headers: Headers): Response {
    const id = `u${this.parts.size + 1}`;
    this.parts.set(id, '');
    const key = Buffer.from(headers.get('upload-metadata')!.replace('key ', ''), 'base64');
    this.created.push(`${headers.get('upload-length')} ${key.toString()}`);
    return new Response(null, { status: 201, headers: { location: `/resumable/${id}` } });
  }
}

let service: Service;

beforeEach(() => {
  service = new Service();
  stored.clear();
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
    removeItem: (name: string) => stored.delete(name),
  };
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, value: localStorage });
  globalThis.fetch = service.answer as unknown as typeof fetch;
  globalThis.XMLHttpRequest = uploads(service.answer) as unknown as typeof XMLHttpRequest;
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'localStorage');
  globalThis.fetch = own.fetch;
  globalThis.XMLHttpRequest = own.request;
});

const SOUND = 'ten bytes!';

const sound = (text = SOUND) => new Blob([text]);

const kept = (): { path: string }[] => JSON.parse(stored.get(UPLOADS_KEY) ?? '[]');

interface Seen {
  progress: number[];
  reached: number;
}

const upload = (mp3: Blob, seen: Seen = { progress: [], reached: 0 }, key = 'talks/é.mp3') =>
  uploadResumably(key, mp3, {
    key: 'k',
    signal: new AbortController().signal,
    onProgress: (bytes) => seen.progress.push(bytes),
    reached: () => (seen.reached += 1),
  });

const failed = (mp3: Blob, seen?: Seen) => upload(mp3, seen).catch((error: unknown) => error);

test('a new upload is created, sent and forgotten', async () => {
  const seen: Seen = { progress: [], reached: 0 };
  expect(await upload(sound(), seen)).toBe('talks/é.mp3');
  expect(service.asked).toEqual(['POST /resumable', 'HEAD /resumable/u1', 'PATCH /resumable/u1 0']);
  expect([service.created, service.parts.get('u1')]).toEqual([['10 talks/é.mp3'], SOUND]);
  expect(seen).toEqual({ progress: [0, 10], reached: 1 });
  expect(stored.has(UPLOADS_KEY)).toBe(false);
});

test.each([4, 10])('an upload that broke after %d bytes resumes there', async (bytes) => {
  const mp3 = sound();
  service.breaksAt = bytes;
  expect(await failed(mp3)).toBeInstanceOf(NoAnswer);
  service.asked.length = 0;
  const seen: Seen = { progress: [], reached: 0 };
  await upload(mp3, seen);
  const rest = bytes < 10 ? [`PATCH /resumable/u1 ${bytes}`] : [];
  expect(service.asked).toEqual(['HEAD /resumable/u1', ...rest]);
  expect([service.parts.get('u1'), seen.progress.at(-1)]).toEqual([SOUND, 10]);
});

test('after a reload it resumes with the same bytes under the same name, and no others', async () => {
  service.breaksAt = 4;
  await failed(sound());
  expect(kept()).toMatchObject([{ path: '/resumable/u1', audioKey: 'talks/é.mp3' }]);
  service.asked.length = 0;
  await upload(sound('TEN bytes!'));
  await upload(sound(), undefined, 'talks/other.mp3');
  expect(service.asked.filter((line) => line.startsWith('POST'))).toHaveLength(2);
  service.asked.length = 0;
  // In another folder it is the same file, and keeps the key that it was started with.
  expect(await upload(sound(), undefined, 'later/é.mp3')).toBe('talks/é.mp3');
  expect(service.asked).toEqual(['HEAD /resumable/u1', 'PATCH /resumable/u1 4']);
  expect(kept()).toEqual([]);
});

test('an upload that is gone, or lost by the service, starts again', async () => {
  for (const status of [404, 410]) {
    service.refusals = [status];
    await upload(sound());
    expect([[...service.parts.values()].at(-1), kept()]).toEqual([SOUND, []]);
  }
  const mp3 = sound();
  service.breaksAt = 4;
  await failed(mp3);
  service.parts.delete([...service.parts.keys()].at(-1)!);
  service.parts.set('other', '');
  await upload(mp3);
  expect([[...service.parts.values()].at(-1), kept()]).toEqual([SOUND, []]);
});

test('an upload of which the service takes nothing is given up after five more attempts', async () => {
  service.cuts = [0, 0, 0, 0, 0, 0, 0];
  expect(await failed(sound())).toBeInstanceOf(NoAnswer);
  expect(service.asked.filter((line) => line.startsWith('PATCH'))).toHaveLength(6);
  expect(kept()).toHaveLength(1);
});

test('an upload that goes on does not use up its attempts', async () => {
  service.cuts = [1, 1, 1, 1, 1, 1];
  service.refusals = [0, 0, 0, 0, 0, 0, 409];
  await upload(sound());
  expect(service.parts.get('u1')).toBe(SOUND);
});

test('where the browser cannot hash, an upload resumes in the same page, and nothing is stored', async () => {
  Object.defineProperty(crypto, 'subtle', { configurable: true, value: undefined });
  try {
    const mp3 = sound();
    service.breaksAt = 4;
    expect(await failed(mp3)).toBeInstanceOf(NoAnswer);
    expect(kept()).toEqual([]);
    await upload(mp3);
    await upload(sound());
  } finally {
    Reflect.deleteProperty(crypto, 'subtle');
  }
  expect(service.asked.slice(3)).toEqual([
    'HEAD /resumable/u1',
    'PATCH /resumable/u1 4',
    'POST /resumable',
    'HEAD /resumable/u2',
    'PATCH /resumable/u2 0',
  ]);
});

test('after an offset conflict the offset is requested again, up to five times', async () => {
  service.refusals = [409, 409, 409, 409, 409];
  await upload(sound());
  expect(service.asked.filter((line) => line.startsWith('HEAD'))).toHaveLength(6);
  service.asked.length = 0;
  service.refusals = [409, 409, 409, 409, 409, 409];
  expect(await failed(sound())).toMatchObject({ status: 409 });
  expect(service.asked.filter((line) => line.startsWith('HEAD'))).toHaveLength(6);
});

test('a file that is not MP3 is refused immediately, and forgotten', async () => {
  service.refusals = [415];
  expect(await failed(sound())).toMatchObject({ status: 415 });
  expect([service.asked.length, kept()]).toEqual([3, []]);
});

test.each([401, 500])(
  'a refusal with %d is reported, and the upload resumes later',
  async (status) => {
    const mp3 = sound();
    service.refusals = [status];
    expect(await failed(mp3)).toMatchObject({ status });
    expect(kept()).toHaveLength(1);
    service.asked.length = 0;
    await upload(mp3);
    expect(service.asked[0]).toBe('HEAD /resumable/u1');
  },
);

test('a cancelled upload ends with the reason, and resumes later', async () => {
  const stop = new AbortController();
  const ended = uploadResumably('talks/é.mp3', sound(), {
    key: 'k',
    signal: stop.signal,
    onProgress: () => stop.abort('enough'),
    reached() {},
  });
  expect(await ended.catch((error: unknown) => error)).toBe('enough');
  expect([kept().length, service.parts.get('u1')]).toEqual([1, '']);
});

test('the eight newest uploads are remembered, whatever else is stored', async () => {
  stored.set(UPLOADS_KEY, '{"not": "a list"}');
  for (let at = 1; at <= 9; at += 1) {
    service.breaksAt = 1;
    await failed(sound(`sound ${at}`));
  }
  expect(kept().map(({ path }) => path)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2].map((at) => `/resumable/u${at}`),
  );
  stored.set(UPLOADS_KEY, 'not JSON');
  await upload(sound('sound 9'));
  expect(service.parts.get('u10')).toBe('sound 9');
});

test.each([
  [2 ** 20 - 1, ['PUT /audio/talk.mp3']],
  [2 ** 20, ['POST /resumable', 'HEAD /resumable/1', 'PATCH /resumable/1']],
])('%d bytes', async (size, requests) => {
  const asked: string[] = [];
  const answer = async (path: string, { method }: RequestInit) => {
    asked.push(`${method} ${path}`);
    const offset = method === 'PATCH' ? size : 0;
    return new Response(null, {
      status: 200,
      headers: { location: '/resumable/1', 'upload-offset': String(offset) },
    });
  };
  Object.assign(globalThis, { XMLHttpRequest: uploads(answer), fetch: answer });
  const key = await uploadRecording('talk.mp3', new Blob([new Uint8Array(size)]), {
    key: 'k',
    signal: new AbortController().signal,
    onProgress() {},
    reached() {},
  });
  expect([key, ...asked]).toEqual(['talk.mp3', ...requests]);
});
