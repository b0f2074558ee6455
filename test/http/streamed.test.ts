/** Long responses: sent only as fast as the client reads, with each result in memory once. */
import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { Problem } from '../../server/http/problems.ts';
import { createRunTexts } from '../../server/http/runs/run-texts.ts';
import { KeyRevoked, streamed } from '../../server/http/streamed.ts';
import { textOf } from '../support/held-text.ts';

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

  test('is sent in copies, since their readers may take over the memory', async () => {
    const bytes = new Uint8Array(8);
    const reader = streamed({ type: 'text/plain' }, ({ write }) => write(bytes)).body!.getReader();
    const { value } = await reader.read();
    expect(value).toEqual(bytes);
    structuredClone(value, { transfer: [value!.buffer] });
    expect([value!.byteLength, bytes.byteLength]).toEqual([0, 8]);
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

describe('unless another time is given,', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Advances the clock by some milliseconds, and runs what then does not wait for it. */
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    for (let at = 0; at < 50; at += 1) await Promise.resolve();
  };

  /** The parts of a body, which appear in the list as they arrive. */
  const parts = (response: Response): string[] => {
    const got: string[] = [];
    const reader = response.body!.getReader();
    const read = async (): Promise<void> => {
      const { value, done } = await reader.read();
      if (done) return;
      got.push(new TextDecoder().decode(value));
      await read();
    };
    void read().catch(() => {});
    return got;
  };

  test('a client may read nothing for half a minute', async () => {
    let outcome: unknown = 'waiting';
    streamed({ type: 'text/plain' }, async ({ write }) => {
      outcome = await write(new Uint8Array(MEGABYTE)).catch(String);
    });
    await pass(0);
    await pass(29_999);
    expect(outcome).toBe('waiting');
    await pass(1);
    expect(outcome).toContain('does not read');
  });

  test.each([
    ['64 KiB in 9 s', 9000, 7],
    ['64 KiB in 7 s', 7000, Number.POSITIVE_INFINITY],
    ['a byte now and then', 29_000, 2],
  ])('a client that reads %s may do so for %d ms, %d times', async (_name, ms, times) => {
    const outcomes: unknown[] = [];
    const response = streamed({ type: 'text/plain' }, async ({ write }) => {
      outcomes.push(await write(new Uint8Array(2 * MEGABYTE)).then(() => 'written', String));
    });
    const reader = response.body!.getReader();
    await pass(0);
    let reads = 0;
    for (; outcomes.length === 0; reads += 1) {
      await pass(ms);
      await reader.read().catch(() => {});
      await pass(0);
    }
    const [outcome] = outcomes;
    if (times === Number.POSITIVE_INFINITY) expect(outcome).toBe('written');
    else expect([outcome, reads]).toEqual([expect.stringContaining('too slowly'), times]);
  });

  test('a response that takes longer than it may is aborted, however fast its client reads', async () => {
    let outcome: unknown = 'waiting';
    const response = streamed({ type: 'text/plain', longestMs: 60_000 }, async ({ write }) => {
      try {
        for (;;) await write(new Uint8Array(MEGABYTE));
      } catch (error) {
        outcome = String(error);
        throw error;
      }
    });
    const reader = response.body!.getReader();
    for (let at = 0; at < 119; at += 1) {
      await pass(500);
      await reader.read();
    }
    expect(outcome).toBe('waiting');
    await pass(500);
    await expect(reader.read()).rejects.toThrow('takes too long');
    expect(outcome).toContain('takes too long');
  });

  test('nothing is sent while the client does not read, nor without a text for it', async () => {
    const body = 'x'.repeat(64 * 1024);
    const never = Promise.withResolvers<void>().promise;
    const write = (heartbeat?: string) => {
      const options = heartbeat === undefined ? {} : { heartbeat };
      return streamed({ type: 'text/plain', ...options }, async (outlet) => {
        await outlet.write(body);
        await never;
      });
    };
    const [unread, silent] = [write('.'), write()];
    const heard = parts(silent);
    await pass(0);
    await pass(5000);
    await pass(5000);
    expect(heard.map(({ length }) => length)).toEqual([body.length]);
    const got = parts(unread);
    await pass(0);
    expect(got.map(({ length }) => length)).toEqual([body.length]);
    await pass(5000);
    expect(got.slice(1)).toEqual(['.']);
  });

  test('nothing comes between parts that belong together', async () => {
    for (let turns = 0; turns < 30; turns += 1) {
      const allowed = Promise.withResolvers<boolean>();
      const begin = Promise.withResolvers<void>();
      const response = streamed(
        { type: 'text/plain', heartbeat: '.', stillAllowed: () => allowed.promise },
        async ({ write }) => {
          await begin.promise;
          await write('a', 'b', 'c');
        },
      );
      await pass(5000);
      begin.resolve();
      for (let at = 0; at < turns; at += 1) await Promise.resolve();
      allowed.resolve(true);
      expect(await response.text()).toMatch(/^\.?abc\.?$/);
    }
  });

  test('the key of a stream that has ended is no longer checked', async () => {
    const stillAllowed = jest.fn(() => Promise.resolve(true));
    const options = { type: 'text/plain', heartbeat: '.', stillAllowed };
    expect(await streamed(options, ({ write }) => write('all')).text()).toBe('all');
    await pass(20_000);
    expect(stillAllowed).not.toHaveBeenCalled();
  });

  test('a quiet stream sends something every five seconds while its key is valid', async () => {
    let isValid = true;
    const ended = Promise.withResolvers<unknown>();
    const response = streamed(
      { type: 'text/plain', heartbeat: '.', stillAllowed: () => Promise.resolve(isValid) },
      async ({ write, signal }) => {
        await write('begun');
        signal.addEventListener('abort', () => ended.resolve(signal.reason));
        return ended.promise as Promise<never>;
      },
    );
    const got = parts(response);
    await pass(4999);
    expect(got).toEqual(['begun']);
    await pass(1);
    expect(got).toEqual(['begun', '.']);
    await pass(5000);
    expect(got).toEqual(['begun', '.', '.']);
    isValid = false;
    await pass(5000);
    expect(got).toEqual(['begun', '.', '.']);
    expect(await ended.promise).toBeInstanceOf(KeyRevoked);
  });
});

