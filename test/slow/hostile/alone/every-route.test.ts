/**
 * The largest and most awkward bodies to every route of /openapi.json: meanwhile the service answers others. A route
 * that is added without the pool fails here, without being named.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Any } from '../../../support/servers/client.ts';
import { expectUnharmed } from '../support/answers.ts';
import { serviceWithRun } from '../support/service-with-run.ts';

setDefaultTimeout(600_000);

/** The longest that anybody else may wait, in milliseconds, on a machine that is not busy. */
const LONGEST_MS = 100;

/** A run of twelve hours, whose result has about the size of the largest that is realistic. */
const long = 'We signed in with AuthKit and then we uploaded the whole talk once again. '.repeat(
  8000,
);
const { server, ann, document, runId } = await serviceWithRun(long);

const KiB = 1024;
const MiB = KiB * KiB;
/** The first is the largest that is read beside other requests. The largest take minutes, at full length only. */
const SIZES = [64 * KiB - 100, MiB - 100, ...(process.env['FUZZ'] ? [11 * MiB] : [])];
/** The sizes of a shape for a route: each shape is sent in each size, to every third route; at full length, to all. */
const sizesOf = (route: number, shape: number): number[] =>
  process.env['FUZZ'] ? SIZES : SIZES.slice((route + shape) % 3).slice(0, 1);
const filled = (unit: (at: number) => string, size: number): string => {
  const parts: string[] = [];
  for (let length = 0, at = 0; length < size; at += 1) {
    const part = unit(at);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
};
const nested = (open: string, size: number) => open.repeat(Math.floor(size / open.length));

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE_OF_FORM = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`;
const END_OF_FORM = `${field('model', 'whisper-1')}${FILE_OF_FORM}no sound\r\n--b--\r\n`;

/** Bodies by media type: each makes a text of about a size. */
const SHAPES: Record<string, Record<string, (size: number) => string>> = {
  'application/json': {
    'many keys': (size) => `{${filled((at) => `"k${at}":1,`, size)}"z":1}`,
    'many numbers': (size) => `[${filled(() => '0,', size)}0]`,
    'many objects': (size) => `{"terms":[${filled(() => '{},', size)}{}]}`,
    'many terms': (size) => `{"terms":[${filled((at) => `{"canonical":"T${at}"},`, size)}{}]}`,
    'many cues': (size) =>
      `{"cues":[${filled((at) => `{"start":${at},"end":${at + 1},"text":"a b"},`, size)}{}]}`,
    'a glossary': (size) =>
      `{"audio":{"key":"a.mp3"},"glossary":[${filled(() => '"a",', size)}""]}`,
    'nested arrays': (size) => nested('[', size),
    'nested objects': (size) => nested('{"a":', size),
    'a page without ends': (size) =>
      JSON.stringify({ text: `<p>${'<script>'.repeat(25_000)}`.slice(0, Math.min(size, 200_000)) }),
    'rare words': (size) =>
      JSON.stringify({ text: filled((at) => `Zorbex${at} `, Math.min(size, 190_000)) }),
    'a tool with a page': () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'propose_terms',
          arguments: { text: `<p>${'<style>'.repeat(28_000)}` },
        },
      }),
    'a tool with many keys': (size) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change_terms","arguments":{${filled(
        (at) => `"k${at}":1,`,
        size,
      )}"z":1}}}`,
  },
  'application/yaml': {
    'many keys': (size) => filled((at) => `${at}:\n`, size),
    aliases: (size) => filled((at) => `- &a${at} x\n- *a${at}\n`, size),
    'flow maps': (size) => nested('[a: b,', size),
    'open lists': (size) => nested('[', size),
    terms: (size) => filled((at) => `- canonical: T${at}\n`, size),
  },
  'multipart/form-data; boundary=b': {
    'many fields': (size) => `${filled((at) => field(`k${at % 900}`, '1'), size)}${END_OF_FORM}`,
    'a long prompt': (size) =>
      `${field(
        'prompt',
        filled((at) => `Zorbex${at} `, 30_000),
      )}${filled((at) => field('topic', `w${at}`), size)}${END_OF_FORM}`,
    'many keywords': (size) =>
      `${filled((at) => field('keywords[]', `T${at % 900}`), Math.min(size, 60_000))}${END_OF_FORM}`,
    'open parts': (size) => nested('--b\r\n\r\n', size),
    'long heads': (size) => `--b\r\n${filled((at) => `h${at}: x\r\n`, size)}`,
    'half boundaries': (size) => `${FILE_OF_FORM}${nested('\r\n--', size)}`,
  },
  'text/plain': {
    commas: (size) => nested(',', size),
    words: (size) => filled((at) => `w${at},`, size),
    spaces: (size) => nested(' ', size),
  },
};

