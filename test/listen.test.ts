/** The listener: the server of the runtime, before, during and after the life of an app. */
import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import { connect } from 'node:net';
import { listen, type Listener } from '../server/listen.ts';
import { ConfigError } from '../server/base/environment.ts';

const HOST = '127.0.0.1';
const opened: Listener[] = [];
afterAll(() => Promise.all(opened.map((listener) => listener.close())));

/** A listener on a free port, and its address. */
function listening(): { listener: Listener; url: string } {
  const listener = listen({ port: 0, host: HOST });
  opened.push(listener);
  return { listener, url: `http://${HOST}:${listener.port}` };
}

/** Sends text over a connection of its own; returns the answer up to its end, or its first part. */
async function exchange({ port }: Listener, text: string): Promise<string> {
  const socket = connect(port, HOST);
  try {
    socket.write(text);
    for await (const chunk of socket) return String(chunk);
    return '';
  } finally {
    socket.destroy();
  }
}

test('requests that come before the app wait for it', async () => {
  const { listener, url } = listening();
  const early = fetch(url);
  // A refused connection would end it here.
  await Promise.race([early, Bun.sleep(10)]);
  listener.answer(() => new Response('the app'));
  expect(await (await early).text()).toBe('the app');
  expect(await (await fetch(url)).text()).toBe('the app');
});

test('a port in use is refused with the variables to set', () => {
  const { listener } = listening();
  const again = () => listen({ port: listener.port, host: HOST });
  expect(again).toThrow(ConfigError);
  expect(again).toThrow(`Port ${listener.port} of ${HOST} cannot be used. Set PORT`);
});

test('a request without Host reaches the app, which learns the address of its client', async () => {
  const { listener } = listening();
  listener.answer((request) => {
    listener.setIdleTimeout(request, 30);
    return new Response(`${request.method} ${request.url} of ${listener.peer(request)}`);
  });
  expect(await exchange(listener, 'GET /health HTTP/1.0\r\n\r\n')).toEndWith(
    `GET http://localhost/health of ${HOST}`,
  );
});

test('a connection may be idle for a minute, or for as long as the app allows', async () => {
  const serve = spyOn(Bun, 'serve');
  const { listener } = listening();
  const [given] = serve.mock.calls[0]!;
  const server = serve.mock.results[0]!.value as ReturnType<typeof Bun.serve>;
  serve.mockRestore();
  expect(given).toMatchObject({ idleTimeout: 60 });
  const allowed = spyOn(server, 'timeout');
  const seen: Request[] = [];
  listener.answer((request) => {
    listener.setIdleTimeout(request, 30);
    seen.push(request);
    return new Response('the app');
  });
  const host = `Host: ${HOST}\r\n`;
  for (const head of [`GET / HTTP/1.1\r\n${host}`, 'GET / HTTP/1.0\r\n'])
    expect(await exchange(listener, `${head}\r\n`)).toEndWith('the app');
  const [first, second] = allowed.mock.calls.map(([request]) => request);
  expect(allowed.mock.calls.map(([, seconds]) => seconds)).toEqual([30, 30]);
  // The second one has no Host, so the app got a request of ours in its place.
  expect([first === seen[0], second === seen[1], second?.url]).toEqual([true, false, '/']);
});

test('the size of a body is left to the app', async () => {
  const { listener } = listening();
  listener.answer(() => new Response('the app refuses it', { status: 413 }));
  const head = `POST / HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: ${2 ** 31}\r\n\r\n`;
  expect(await exchange(listener, head)).toContain('the app refuses it');
});

describe('draining', () => {
  test('waits for responses that have not begun, and takes no new connections', async () => {
    const { listener, url } = listening();
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<Response>();
    listener.answer(() => {
      asked.resolve();
      return reply.promise;
    });
    const answer = fetch(url);
    await asked.promise;
    let isDrained = false;
    const drained = listener.drain(60_000).then(() => (isDrained = true));
    expect(await fetch(url).catch(() => 'refused')).toBe('refused');
    expect(isDrained).toBeFalse();
    reply.resolve(new Response('done'));
    await drained;
    expect(await (await answer).text()).toBe('done');
  });

  test('ends after the grace period although a response never begins', async () => {
    const { listener, url } = listening();
    const asked = Promise.withResolvers<void>();
    listener.answer(() => {
      asked.resolve();
      return Promise.withResolvers<Response>().promise;
    });
    const answer = fetch(url).catch(() => 'cut off');
    await asked.promise;
    await listener.drain(20);
    await listener.close();
    expect(await answer).toBe('cut off');
  });
});

test('closing ends responses that are still being sent', async () => {
  const { listener, url } = listening();
  listener.answer(() => new Response(new ReadableStream({ start: (all) => all.enqueue('a') })));
  const { body } = await fetch(url);
  const reader = body!.getReader();
  await reader.read();
  await listener.drain(1000);
  await listener.close();
  expect(
    await reader.read().then(
      ({ done }) => done,
      () => true,
    ),
  ).toBeTrue();
});
