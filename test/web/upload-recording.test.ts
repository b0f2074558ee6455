/** The way in which a recording is uploaded, by its size. */
import { afterEach, expect, test } from 'bun:test';
import { uploadRecording } from '../../web/api/upload.ts';
import { uploads } from './app/support/uploads.ts';

const { XMLHttpRequest: ownRequest, fetch: ownFetch } = globalThis;
afterEach(() => Object.assign(globalThis, { XMLHttpRequest: ownRequest, fetch: ownFetch }));

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
