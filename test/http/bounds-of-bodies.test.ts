/** The exact limits of bodies and uploads. */
import { describe, expect, test } from 'bun:test';
import { checkAudioKey } from '../../server/http/uploads/audio-key.ts';
import {
  createBodyBudget,
  admitBody,
  chargeBody,
  createBodyRate,
} from '../../server/http/uploads/throttles.ts';
import { checkedMp3, type Uploads } from '../../server/http/uploads/mp3-upload.ts';
import { Problem, unavailable } from '../../server/http/problems.ts';
import {
  createResumableUploading,
  inParts,
} from '../../server/http/uploads/resumable-uploading.ts';
import type { ResumableUpload } from '../../server/storage/resumable-rows.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { refusalOf, statusAndCode } from '../support/refusal-of.ts';

const refusal = (work: () => unknown): unknown => {
  try {
    work();
    return 'taken';
  } catch (error) {
    return statusAndCode(error);
  }
};

describe('the key of a recording', () => {
  test('has at most 1,024 bytes, not characters', () => {
    const key = (bytes: number) => `${'a'.repeat(bytes - 4)}.mp3`;
    expect(refusal(() => checkAudioKey(key(1024)))).toBe('taken');
    expect(refusal(() => checkAudioKey(key(1025)))).toEqual([400, 'invalid_key']);
    expect(refusal(() => checkAudioKey(`${'ü'.repeat(511)}.mp3`))).toEqual([400, 'invalid_key']);
  });

  test.each([
    'a\u0000.mp3',
    'a\u001f.mp3',
    'a\u007f.mp3',
    'a//b.mp3',
    '/a.mp3',
    './a.mp3',
    'a/../b.mp3',
  ])('%j is refused', (key) =>
    expect(refusal(() => checkAudioKey(key))).toEqual([400, 'invalid_key']),
  );

  test('that is empty is refused as that', () => {
    expect(() => checkAudioKey('')).toThrow('The key is empty.');
  });
});

describe('the memory budget for bodies', () => {
  test('is shared by all requests, and released once', () => {
    const budget = createBodyBudget(100);
    const [one, two] = [budget.open(), budget.open()];
    one.take(60);
    expect(refusal(() => two.take(41))).toEqual([503, 'unavailable']);
    two.take(40);
    expect(refusal(() => two.take(1))).toEqual([503, 'unavailable']);
    one.release();
    one.release();
    expect(refusal(() => two.take(61))).toEqual([503, 'unavailable']);
    two.take(60);
  });
});

test('a workspace keeps its debt after many others have sent', async () => {
  const waiting = noWaiting();
  let time = 0;
  const open = createBodyRate(
    {
      ...waiting,
      pause: async (ms, signal) => {
        time += ms;
        await waiting.pause(ms, signal);
      },
    },
    () => time,
  );
  const request = (id: string) => {
    const made = new Request('http://host/mcp', { method: 'POST' });
    open(made, id);
    return made;
  };
  chargeBody(request('greedy'), 40 * 2 ** 20);
  for (let at = 0; at < 1001; at += 1) chargeBody(request(`org_${at}`), 1);
  const outcome = await refusalOf(admitBody(request('greedy')));
  expect(outcome !== 'taken' || waiting.pauses.length > 0).toBe(true);
});

describe('the bytes of an MP3', () => {
  async function* many(bytes: number) {
    const chunk = new Uint8Array(2 ** 20);
    yield chirp;
    for (let left = bytes - chirp.byteLength; left > 0; left -= chunk.byteLength) {
      yield chunk.subarray(0, Math.min(left, chunk.byteLength));
    }
  }
  const read = async (chunks: AsyncIterable<Uint8Array>) => {
    let size = 0;
    for await (const chunk of checkedMp3(chunks)) size += chunk.byteLength;
    return size;
  };

  test('are at most 100 MiB', async () => {
    expect(await read(many(100 * 2 ** 20))).toBe(100 * 2 ** 20);
    expect(await refusalOf(read(many(100 * 2 ** 20 + 1)))).toEqual([413, 'upload_too_large']);
  });

  test('must not be missing: an empty body is reported as such', async () => {
    await expect(read((async function* () {})())).rejects.toThrow('The body is empty.');
  });
});

