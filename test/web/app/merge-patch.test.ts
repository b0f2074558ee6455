/** JSON merge patch, with the examples of its RFC. */
import './support/page.ts';
import { expect, test } from 'bun:test';
import { mergePatch } from '../../../web/run/run-again.tsx';

/** RFC 7386, appendix A: the original, the patch, the result. */
test.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j and %j make %j', (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

test('the payload and the patch are not changed', () => {
  const target = { audio: { key: 'a.mp3' }, transcription: { provider: 'deepgram', model: 'x' } };
  const patch = { transcription: { provider: 'edge', model: null } };
  const before = structuredClone([target, patch]);
  expect(mergePatch(target, patch)).toEqual({
    audio: { key: 'a.mp3' },
    transcription: { provider: 'edge' },
  });
  expect<unknown[]>([target, patch]).toEqual(before);
});