describe('texts about results', () => {
  const reads: string[] = [];
  const texts = createRunTexts(
    async (id) => {
      reads.push(id);
      if (id === 'none') return null;
      return id === 'small' ? '{"a":"é"}' : `"${'x'.repeat(MEGABYTE)}"`;
    },
    { mostBytes: MEGABYTE },
  );
  const hold = (id: string, kind = 'whole') =>
    texts.hold({ id, organizationId: id }, kind, async (result) => `${kind} ${await result()}`);

  test('are made once for all holders, and again once all have released them', async () => {
    const [one, two] = await Promise.all([hold('small'), hold('small')]);
    expect(await textOf(one)).toBe('whole {"a":"é"}');
    expect(reads).toEqual(['small']);
    one.release();
    one.release();
    (await hold('small')).release();
    expect(reads).toEqual(['small']);
    two.release();
    (await hold('small')).release();
    expect(reads).toEqual(['small', 'small']);
  });

  test('of different kinds are separate', async () => {
    const [one, two] = await Promise.all([hold('small'), hold('small', 'part')]);
    expect(await textOf(two)).toBe('part {"a":"é"}');
    one.release();
    two.release();
  });

  test('are refused if there are too many, until others are released', async () => {
    const large = await hold('large');
    await expect(hold('small')).rejects.toThrow(Problem);
    // Another holder of the same result costs nothing.
    (await hold('large')).release();
    large.release();
    (await hold('small')).release();
  });

  test('are read six at a time, and those that had to wait are refused beyond the limit', async () => {
    const all = Array.from({ length: 8 }, (_, at) => hold(`large${at}`));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 6 }, () => 'fulfilled' as const),
      'rejected',
      'rejected',
    ]);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.release();
    (await hold('small')).release();
  });

  test('do not exist for a run without a result, and failures leave nothing', async () => {
    await expect(hold('none')).rejects.toThrow('without a result');
    await expect(hold('none')).rejects.toThrow('without a result');
    const small = { id: 'small', organizationId: 'small' };
    const broken = texts.hold(small, 'broken', async () => JSON.parse('{'));
    await expect(broken).rejects.toThrow(SyntaxError);
    (await hold('small')).release();
  });
});
