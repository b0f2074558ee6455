/** Checks that a response matches the served OpenAPI document's description of its operation. */
import { expect } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { validate } from '@hyperjump/json-schema/openapi-3-2';
import type { Any } from '../../support/servers/client.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { resolver, type Operation } from './operations.ts';
import type { HostileRequest } from './requests.ts';

/** Longer than this nothing may take. */
const ANSWER_MS = 90_000;

/** An answer with its body read. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request as it is. */
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

/** Nothing of the inside may be in an answer: no stack, no file, no header that a client wrote. */
export function expectNoLeak({ headers, text }: Answer): void {
  expect(text).not.toMatch(/\n\s+at |\.ts:\d|node_modules|SQLITE_|\/server\//);
  expect([headers.get('set-cookie'), headers.get('x-injected')]).toEqual([null, null]);
}

/** The service is as it was, and nothing that was asked of it was its own failure. */
export async function expectUnharmed(server: Pick<ServerProcess, 'url' | 'log'>): Promise<void> {
  const health = await fetch(`${server.url}/health`);
  expect([health.status, await health.json()]).toEqual([200, { ok: true }]);
  expect(server.log()).not.toContain('request_failed');
}

/** Makes the judge of answers, for a document as it is served. */
export async function answerJudge(document: Any, folder: string) {
  const file = join(folder, 'served.openapi.json');
  const { href } = pathToFileURL(file);
  // A pointer does not lead through the reference to a shared answer: those are written out.
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
    // 202 to a notification has nothing in it.
    if (!content) return expect(text).toBe('');
    const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(/ *;/);
    expect(Object.keys(content)).toContain(type);
    if (type !== 'application/json') return;
    const at = ['paths', operation.path, operation.method.toLowerCase(), 'responses', listed];
    const pointer = [...at, 'content', type, 'schema'].map((part) => `/${escaped(part ?? '')}`);
    expect(await fits(pointer.join(''), JSON.parse(text))).toMatchObject({ valid: true });
  };
}

/** The entry of an operation that describes a status; `default` is only for what another address would say. */
function listedAs({ responses, path }: Operation, status: number): string | undefined {
  if (responses[status]) return String(status);
  const range = `${Math.trunc(status / 100)}XX`;
  if (responses[range]) return range;
  const elsewhere = path.includes('{') && (status === 404 || status === 405);
  return elsewhere && responses['default'] ? 'default' : undefined;
}

/** A part of a JSON pointer, in a fragment. */
const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
