/** Requests to the service: repeated, cancelled, refused, and signed in for. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import {
  ApiProblem,
  NoAnswer,
  readProblem,
  retrying,
  unreachable,
} from '../../../web/api/request.ts';
import { listRuns, readReview, runEvents, startRun, writeReview } from '../../../web/api/runs.ts';
import { rememberTerm } from '../../../web/api/terminology.ts';
import { loadPart } from '../../../web/api/load-part.ts';
import {
  SignInDismissed,
  session,
  signIn,
  signInRequest,
  signOut,
  withKey,
} from '../../../web/tab/session.ts';

describe('a request that fails', () => {
  const stop = () => new AbortController();

  /** Fails with each of these errors, then succeeds; the network comes back during the wait. */
  function failing(...errors: Error[]) {
    const waiting = [...errors];
    const said: boolean[] = [];
    const attempt = async (): Promise<string> => {
      said.push(unreachable.value);
      const error = waiting.shift();
      if (!error) return 'done';
      ends.push(setTimeout(() => dispatchEvent(new Event('online'))));
      throw error;
    };
    return { attempt, said };
  }

  const ends: ReturnType<typeof setTimeout>[] = [];

  beforeEach(() => {
    unreachable.value = false;
    for (const end of ends.splice(0)) clearTimeout(end);
  });

  test('it reports that the service is unreachable, only while it is', async () => {
    const { attempt, said } = failing(new NoAnswer(), new NoAnswer());
    expect(await retrying(stop().signal, attempt)).toBe('done');
    expect(said).toEqual([false, true, true]);
    expect(unreachable.value).toBe(false);
  });

  test('a busy or failing service is retried, and does not count as unreachable', async () => {
    const busy = new ApiProblem(429, 'rate_limited', '', 60);
    const { attempt, said } = failing(busy, new ApiProblem(503, 'unavailable', ''));
    expect(await retrying(stop().signal, attempt)).toBe('done');
    expect(said).toEqual([false, false, false]);
  });

  test('an abort ends the wait', async () => {
    const controller = stop();
    const enough = new Error('enough');
    let tries = 0;
    const trying = retrying(controller.signal, async () => {
      tries += 1;
      setTimeout(() => controller.abort(enough));
      throw new NoAnswer();
    });
    expect(await trying.catch((error: unknown) => error)).toBe(enough);
    expect(tries).toBe(1);
  });

  test.each([
    ['the shape of runs', 400, '{"error":{"code":"a","message":"b"}}', 'a', 'b'],
    ['the shape of registration', 400, '{"error":"a","error_description":"b"}', 'a', 'b'],
    ['no description', 400, '{"error":"a"}', 'a', ''],
    ['a text of an intermediary', 502, '<h1>Bad gateway</h1>', 'unknown', expect.any(String)],
  ])('an error response may have %s', (_, status, body, code, message) => {
    const problem = readProblem(status, body, new Headers({ 'retry-after': '7' }));
    expect(problem).toMatchObject({ status, code, message, retryAfter: 7 });
    expect(problem.isPassing).toBe(status === 502);
  });

  test('pauses double from half a second to ten, start again after a response, and last as long as requested', async () => {
    const pauses: (number | undefined)[] = [];
    const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
      end: () => void,
      ms?: number,
    ) => {
      pauses.push(ms);
      queueMicrotask(end);
      return 0;
    }) as typeof setTimeout);
    try {
      const silent = Array.from({ length: 7 }, () => new NoAnswer());
      const busy = (seconds: number) => new ApiProblem(429, 'rate_limited', '', seconds);
      const errors: Error[] = [...silent, busy(60), busy(1), new NoAnswer()];
      await retrying(stop().signal, async (reached) => {
        const error = errors.shift();
        if (errors.length === 0) reached();
        if (error) throw error;
      });
    } finally {
      timers.mockRestore();
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 60_000, 10_000, 500]);
  });
});

const { fetch: own } = globalThis;

afterEach(() => {
  globalThis.fetch = own;
});

/** Gives these answers to the next requests; returns the requests. */
function answering(...answers: Response[]): Request[] {
  const asked: Request[] = [];
  globalThis.fetch = (async (path: string, init: RequestInit) => {
    asked.push(new Request(new URL(path, 'http://localhost:3000'), init));
    return answers[asked.length - 1]!;
  }) as unknown as typeof fetch;
  return asked;
}

const refusal = (status: number) =>
  Response.json({ error: { code: 'refused', message: 'No.' } }, { status });

const events = (...lines: string[]) => new Response(`${lines.join('\n')}\n\n`);

