/** Loading a part of the app when it is needed. */
import { afterEach, expect, test } from 'bun:test';
import { loadPart } from '../../web/api/load-part.ts';
import { NoAnswer } from '../../web/api/request.ts';

const { fetch: own } = globalThis;
afterEach(() => {
  globalThis.fetch = own;
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

test('a part that loads asks the service nothing else', async () => {
  const { did, load } = part(0);
  expect([await loadPart(load), did]).toEqual(['part', ['load']]);
});

test('a part whose loading failed is loaded again if the service is there', async () => {
  const { did, load } = part(1, true);
  expect([await loadPart(load), did]).toEqual(['part', ['load', '/health', 'load']]);
});

test('while the service is not there, a part is loaded again and again', async () => {
  const { did, load } = part(3, false, false, true);
  expect(await loadPart(load)).toBe('part');
  expect(did).toEqual(['load', '/health', 'load', '/health', 'load', '/health', 'load']);
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
