/** The recording of a run: always that of its own workspace. */
import { expect, test } from 'bun:test';
import { storedAudio } from '../../server/runs/run-audio.ts';
import type { AudioStore } from '../../server/storage/audio.ts';

const asked: unknown[][] = [];
let found: { size: number; version: string } | null = { size: 7, version: 'v1' };
const store = {
  stat: async (...what: unknown[]) => (asked.push(['stat', ...what]), found),
  async *read(...what: unknown[]) {
    asked.push(['read', ...what]);
    yield new Uint8Array(1);
  },
  delete: async (...what: unknown[]) => (asked.push(['delete', ...what]), true),
} as unknown as AudioStore;

test('it is looked up, read and deleted under the name of its workspace and its key', async () => {
  const audio = storedAudio(store, 'org', 'talk.mp3');
  expect(audio.key).toBe('talk.mp3');
  const opened = (await audio.open())!;
  expect([opened.version, opened.source.size]).toEqual(['v1', 7]);
  const range = { start: 1, end: 3 };
  for await (const chunk of opened.source.read(range)) expect(chunk).toHaveLength(1);
  expect(await audio.delete('v1')).toBe(true);
  expect(asked).toEqual([
    ['stat', 'org', 'talk.mp3'],
    ['read', 'org', 'talk.mp3', range],
    ['delete', 'org', 'talk.mp3', 'v1'],
  ]);
});

test('one that is gone cannot be opened', async () => {
  found = null;
  expect(await storedAudio(store, 'org', 'talk.mp3').open()).toBeNull();
});
