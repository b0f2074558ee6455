/** Checks that a response matches the served OpenAPI document's description of its operation. */
import { expect } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { validate } from '@hyperjump/json-schema/openapi-3-2';
import type { Any } from '../../../support/servers/client.ts';
import type { ServerProcess } from '../../../support/servers/server-process.ts';
import { resolver, type Operation } from './operations.ts';
import type { HostileRequest } from './requests.ts';

/** The longest time for any response. */
const ANSWER_MS = 90_000;

/** A response with its body read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request unchanged. */
export async function send(url: string, request: HostileRequest): Promise<Answer> {
  const { method, path, headers, body } = request;
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Responses reveal no internals: no stack, no file, no header that a client injected. */
export function expectNoLeak({ headers, text }: Answer): void {
  expect(text).not.toMatch(/\n\s+at |\.ts:\d|node_modules|SQLITE_|\/server\//);
  expect([headers.get('set-cookie'), headers.get('x-injected')]).toEqual([null, null]);
}

/** The service is unharmed, and no request caused an error of its own. */
export async function expectUnharmed(server: Pick<ServerProcess, 'url' | 'log'>): Promise<void> {
  const health = await fetch(`${server.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { ok: true }]);
  expect(server.log()).not.toContain('request_failed');
}

/** Creates the validator of responses, for a served document. */
export async function answerJudge(document: Any, folder: string) {
  const file = join(folder, 'served.openapi.json');
  const { href } = pathToFileURL(file);
  // A JSON pointer does not follow references to shared responses, so they are inlined.
  const resolve = resolver(document);
  const isShared = (value: Any) => value?.$ref?.startsWith('#/components/responses/');
  const writtenOut = (_key: string, value: Any) => (isShared(value) ? resolve(value.$ref) : value);
  await writeFile(file, JSON.stringify(document, writtenOut));
  const pointers = new Map<string, ReturnType<typeof validate>>();
  const fits = async (pointer: string, value: Any): Promise<unknown> => {
    const compiled = pointers.get(pointer) ?? validate(`${href}#${pointer}`);
    pointers.set(pointer, compiled);
    return (await compiled)(value, 'BASIC');
  };

  return async (operation: Operation, answer: Answer): Promise<void> => {
    expectNoLeak(answer);
    const { status, text, headers } = answer;
    const listed = listedAs(operation, status);
    expect([status, listed]).toEqual([status, expect.any(String)]);
    const content = operation.responses[listed ?? '']?.content;
    // 202, the response to a notification, has no body.
    if (!content) return expect(text).toBe('');
    const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(/ *;/);
    expect(Object.keys(content)).toContain(type);
    if (type !== 'application/json') return;
    const at = ['paths', operation.path, operation.method.toLowerCase(), 'responses', listed];
    const pointer = [...at, 'content', type, 'schema'].map((part) => `/${escaped(part ?? '')}`);
    expect(await fits(pointer.join(''), JSON.parse(text))).toMatchObject({ valid: true });
  };
}

/** The entry of an operation for a status; `default` is only for responses of other addresses. */
function listedAs({ responses, path }: Operation, status: number): string | undefined {
  if (responses[status]) return String(status);
  const range = `${Math.trunc(status / 100)}XX`;
  if (responses[range]) return range;
  const elsewhere = path.includes('{') && (status === 404 || status === 405);
  return elsewhere && responses['default'] ? 'default' : undefined;
}

/** A part of a JSON pointer, escaped for a fragment. */
const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
