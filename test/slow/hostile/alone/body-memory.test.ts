/**
 * The body of each shape that takes the most memory for its size, at the largest size that each route of /openapi.json
 * reads: the service, in a process of its own, stays within what a small machine gives it.
 */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { REVIEW } from '../../../../server/contract/limits.ts';
import { type Any } from '../../../support/servers/client.ts';
import { needs } from '../../../support/requirements.ts';
import { expectUnharmed } from '../support/answers.ts';
import { serviceWithRun } from '../support/service-with-run.ts';

setDefaultTimeout(600_000);

/** The memory that requests may add to what the idle service takes. */
const MOST_MIB = 300;
const needsProc = needs(existsSync('/proc/self/clear_refs'), 'there is no /proc here');

const { server, ann, document, runId } = await serviceWithRun('a word '.repeat(40));

/** The most memory that the service has held since the last call, in MiB. */
async function peakMib(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  await writeFile(`/proc/${server.pid}/clear_refs`, '5');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** What a list contains: the unit of each shape, by its number. */
const SHAPES: Record<string, (at: number) => string> = {
  'empty arrays': () => '[],',
  'empty objects': () => '{},',
  'open brackets': () => '[',
  numbers: () => '1,',
  'short strings': (at) => `"${at.toString(36)}",`,
  'many keys': (at) => `"${at.toString(36)}":0,`,
  'objects in objects': (at) => `{"${at % 9000}":{"a":{}}},`,
  nulls: () => 'null,',
};

/** How many of them the largest bound lets through, where that is not its number of values. */
const UNITS: Record<string, number> = {
  'empty arrays': 199_000,
  'empty objects': 199_000,
  'open brackets': 60,
  'many keys': 9900,
  'objects in objects': 66_000,
};

/** Before the units: a list that a route knows, or an object of many keys. */
const LISTS = ['{"cues":[', '{"cues":[],"corrections":[', '{"sentences":[', '{"terms":['];

/**
 * A body of a shape.
 * @param size its largest size
 * @param count the most units in it
 */
function bodyOf(shape: string, list: string, size: number, count: number): string {
  const unit = SHAPES[shape]!;
  const parts = [list];
  for (let length = list.length, at = 0; at < count; at += 1) {
    const part = unit(at);
    length += part.length;
    if (length > size - 8) break;
    parts.push(part);
  }
  if (shape === 'many keys') parts[0] += '{';
  const end = { 'open brackets': '', 'many keys': '"":0}]' }[shape] ?? '0]';
  return `${parts.join('')}${end}${shape !== 'open brackets' && list !== '[' ? '}' : ''}`;
}

const address = (path: string): string =>
  path.replace('{runId}', runId).replaceAll(/\{\w+\}/g, 'x_1');

const send = async (method: string, path: string, body: string): Promise<number> => {
  const response = await fetch(`${server.url}${address(path)}`, {
    method,
    headers: {
      authorization: `Bearer ${ann.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'if-none-match': '*',
    },
    body,
  });
  await response.arrayBuffer();
  return response.status;
};

/** The names of the fields in a body of a route. */
function fieldsOf({ $ref, properties = {}, anyOf = [], allOf = [] }: Any): string[] {
  const named = $ref ? document.components.schemas[$ref.split('/').at(-1)] : null;
  if (named) return fieldsOf(named);
  return [...Object.keys(properties), ...[...anyOf, ...allOf].flatMap(fieldsOf)];
}

/** The lists that a route knows, or one that it does not; at full length, all. */
function listsOf(schema: Any): string[] {
  const fields = fieldsOf(schema);
  const known = LISTS.filter((list) => fields.some((field) => list.startsWith(`{"${field}"`)));
  return process.env['FUZZ'] ? LISTS : known.length > 0 ? known : LISTS.slice(0, 1);
}

const routes: [method: string, path: string, lists: string[], at: number][] = Object.entries(
  document.paths,
)
  .flatMap(([path, item]) =>
    Object.entries(item as Any).flatMap(([method, { requestBody }]: [string, Any]) => {
      const { schema } = requestBody?.content?.['application/json'] ?? {};
      return schema ? [[method.toUpperCase(), path, listsOf(schema)] as const] : [];
    }),
  )
  .map((route, at) => [...route, at]);

/** The largest sizes of bodies; of a route, the largest that it reads is sent. */
const SIZES = [REVIEW.maxBytes, 2 ** 20, 2 ** 16, 2 ** 14, 2 ** 12].map((size) => size - 64);

/** The largest size of a body that a route reads. */
async function largestOf(method: string, path: string): Promise<number> {
  for (const size of SIZES) {
    // It is refused for its length, without being read, or for what is in it.
    const status = await send(method, path, `"${'x'.repeat(size)}"`);
    if (status !== 413) return size;
  }
  throw new Error(`${method} ${path} reads nothing`);
}

const idle = (await peakMib(), await Bun.sleep(500), await peakMib());

/** The shapes for a route: every second, so that each is sent to every second route; at full length, all. */
const shapesFor = (route: number): string[] =>
  Object.keys(SHAPES).filter((_, at) => process.env['FUZZ'] || (route + at) % 2 === 0);

describe.each(routes)('%s %s', (method, path, lists, route) => {
  needsProc('takes little memory for any body', async () => {
    const size = await largestOf(method, path);
    const faults: string[] = [];
    const check = async (what: string, body: string) => {
      await peakMib();
      const status = await send(method, path, body);
      const more = (await peakMib()) - idle;
      if (status < 400 || status > 422 || more > MOST_MIB) {
        faults.push(`${what}: ${status}, ${Math.round(more)} MiB`);
      }
    };
    for (const shape of shapesFor(route)) {
      await check(shape, bodyOf(shape, '[', size, Infinity));
      if (size <= 2 ** 16) continue;
      // As many values as the largest bound lets through: what the route makes of them counts, too.
      const units = UNITS[shape] ?? REVIEW.most.values - 10_000;
      for (const list of lists) {
        await check(`${shape} in ${list}`, bodyOf(shape, list, size, units));
      }
    }
    expect(faults).toEqual([]);
  });
});

needsProc('an honest review of the largest size is stored within the same memory', async () => {
  const cue = (at: number) => ({
    start: at,
    end: at + 0.9,
    lines: ['This is the first line of a caption', 'and this is the second one'],
    text: 'This is the first line of a caption\nand this is the second one',
    speaker: `speaker-${at % 9}`,
    index: at + 1,
    startTime: '00:00:00,000',
    endTime: '00:00:00,900',
  });
  const cues = Array.from({ length: REVIEW.maxCues }, (_, at) => cue(at));
  const body = JSON.stringify({ cues, corrections: [], speakers: [], finished: true });
  expect(body.length).toBeGreaterThan(0.6 * REVIEW.maxBytes);
  await peakMib();
  const status = await send('PUT', `/workflows/captioner/{runId}/review`, body);
  const more = (await peakMib()) - idle;
  expect([status, more < MOST_MIB ? 'little' : `${more} MiB`]).toEqual([201, 'little']);
});

test('the service is unharmed', () => expectUnharmed(server));