describe('a body in parts', () => {
  const parts = (body: AsyncIterable<Uint8Array>, room = 10) =>
    inParts(body, { partBytes: 4, room });
  const drain = async ({ next }: ReturnType<typeof inParts>) => {
    const sizes: number[] = [];
    for (let part = await next(); part; part = await next()) {
      let size = 0;
      for await (const chunk of part) size += chunk.byteLength;
      sizes.push(size);
    }
    return sizes;
  };

  test('keeps the bytes from before the connection broke, but none of a refused body', async () => {
    const failing = (error: Error) =>
      (async function* () {
        yield new Uint8Array(6);
        throw error;
      })();
    const broken = parts(failing(new Problem(400, 'incomplete_upload', 'It broke.')));
    expect(await drain(broken)).toEqual([4, 2]);
    expect(broken.failure()?.code).toBe('incomplete_upload');
    const refused = parts(failing(new Problem(415, 'mp3_required', 'No MP3.')));
    expect(await refusalOf(drain(refused))).toEqual([415, 'mp3_required']);
    expect(await refusalOf(drain(parts(failing(unavailable('Full.')))))).toEqual([
      503,
      'unavailable',
    ]);
  });

  test('may use the allowed size to the last byte', async () => {
    const body = (bytes: number) => [new Uint8Array(bytes)].values();
    const from = (bytes: number) =>
      (async function* () {
        yield* body(bytes);
      })();
    expect(await drain(parts(from(10)))).toEqual([4, 4, 2]);
    expect(await refusalOf(drain(parts(from(11))))).toEqual([400, 'upload_too_long']);
  });
});

describe('an upload that can be resumed', () => {
  const DAY = 86_400_000;
  function uploading(audioTtlMs: number, countParts = 0) {
    const created: { expiresAt: number }[] = [];
    const upload = { id: 'u', organizationId: 'org', length: 10, received: 4 } as ResumableUpload;
    const resumable = {
      create: async (row: ResumableUpload) => {
        created.push(row);
        return upload;
      },
      countParts: async () => countParts,
    };
    const received: unknown[] = [];
    const uploads = {
      receive: async () => {
        received.push(1);
        return upload;
      },
    } as unknown as Uploads;
    const made = createResumableUploading(
      { resumable: resumable as never, uploads, audioTtlMs },
      () => 1000,
    );
    const send = (length?: number) => {
      const headers = new Headers({ 'content-type': 'application/offset+octet-stream' });
      if (length !== undefined) headers.set('content-length', String(length));
      const request = { headers } as Request;
      return refusalOf(made.take(request, upload, 4));
    };
    const begin = () =>
      made.begin(
        {
          headers: new Headers({
            'upload-length': '10',
            'upload-metadata': `key ${btoa('a.mp3')}`,
          }),
        } as Request,
        'org',
      );
    return { begin, send, created, received };
  }

  test('expires after a day, or with recordings if that is sooner', async () => {
    const long = uploading(30 * DAY);
    await long.begin();
    const short = uploading(60_000);
    await short.begin();
    expect([long.created[0]?.expiresAt, short.created[0]?.expiresAt]).toEqual([1000 + DAY, 61_000]);
  });

  test('has a bounded number of parts', async () => {
    const most = 2000;
    expect(await uploading(DAY, most - 1).send()).toBe('taken');
    expect(await uploading(DAY, most).send()).toEqual([400, 'too_many_parts']);
  });

  test('is refused before its body if that is longer than the missing part', async () => {
    const upload = uploading(DAY);
    expect(await upload.send(6)).toBe('taken');
    expect(await upload.send(7)).toEqual([400, 'upload_too_long']);
    expect(upload.received).toHaveLength(1);
  });
});
