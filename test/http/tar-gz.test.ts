/** Archives, read with the system's tar: any names and sizes, in bounded memory, and ended whenever the reader leaves. */
import { describe, expect, test } from 'bun:test';
import { writeTarGz, textFile, type ArchiveFile } from '../../server/http/workspace/tar-gz.ts';
import { unpacked } from '../support/unpacked.ts';

describe('an archive', () => {
  const collect = async (files: AsyncIterable<ArchiveFile>): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    await writeTarGz(files, async (bytes) => void parts.push(bytes.slice()));
    return Buffer.concat(parts);
  };

  test('keeps long names, odd names, empty files and many chunks', async () => {
    const long = `${'a'.repeat(90)}/${'ü'.repeat(80)}.txt`;
    const chunks = Array.from({ length: 300 }, (_, at) => new Uint8Array(1000).fill(at));
    const { read } = await unpacked(
      await collect(
        (async function* () {
          yield textFile(long, 'long');
          yield textFile('empty', '');
          yield { name: 'big', size: 300_000, body: chunks };
          yield textFile("it's; a $(name)", 'odd');
        })(),
      ),
    );
    expect(read(long).toString()).toBe('long');
    expect(read('empty').byteLength).toBe(0);
    expect(Buffer.concat(chunks).equals(read('big'))).toBe(true);
    expect(read("it's; a $(name)").toString()).toBe('odd');
  });

  test('reads files no faster than it is read', async () => {
    let taken = 0;
    const noise = Array.from({ length: 16 }, () => crypto.getRandomValues(new Uint8Array(65_536)));
    async function* files(): AsyncGenerator<ArchiveFile> {
      for (; taken < 50; taken += 1) yield { name: `${taken}`, size: 2 ** 20, body: noise };
    }
    const gate = Promise.withResolvers<void>();
    let written = 0;
    const writing = writeTarGz(files(), async (bytes) => {
      written += bytes.byteLength;
      await gate.promise;
    });
    // Nothing is consumed: the program reads ahead as far as it may, and then stops.
    for (let quiet = 0, seen = -1; quiet < 20; quiet += 1) {
      await Bun.sleep(5);
      if (taken !== seen) [quiet, seen] = [0, taken];
    }
    expect(taken).toBeLessThan(5);
    gate.resolve();
    await writing;
    expect(taken).toBe(50);
    expect(written).toBeGreaterThan(50 * 2 ** 20);
  });

  test('reads a file no faster than it is read, and leaves it when its reader leaves', async () => {
    let taken = 0;
    async function* body() {
      for (; taken < 200; taken += 1) yield crypto.getRandomValues(new Uint8Array(65_536));
    }
    async function* files(): AsyncGenerator<ArchiveFile> {
      yield { name: 'large', size: 200 * 65_536, body: body() };
    }
    const gate = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    const writing = writeTarGz(files(), () => {
      reading.resolve();
      return gate.promise;
    });
    await reading.promise;
    for (let quiet = 0, seen = -1; quiet < 200; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (taken !== seen) [quiet, seen] = [0, taken];
    }
    expect(taken).toBeLessThan(50);
    gate.reject(new Error('the client is gone'));
    await expect(writing).rejects.toThrow('the client is gone');
    expect(taken).toBeLessThan(50);
  });

  test('fails if a file or the writer fails', async () => {
    const broken = (async function* () {
      yield textFile('one', '1');
      throw new Error('the database is down');
    })();
    await expect(collect(broken)).rejects.toThrow('the database is down');
    const short = (async function* () {
      yield { name: 'short', size: 10, body: [new Uint8Array(3)] };
    })();
    await expect(collect(short)).rejects.toThrow(/size/i);
    const endless = (async function* () {
      for (let at = 0; ; at += 1) {
        const body = [crypto.getRandomValues(new Uint8Array(60_000))];
        yield { name: `${at}`, size: 60_000, body };
      }
    })();
    const refuse = async () => {
      throw new Error('the client is gone');
    };
    await expect(writeTarGz(endless, refuse)).rejects.toThrow('the client is gone');
  });

  test('ends wherever its reader stops', async () => {
    const turns = async (count: number) => {
      for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    // The reader leaves a number of turns of the event loop after the first bytes: while a file is written, between
    // two chunks, while one is drained, or after the last one.
    const left = async (size: number, after: number) => {
      async function* body() {
        for (let chunk = 0; chunk < 2; chunk += 1) {
          await turns(2);
          yield crypto.getRandomValues(new Uint8Array(size));
        }
        await turns(2);
      }
      async function* files(): AsyncGenerator<ArchiveFile> {
        for (let file = 0; ; file += 1) yield { name: `${file}`, size: 2 * size, body: body() };
      }
      const written = writeTarGz(files(), async () => {
        await turns(after);
        throw new Error('the client is gone');
      });
      return written.catch((error: Error) => error.message);
    };
    for (const size of [100, 20_000, 65_536]) {
      for (let after = 0; after < 16; after += 1) {
        expect(await left(size, after)).toBe('the client is gone');
      }
    }
  });
});