const address = (path: string): string =>
  path
    .replace('{runId}', runId)
    .replace('{key}', 'a.mp3')
    .replace('{format}', 'json')
    .replaceAll(/\{\w+\}/g, 'x_1');

async function ask(
  method: string,
  path: string,
  body?: string,
  type = 'application/json',
  condition: Record<string, string> = { 'if-match': '*' },
) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ann.key}`,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': type }),
      ...condition,
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(120_000),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The longest wait of somebody who asks for /health again and again, in milliseconds. */
async function longestWait(during: Promise<unknown>): Promise<number> {
  let longest = 0;
  const state = { isDone: false };
  const done = during.finally(() => {
    state.isDone = true;
  });
  // Awaited below; a failure must not end the watch early.
  done.catch(() => {});
  do {
    const before = performance.now();
    const health = await fetch(`${server.url}/health`);
    await health.arrayBuffer();
    expect(health.status).toBe(200);
    longest = Math.max(longest, performance.now() - before);
    await Bun.sleep(5);
  } while (!state.isDone);
  await done;
  return longest;
}

/**
 * The faults of requests that let others wait. What a slow machine takes for /health alone does not count, and a wait
 * has to be repeatable.
 */
async function held(what: string, work: () => Promise<unknown>): Promise<string[]> {
  const waits: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const wait = await longestWait(work());
    if (wait <= LONGEST_MS) return [];
    const idle = await longestWait(Bun.sleep(1000));
    if (wait <= LONGEST_MS + 3 * idle) return [];
    waits.push(Math.round(wait));
  }
  return [`${what}: others waited ${waits.join(', ')} ms`];
}

const withBody: [string, string, number][] = Object.entries(document.paths)
  .flatMap(([path, item]) =>
    Object.entries(item as Any).flatMap(([method, { requestBody }]: [string, Any]) =>
      requestBody ? [[method.toUpperCase(), path] as const] : [],
    ),
  )
  .map(([method, path], at) => [method, path, at]);

test('there are routes with bodies', () => expect(withBody.length).toBeGreaterThan(10));

describe.each(withBody)('%s %s', (method, path, route) => {
  test.each(Object.entries(SHAPES))('%s', async (type, shapes) => {
    const faults: string[] = [];
    for (const [at, [name, shape]] of Object.entries(shapes).entries()) {
      for (const size of sizesOf(route, at)) {
        const body = shape(size);
        faults.push(
          ...(await held(`${name} of ${body.length}`, () =>
            ask(method, address(path), body, type),
          )),
        );
      }
    }
    expect(faults).toEqual([]);
  });
});

describe('what is stored', () => {
  test('is read while others are answered', async () => {
    const cues = Array.from({ length: 50_000 }, (_, at) => ({
      start: at,
      end: at + 0.8,
      lines: ['This caption is a line', 'and another one of a talk'],
    }));
    const review = JSON.stringify({ cues, corrections: [], speakers: [], finished: true });
    const terms = {
      terms: Array.from({ length: 1000 }, (_, at) => ({
        canonical: `Term${at}`,
        mishears: Array.from({ length: 30 }, (_, form) => `alias ${at} ${form}`),
      })),
    };
    const run = `/workflows/captioner/${runId}`;
    const faults: string[] = [];
    /** Asks, and is to be answered well: what is refused shows nothing. */
    const hold = async (...asked: Parameters<typeof ask>) => {
      const [method, path] = asked;
      const answered = async () => expect(`${path} ${await ask(...asked)}`).toMatch(/ 20[01]$/);
      faults.push(...(await held(`${method} ${path}`, answered)));
    };
    const json = 'application/json';
    await hold('PUT', `${run}/review`, review, json, { 'if-none-match': '*' });
    await hold('PUT', '/terminology/terms', JSON.stringify(terms), json, {});
    for (const read of [
      run,
      `${run}/review`,
      ...['srt', 'vtt', 'ass', 'ttml', 'txt', 'json'].map((format) => `${run}/captions.${format}`),
      `${run}/captions.json?version=original`,
      `${run}/captions.json?profile=netflix&frameRate=24&shots=1,2,3`,
      '/workflows/captioner',
      '/terminology/terms',
      '/terminology/terms?format=yaml',
      '/terminology/rules',
      '/workspace/export',
    ]) {
      await hold('GET', read);
    }
    expect(faults).toEqual([]);
  });
});

test('the service is unharmed', () => expectUnharmed(server));
