/** Long responses: sent only as fast as the client reads, with each result in memory once. */
import { describe, expect, test } from 'bun:test';
import { Problem } from '../../server/http/problems.ts';
import { createRunTexts } from '../../server/http/run-texts.ts';
import { streamed } from '../../server/http/streamed.ts';

const MEGABYTE = 2 ** 20;

describe('a response', () => {
  test('is sent completely and in order', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const response = streamed({ type: 'text/plain', size: 300_002 }, async ({ write }) => {
      await write('é');
      await write(bytes);
    });
    expect(response.headers.get('content-length')).toBe('300002');
    const read = new Uint8Array(await response.arrayBuffer());
    expect(Buffer.compare(read, Buffer.concat([Buffer.from('é'), bytes]))).toBe(0);
  });

  test('that no client reads is paused, and times out', async () => {
    let written = 0;
    const over = Promise.withResolvers<unknown>();
    const response = streamed({ type: 'text/plain', stalledMs: 20 }, async ({ write }) => {
      try {
        for (let i = 0; i < 100; i += 1) {
          await write(new Uint8Array(MEGABYTE));
          written += 1;
        }
      } catch (error) {
        over.resolve(error);
        throw error;
      }
    });
    expect(String(await over.promise)).toContain('does not read');
    expect(written).toBe(0);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('is not produced further once its client disconnects', async () => {
    const over = Promise.withResolvers<boolean>();
    const response = streamed({ type: 'text/plain' }, async ({ write, signal }) => {
      await write(new Uint8Array(MEGABYTE)).catch(() => {});
      over.resolve(signal.aborted);
    });
    await response.body?.cancel();
    expect(await over.promise).toBe(true);
  });
});

describe('texts about results', () => {
  const reads: string[] = [];
  const texts = createRunTexts(async (id) => {
    reads.push(id);
    if (id === 'none') return null;
    return id === 'small' ? '{"a":"é"}' : `"${'x'.repeat(MEGABYTE)}"`;
  }, MEGABYTE);
  const hold = (id: string, kind = 'whole') =>
    texts.hold(id, kind, async (result) => `${kind} ${await result()}`);

  test('are made once for all holders, and again once all have released them', async () => {
    const [one, two] = await Promise.all([hold('small'), hold('small')]);
    expect(one?.bytes).toBe(two?.bytes as never);
    expect(new TextDecoder().decode(one?.bytes)).toBe('whole {"a":"é"}');
    expect(reads).toEqual(['small']);
    one?.release();
    one?.release();
    (await hold('small')).release();
    expect(reads).toEqual(['small']);
    two?.release();
    (await hold('small')).release();
    expect(reads).toEqual(['small', 'small']);
  });

  test('of different kinds are separate', async () => {
    const [one, two] = await Promise.all([hold('small'), hold('small', 'part')]);
    expect(new TextDecoder().decode(two?.bytes)).toBe('part {"a":"é"}');
    one?.release();
    two?.release();
  });

  test('are refused if there are too many, until others are released', async () => {
    const large = await hold('large');
    await expect(hold('small')).rejects.toThrow(Problem);
    // Another holder of the same result costs nothing.
    (await hold('large')).release();
    large.release();
    (await hold('small')).release();
  });

  test('requested simultaneously are read one by one, within the limit', async () => {
    const all = ['large', 'large2', 'large3', 'large4'].map((id) => hold(id));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.release();
    (await hold('small')).release();
  });

  test('do not exist for a run without a result, and failures leave nothing', async () => {
    await expect(hold('none')).rejects.toThrow('without a result');
    await expect(hold('none')).rejects.toThrow('without a result');
    const broken = texts.hold('small', 'broken', async () => JSON.parse('{'));
    await expect(broken).rejects.toThrow(SyntaxError);
    (await hold('small')).release();
  });
});