const RUNNING = ['id: 7', 'event: run', 'data: {"state":"running"}'];

const signal = new AbortController().signal;

test('events are requested from the last one on, with the words', async () => {
  const asked = answering(events(...RUNNING));
  const news = await Array.fromAsync(runEvents('k', 'run_1', '6', signal));
  expect(news).toMatchObject([{ id: '7', event: 'run', data: { state: 'running' } }]);
  const [{ url, headers }] = asked as [Request];
  expect(url).toEndWith('/workflows/captioner/run_1/events?include=transcript');
  expect([headers.get('accept'), headers.get('last-event-id')]).toEqual(['text/event-stream', '6']);
});

test('an earlier version of the service gets requests for the state only', async () => {
  const asked = answering(refusal(422), events(...RUNNING));
  expect(await Array.fromAsync(runEvents('k', 'run_1', null, signal))).toHaveLength(1);
  expect(asked.map(({ url }) => new URL(url).search)).toEqual(['?include=transcript', '']);
  for (const { headers } of asked) {
    expect([headers.get('accept'), headers.has('last-event-id')]).toEqual([
      'text/event-stream',
      false,
    ]);
  }
});

test('events arrive in any pieces, of known kinds only, and are of the run unless they say otherwise', async () => {
  const sent = [
    ': still here\n\n',
    'id: 1\ndata: {"state":"queued"}\n\n',
    'id: 2\nevent: later\ndata: {}\n\n',
    'event: transcript\ndata: {"text":"Grüße"}\n\n',
  ].join('');
  const bytes = new TextEncoder().encode(sent);
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  answering(new Response(body));
  expect(await Array.fromAsync(runEvents('k', 'run_1', null, signal))).toEqual([
    { id: '1', event: 'run', data: { state: 'queued' } },
    { id: '', event: 'transcript', data: { text: 'Grüße' } },
  ] as never);
});

test('a run is started once, however often it is asked for', async () => {
  const asked = answering(Response.json({ runId: 'run_1' }));
  expect(await startRun('k', { payload: {} } as never, 'once', signal)).toBe('run_1');
  const [{ method, headers }] = asked as [Request];
  expect([method, headers.get('idempotency-key'), headers.get('content-type')]).toEqual([
    'POST',
    'once',
    'application/json',
  ]);
});

test.each(['..', 'a/b', ''])('the id %p is refused', async (id) => {
  const asked = answering();
  const failure = await Array.fromAsync(runEvents('k', id, null, signal)).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ApiProblem);
  expect(asked).toEqual([]);
});

test.each([
  ['before there is an answer', async () => Promise.reject(new TypeError('Aborted.'))],
  ['while the answer arrives', async () => new Response('{"runs": [')],
])('a request that is cancelled %s ends as cancelled', async (_, answer) => {
  const leave = new AbortController();
  const left = new Error('The page was left.');
  globalThis.fetch = (async () => {
    leave.abort(left);
    return answer();
  }) as unknown as typeof fetch;
  const { signal } = leave;
  expect(await listRuns('k', { limit: 1, signal }).catch((error: unknown) => error)).toBe(left);
});

const problem = (status: number, code: string) => [
  Response.json({ error: { code, message: '' } }, { status }),
  expect.objectContaining({ status, code }),
];

test.each([
  [
    null,
    Response.json({ cues: [] }, { headers: { etag: '"2"' } }),
    { review: { cues: [] }, tag: '"2"' },
  ],
  ['"2"', new Response(null, { status: 304 }), 'same'],
  [null, new Response(null, { status: 204 }), null],
  [null, problem(404, 'review_not_found')[0], null],
  [null, ...problem(404, 'run_not_found')],
  [null, ...problem(401, 'review_not_found')],
  [null, ...problem(500, 'internal')],
] as [string | null, Response, unknown][])(
  'a review is read after %p',
  async (tag, answer, expected) => {
    const asked = answering(answer);
    const got = await readReview('k', 'run_1', tag, signal).catch((error: unknown) => error);
    expect(got).toEqual(expected);
    expect(asked[0]!.headers.get('if-none-match')).toBe(tag);
  },
);

