/**
 * Fills every text field of every request with long texts: the service responds, and its cost grows
 * in proportion. The fields come from the served OpenAPI document, the schemas of the tools and the
 * sources, so that new ones are included.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { signUp, type Any, type Client } from '../../support/servers/client.ts';
import { rounds } from '../../support/fuzz.ts';
import { testServer } from '../../support/servers/test-server.ts';
import { expectNoLeak, expectUnharmed, send } from './support/answers.ts';
import { longFields, type LongField } from './support/long-fields.ts';
import { operationsOf, toolCalls } from './support/operations.ts';
import type { HostileRequest } from './support/requests.ts';

setDefaultTimeout(300_000);

const KB = 1000;
const SIZES = [KB, 10 * KB, 100 * KB, 1000 * KB];
/** Text to repeat: characters that are hard for patterns, words, escapes, two-byte letters. */
const UNITS = ['!', 'ab ', '\\"', 'é,'];
/** Processor time is reported in hundredths of a second. */
const TICK_MS = 10;
/** The cost of any megabyte of text: to read, decode and refuse it. */
const CHEAP_MS = 150;
/** A cost above this in three measurements is not measured again. */
const HOPELESS_MS = 4 * CHEAP_MS;
const LOOKS = 8;
const FEWEST_LOOKS = 3;
/** For ten times the text: ten times the cost is proportional, a hundred times is quadratic. */
const MAX_TIMES = 30;

const server = await testServer({ env: { REGISTRATIONS_PER_IP: '1000000' } });
/** A workspace that sends many megabytes is slowed down on purpose; this many together are not. */
const people = await Promise.all(
  Array.from({ length: 16 }, (_, at) => signUp(server, `ann${at}@example.com`)),
);
const [ann] = people as [Client];
const document: Any = await (await fetch(`${server.url}/openapi.json`)).json();
const described = operationsOf(document);
const authorized = {
  authorization: `Bearer ${ann.key}`,
  accept: 'application/json, text/event-stream',
};

/** The processor time of the service so far, of all threads, in milliseconds. */
function spentMs(): number {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) * TICK_MS;
}

const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024;

let sent = 0;
/** A request in the name of one workspace after another. */
const inTurn = (request: HostileRequest): HostileRequest => {
  if (request.headers['authorization'] !== authorized.authorization) return request;
  const { key } = people[(sent += 1) % people.length]!;
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } };
};

/** The cost of a request to the service; the response must not be an error of its own. */
async function costOf({ name, request }: LongField, text: string): Promise<number> {
  const before = spentMs();
  const answer = await send(server.url, inTurn(request(text)));
  expect([name, answer.status]).not.toEqual([name, 500]);
  expectNoLeak(answer);
  return spentMs() - before;
}

/**
 * Whether the costs of texts, each ten times as long as the previous one, grow faster than
 * linearly.
 */
const growsTooFast = (costs: readonly number[]): boolean =>
  costs.some((cost, at) => {
    // A cost of zero ticks may have been nearly one.
    const before = Math.max(TICK_MS, costs[at - 1] ?? cost);
    return cost > Math.max(CHEAP_MS, MAX_TIMES * before);
  });

/**
 * The costs of a field, measured again if they look too high: garbage and a busy machine only add
 * time. So the lowest of several measurements counts, and a single one decides nothing.
 */
async function faultOf(field: LongField, unit: string): Promise<string[]> {
  let costs = SIZES.map(() => Infinity);
  for (let look = 1; look <= LOOKS; look += 1) {
    const seen: number[] = [];
    for (const size of SIZES) {
      seen.push(await costOf(field, unit.repeat(size / Buffer.byteLength(unit))));
    }
    costs = costs.map((cost, at) => Math.min(cost, seen[at] ?? cost));
    if (!growsTooFast(costs)) return [];
    if (look >= FEWEST_LOOKS && costs.some((cost) => cost > HOPELESS_MS)) break;
  }
  return [`${field.name} of ${JSON.stringify(unit)}: ${costs.join(', ')} ms`];
}

/** Tries one unit a field, in rotation; with `FUZZ` all of them. */
async function faultsOf(fields: readonly LongField[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [at, field] of fields.entries()) {
    for (const unit of rounds(1) > 1 ? UNITS : [UNITS[at % UNITS.length]!]) {
      faults.push(...(await faultOf(field, unit)));
      // Each fault takes long to find, and a few are enough to show the cause.
      if (faults.length > 4) return faults;
    }
  }
  return faults;
}

test('quadratic cost is detected', () => {
  expect(growsTooFast([0, 0, 10, 120])).toBe(false);
  expect(growsTooFast([0, 10, 100, 1000])).toBe(false);
  expect(growsTooFast([0, 0, 10, 1000])).toBe(true);
  expect(growsTooFast([0, 20, 2000, 0])).toBe(true);
});

test("the contract's fields are included", () => {
  const names = described.flatMap((one) => longFields(one, document, {})).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'POST /workflows/captioner application/json .topic',
      'POST /workflows/captioner application/json .glossary.0',
      'POST /workflows/captioner application/json .transcription.keyterms.*',
      'POST /workflows/captioner query wait',
      'POST /workflows/captioner header Idempotency-Key',
      'POST /agent/auth application/json .assertion',
      'PUT /audio/{key} path key',
      'PUT /terminology/terms text/plain ',
    ]),
  );
});

const withText = described.filter((one) => longFields(one, document, {}).length > 0);
test.each(withText.map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s',
  async (_name, one) => expect(await faultsOf(longFields(one, document, authorized))).toEqual([]),
);

test('the arguments of every tool', async () => {
  const tools = await toolCalls(server.url, ann.key, described);
  expect(tools.length).toBeGreaterThan(5);
  for (const [tool, call] of tools) {
    const ofArguments = longFields({ ...call, parameters: [] }, document, authorized)
      .filter(({ name }) => name.includes('.arguments'))
      .map((field) => ({ ...field, name: `${tool}: ${field.name}` }));
    expect(await faultsOf(ofArguments)).toEqual([]);
  }
});

test('every header that the sources read', async () => {
  const names = new Set<string>(['last-event-id', 'traceparent', 'mcp-session-id']);
  for await (const file of new Bun.Glob('server/**/*.ts').scan('.')) {
    const source = readFileSync(file, 'utf8');
    for (const [, name] of source.matchAll(/headers\.get\('([^']+)'\)/g)) names.add(name ?? '');
  }
  // These belong to the connection, and a client cannot choose them.
  for (const own of ['content-length', 'host']) names.delete(own);
  expect(names.size).toBeGreaterThan(10);
  const fields = ['/', '/workflows/captioner'].flatMap((path) =>
    [...names].map((name) => ({
      name: `${path} ${name}`,
      request: (text: string) => ({
        method: 'GET',
        path,
        // Headers cannot contain letters beyond Latin-1.
        headers: { ...authorized, [name]: text },
        body: null,
      }),
    })),
  );
  expect(await faultsOf(fields)).toEqual([]);
});

test('the service is unharmed', async () => {
  await expectUnharmed(server);
  expect(resident()).toBeLessThan(600);
});
