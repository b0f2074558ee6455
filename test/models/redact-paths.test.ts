/** Removing folder names from messages. */
import { expect, test } from 'bun:test';
import { redactPaths } from '../../server/models/redact-paths.ts';

test.each([
  [
    "ENOENT: no such file, open '/srv/captioner/data/models/a.onnx'",
    "ENOENT: no such file, open 'a.onnx'",
  ],
  ['at /srv/models/x, twice: /a /b/c', 'at x, twice: a c'],
  ['C:\\Users\\ann\\model.onnx is damaged', 'model.onnx is damaged'],
  [
    'fetched from https://models.example/a/b.tar: 404',
    'fetched from https://models.example/a/b.tar: 404',
  ],
  ['send audio/mpeg, 1/2', 'send audio/mpeg, 1/2'],
])('%s', (text, expected) => expect(redactPaths(text)).toBe(expected));

test('long messages are cut, in linear time', () => {
  expect(redactPaths('/a'.repeat(1e6)).length).toBeLessThanOrEqual(300);
});