test.each([true, false])('a review is saved, even if the page is closed: %p', async (keepalive) => {
  let sent: RequestInit = {};
  globalThis.fetch = (async (_: string, init: RequestInit) => {
    sent = init;
    return new Response(null, { headers: { etag: 'W/"3"' } });
  }) as unknown as typeof fetch;
  const review = { cues: [], corrections: [], speakers: [], finished: true };
  const tag = keepalive ? '"2"' : null;
  expect(await writeReview('k', 'run_1', review, tag, { keepalive })).toBe('"3"');
  expect([sent.method, sent.keepalive, JSON.parse(sent.body as string)]).toEqual([
    'PUT',
    keepalive,
    review,
  ]);
  const headers = new Headers(sent.headers);
  expect([headers.get('if-match'), headers.get('if-none-match')]).toEqual(
    keepalive ? ['"2"', null] : [null, '*'],
  );
});

test.each([
  ['gives up after four attempts', [412, 412, 412, 412, 200], ['"1"', '"2"', '"3"', '"4"']],
  ['ends at once if it is refused', [422, 200], ['"1"']],
])('remembering a replacement %s', async (_, statuses, tags) => {
  const sent: (string | null)[] = [];
  let reads = 0;
  globalThis.fetch = (async (_path: string, { method, headers }: RequestInit) => {
    if (method === 'GET') {
      reads += 1;
      const terms = [{ canonical: 'SCIM', mishears: ['s c i m'] }];
      return Response.json({ terms }, { headers: { etag: `"${reads}"` } });
    }
    sent.push(new Headers(headers).get('if-match'));
    return refusal(statuses[sent.length - 1]!);
  }) as unknown as typeof fetch;
  const ended = rememberTerm('k', { term: 'SCIM', mishear: 'skim' });
  const error = await ended.catch((thrown: unknown) => thrown);
  // Each attempt is made on the terms as somebody else has left them.
  expect([sent, error]).toEqual([tags, expect.objectContaining({ status: statuses[0] })]);
});

/** A part that fails to load so many times, with a service that answers each check or not. */
function part(failures: number, ...isThere: boolean[]) {
  const did: string[] = [];
  globalThis.fetch = (async (path: string) => {
    did.push(path);
    if (isThere.shift()) return new Response('{}');
    setTimeout(() => dispatchEvent(new Event('online')));
    throw new TypeError('No network.');
  }) as unknown as typeof fetch;
  let left = failures;
  const load = async (): Promise<string> => {
    did.push('load');
    left -= 1;
    if (left >= 0) throw new TypeError('Importing a module failed.');
    return 'part';
  };
  return { did, load };
}

test('a part whose loading failed is loaded again if the service is there', async () => {
  const { did, load } = part(1, true);
  expect([await loadPart(load), did]).toEqual(['part', ['load', '/health', 'load']]);
});

test('a part that the service no longer has is missing', async () => {
  const { did, load } = part(2, true);
  const failure = await loadPart(load).catch((error: unknown) => error);
  expect([failure instanceof NoAnswer, String(failure)]).toEqual([
    false,
    'TypeError: Importing a module failed.',
  ]);
  expect(did).toEqual(['load', '/health', 'load']);
});

describe('the session', () => {
  afterEach(signOut);

  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };

  test('a key that is refused late does not end a session that has begun since', async () => {
    const answer = Promise.withResolvers<void>();
    const used: string[] = [];
    signIn({ key: 'old', email: 'ann@example.com' }, false);
    const done = withKey(async (key) => {
      used.push(key);
      if (key === 'new') return;
      await answer.promise;
      throw new ApiProblem(401, 'unauthorized', '');
    });
    signIn({ key: 'new', email: 'ann@example.com' }, false);
    answer.resolve();
    await turns();
    expect(signInRequest.peek()).toBeNull();
    await done;
    expect([used, session.peek()?.key]).toEqual([['old', 'new'], 'new']);
  });

  test('one card serves everything that needs a key, and is gone once the user has signed in', async () => {
    const used: string[] = [];
    const ask = (name: string) => withKey(async (key) => void used.push(`${name} ${key}`));
    const both = Promise.all([ask('first'), ask('second')]);
    signIn({ key: 'k', email: 'ann@example.com' }, false);
    await both;
    await turns();
    expect([used, signInRequest.peek()]).toEqual([['first k', 'second k'], null]);
  });

  test('declining concerns everything that waits, not what asks later', async () => {
    const failed = [withKey(async () => {}), withKey(async () => {})].map((each) =>
      each.catch((error: unknown) => error),
    );
    signInRequest.peek()!.dismiss();
    for (const each of failed) expect(await each).toBeInstanceOf(SignInDismissed);
    await turns();
    expect(signInRequest.peek()).toBeNull();
    const later = withKey(async (key) => key);
    expect(signInRequest.peek()?.reason).toBe('first');
    signIn({ key: 'k', email: 'ann@example.com' }, false);
    expect(await later).toBe('k');
  });
});
