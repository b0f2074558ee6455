/** The budget of each route for unfinished bodies, to the byte, and the refusal beyond it. */
import { expect, test } from 'bun:test';
import { releasedAtEnd } from '../../server/http/uploads/throttles.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const MCP_MESSAGE = Math.ceil((8 * MIB * 4) / 3) + MIB;
const app = await mountedApp();
// Several, because one workspace may not send at once what the service holds.
const keys = await Promise.all(
  Array.from({ length: 9 }, (_, at) => app.signUp(`ann@company-${at}.example`)),
);

/** Sends a body that never ends; resolves once its bytes are read. */
async function hold(method: string, path: string, key: string, bytes: number) {
  const read = Promise.withResolvers<ReadableStreamDefaultController>();
  let isSent = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isSent) return read.resolve(controller);
        isSent = true;
        controller.enqueue(new Uint8Array(bytes));
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'application/json' };
  const answer = app.ask(path, { method, key, headers, body });
  const controller = await read.promise;
  return async () => {
    controller.error(new Error('the connection broke'));
    await answer;
  };
}

test.each([
  ['POST', '/workflows/captioner', MIB, 32 * MIB],
  ['PUT', '/terminology/terms', MIB, 16 * MIB],
  ['PATCH', '/terminology/rules/r', 64 * KIB, 4 * MIB],
  ['POST', '/terminology/proposals', 1_200_000, 16 * 1_200_000],
  ['POST', '/webhooks', 16 * KIB, MIB],
  ['PUT', '/workflows/captioner/r/review', 16 * MIB, 64 * MIB],
  ['POST', '/agent/auth', 64 * KIB, 16 * MIB],
  ['POST', '/mcp', MCP_MESSAGE, 3 * MCP_MESSAGE],
])('%s %s: bodies of up to %d bytes, %d in all', async (method, path, longest, most) => {
  const keyOf = (at: number): string => keys[at % keys.length]!.key;
  const ask = async (body: string) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await app.ask(path, { method, key: keyOf(1), headers, body });
    return [answer.status, answer.headers.get('retry-after'), await answer.text()] as const;
  };
  const ends: (() => Promise<void>)[] = [];
  for (let left = most - 1; left > 0; left -= longest) {
    ends.push(await hold(method, path, keyOf(ends.length), Math.min(longest, left)));
  }
  const [full, retryAfter, text] = await ask('[]');
  expect([full, retryAfter]).toEqual([503, '5']);
  expect(text).toContain('Too many large requests are in progress. Try again soon.');
  const [fits] = await ask('1');
  expect(fits).toBeWithin(400, 500);
  for (const end of ends) await end();
  const [free] = await ask('[]');
  expect(free).toBe(fits);
  // Longer ones take seconds.
  if (longest > 2 * MIB) return;
  expect((await ask(`1${' '.repeat(longest - 1)}`))[0]).toBe(fits);
  expect((await ask(`1${' '.repeat(longest)}`))[0]).toBe(413);
});

test('an answer is released when it is sent, breaks off or is abandoned, but not before', async () => {
  const parts = [new Uint8Array(1), new Uint8Array(2)];
  const opened = (end: (controller: ReadableStreamDefaultController) => void) => {
    let released = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      const part = parts[sent++];
      if (part) controller.enqueue(part);
      else end(controller);
    };
    let sent = 0;
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const answer = releasedAtEnd(new Response(body, { status: 207 }), () => void (released += 1));
    return { answer, reader: answer.body!.getReader(), released: () => released };
  };
  const whole = opened((controller) => controller.close());
  expect([whole.answer.status, whole.released()]).toEqual([207, 0]);
  for (const part of parts) expect((await whole.reader.read()).value).toEqual(part);
  expect((await whole.reader.read()).done).toBe(true);
  expect(whole.released()).toBe(1);
  const broken = opened((controller) => controller.error(new Error('the run is gone')));
  for (const _ of parts) await broken.reader.read();
  await expect(broken.reader.read()).rejects.toThrow('the run is gone');
  expect(broken.released()).toBe(1);
  const abandoned = opened(() => {});
  await abandoned.reader.read();
  expect(abandoned.released()).toBe(0);
  await abandoned.reader.cancel();
  expect(abandoned.released()).toBe(1);
  let released = 0;
  releasedAtEnd(new Response(null), () => void (released += 1));
  expect(released).toBe(1);
});
