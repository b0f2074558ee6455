/** Moderating in chunks: the verdict, the progress, and what happens when a check fails or the run ends. */
import { expect, test } from 'bun:test';
import type { ModerationChunk } from '../../server/moderation/chunks.ts';
import { moderateChunks, type ChunkFinding } from '../../server/moderation/moderator.ts';

const chunk = (index: number, text = 'words'): ModerationChunk => ({
  index,
  start: index * 10,
  end: index * 10 + 9,
  firstWord: index * 20,
  lastWord: index * 20 + 19,
  text,
});
const CHUNKS = [0, 1, 2, 3].map((index) => chunk(index));

/** Moderates chunks whose findings are given, and returns the verdict and the reported progress. */
async function moderate(findings: ChunkFinding[], chunks = CHUNKS, atOnce = 2) {
  const told: number[] = [];
  const verdict = await moderateChunks(
    { model: 'm', chunks, atOnce, check: async ({ index }) => findings[index] ?? null },
    { signal: new AbortController().signal, progress: (fraction) => void told.push(fraction) },
  );
  return { verdict, told };
}

test('a safe transcript is allowed, and the progress ends at 1', async () => {
  const { verdict, told } = await moderate([]);
  expect(verdict).toEqual({
    source: 'audio_transcript',
    model: 'm',
    decision: 'allow',
    severity: 'none',
    reason: 'safe',
    chunksChecked: 4,
  });
  expect(told).toEqual([0.25, 0.5, 0.75, 1]);
});

test.each<[string, ChunkFinding[], 'high' | 'medium', number]>([
  ['the only finding', [null, { severity: 'medium' }], 'medium', 1],
  ['the first of two', [null, { severity: 'high' }, { severity: 'high' }], 'high', 1],
  [
    'the worst, though it is later',
    [{ severity: 'medium' }, null, { severity: 'high' }],
    'high',
    2,
  ],
])('the reported chunk is %s', async (_, findings, severity, index) => {
  const { verdict } = await moderate(findings);
  expect(verdict).toMatchObject({
    decision: 'block',
    severity,
    reason: 'content_policy_violation',
    flaggedChunk: { index, start: index * 10, end: index * 10 + 9 },
    chunksChecked: 4,
  });
});

test('without words nothing is checked', async () => {
  for (const chunks of [[], [chunk(0, ''), chunk(1, '')]]) {
    const { verdict, told } = await moderate([{ severity: 'high' }], chunks);
    expect(verdict).toMatchObject({
      decision: 'allow',
      reason: 'empty_transcript',
      chunksChecked: 0,
    });
    expect(told).toEqual([]);
  }
  const { verdict } = await moderate([null, { severity: 'high' }], [chunk(0, ''), chunk(1)]);
  expect(verdict.decision).toBe('block');
});

test('a failed check fails the moderation, and ends the others', async () => {
  const ended: unknown[] = [];
  const checked: number[] = [];
  const failing = moderateChunks(
    {
      model: 'm',
      chunks: CHUNKS,
      atOnce: 2,
      check: async ({ index }, signal) => {
        checked.push(index);
        if (index === 1) throw new Error('the model is gone');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        ended.push(signal.reason);
        return null;
      },
    },
    { signal: new AbortController().signal, progress: () => {} },
  );
  expect(await failing.catch((error: unknown) => error)).toEqual(new Error('the model is gone'));
  expect(ended).toEqual([new Error('the model is gone')]);
  expect(checked).toEqual([0, 1]);
});

test('an ended run is not moderated, and one that ends is not moderated further', async () => {
  const checked: number[] = [];
  const ending = new AbortController();
  const work = (signal: AbortSignal) =>
    moderateChunks(
      {
        model: 'm',
        chunks: CHUNKS,
        atOnce: 1,
        check: async ({ index }) => {
          checked.push(index);
          if (index === 1) ending.abort(new Error('cancelled'));
          return null;
        },
      },
      { signal, progress: () => {} },
    );
  await expect(work(ending.signal)).rejects.toThrow('cancelled');
  expect(checked).toEqual([0, 1]);
  await expect(work(ending.signal)).rejects.toThrow('cancelled');
  expect(checked).toEqual([0, 1]);
  const silent = { model: 'm', chunks: [], atOnce: 1, check: async () => null };
  const ended = { signal: ending.signal, progress: () => {} };
  await expect(moderateChunks(silent, ended)).rejects.toThrow('cancelled');
});
