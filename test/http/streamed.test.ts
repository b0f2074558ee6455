/** Long answers: no faster than they are read, and each result held once. */
import { describe, expect, test } from 'bun:test';
import { Problem } from '../../server/http/problems.ts';
import { createRunEnvelopes } from '../../server/http/run-envelopes.ts';
import { streamed } from '../../server/http/streamed.ts';

const MEGABYTE = 2 ** 20;

describe('an answer', () => {
  test('goes out whole, in its order', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const response = streamed({ type: 'text/plain', size: 300_002 }, async ({ write }) => {
      await write('é');
      await write(bytes);
    });
    expect(response.headers.get('content-length')).toBe('300002');
    const read = new Uint8Array(await response.arrayBuffer());
    expect(Buffer.compare(read, Buffer.concat([Buffer.from('é'), bytes]))).toBe(0);
  });

  test('that nobody reads is made no further, and given up in time', async () => {
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

  test('whose client goes away is made no further', async () => {
    const over = Promise.withResolvers<boolean>();
    const response = streamed({ type: 'text/plain' }, async ({ write, signal }) => {
      await write(new Uint8Array(MEGABYTE)).catch(() => {});
      over.resolve(signal.aborted);
    });
    await response.body?.cancel();
    expect(await over.promise).toBe(true);
  });
});

describe('envelopes', () => {
  const texts: string[] = [];
  const envelopes = createRunEnvelopes(async (id) => {
    texts.push(id);
    if (id === 'none') return null;
    return id === 'small' ? '{"a":"é"}' : `"${'x'.repeat(130 * MEGABYTE)}"`;
  });

  test('are read once however many hold them, and again once all let go', async () => {
    const [one, two] = await Promise.all([envelopes.hold('small'), envelopes.hold('small')]);
    expect(one?.bytes).toBe(two?.bytes as never);
    expect(new TextDecoder().decode(one?.bytes)).toBe(
      '{"result":{"a":"é"},"_meta":{"runId":"small"}}',
    );
    expect(texts).toEqual(['small']);
    one?.release();
    one?.release();
    (await envelopes.hold('small')).release();
    expect(texts).toEqual(['small']);
    two?.release();
    (await envelopes.hold('small')).release();
    expect(texts).toEqual(['small', 'small']);
  });

  test('of too many runs at once are refused, until others are let go of', async () => {
    const large = await envelopes.hold('large');
    await expect(envelopes.hold('small')).rejects.toThrow(Problem);
    // More of the same costs nothing.
    (await envelopes.hold('large')).release();
    large.release();
    (await envelopes.hold('small')).release();
  });

  test('there are none of a run without a result', async () => {
    await expect(envelopes.hold('none')).rejects.toThrow('without a result');
    await expect(envelopes.hold('none')).rejects.toThrow('without a result');
  });
});
