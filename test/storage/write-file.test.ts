/** Writing a stream to a file: when it is flushed, and the state of the file after failures. */
import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeFileFrom } from '../../server/storage/write-file.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const probe = await open(join(folder, 'probe'), 'w');
const handles: FileHandle = Object.getPrototypeOf(probe);
await probe.close();

let done: string[] = [];
const spies: { mockRestore(): void }[] = [];
/** Replaces a call on a file, and notes it. */
function instead(
  name: 'write' | 'datasync' | 'sync' | 'close',
  work: (this: FileHandle, ...given: never[]) => unknown,
) {
  const made = spyOn(handles, name).mockImplementation(async function (
    this: FileHandle,
    ...given: never[]
  ) {
    done.push(name);
    return work.apply(this, given);
  } as never);
  spies.push(made);
}
/** Pretends to write everything. */
const written = (chunk: Uint8Array, _from: number, length: number) => ({
  bytesWritten: length,
  buffer: chunk,
});
let files = 0;
const path = () => join(folder, `file-${(files += 1)}`);

beforeEach(() => void (done = []));
afterEach(() => {
  for (const made of spies.splice(0)) made.mockRestore();
});

/** A stream of chunks of these sizes, with some time in between. */
async function* body(...sizes: number[]) {
  for (const size of sizes) {
    yield new Uint8Array(size);
    await nextTurn();
    await nextTurn();
  }
}
const MIB = 2 ** 20;

test('a file has all bytes in order, is private, and is never written over', async () => {
  const own = path();
  async function* text() {
    for (const part of ['one ', 'two ', '', 'three']) yield new TextEncoder().encode(part);
  }
  expect(await writeFileFrom(own, text(), { durable: false })).toBe(13);
  expect(readFileSync(own, 'utf8')).toBe('one two three');
  expect(statSync(own).mode & 0o777).toBe(0o600);
  await expect(writeFileFrom(own, text(), { durable: false })).rejects.toThrow('EEXIST');
});

test('a partial write is continued', async () => {
  const parts: [number, number][] = [];
  instead('write', (_chunk: Uint8Array, from: number, length: number) => {
    parts.push([from, length]);
    return { bytesWritten: Math.min(4, length) };
  });
  expect(await writeFileFrom(path(), body(10), { durable: false })).toBe(10);
  expect(parts).toEqual([
    [0, 10],
    [4, 6],
    [8, 2],
  ]);
});

describe('a durable file', () => {
  const noted = async (durable: boolean, ...sizes: number[]) => {
    instead('write', written);
    instead('datasync', () => {});
    instead('sync', () => {});
    await writeFileFrom(path(), body(...sizes), { durable });
    return done.join(' ');
  };

  test('is flushed after each sixteen megabytes, and at its end', async () => {
    expect(await noted(true, 16 * MIB - 1, 1, 16 * MIB - 1, 1)).toBe(
      'write write datasync write write datasync sync',
    );
    done = [];
    expect(await noted(true, 16 * MIB - 1)).toBe('write sync');
  });

  test('is the only one that is flushed', async () => {
    expect(await noted(false, 16 * MIB, 16 * MIB)).toBe('write write');
  });

  test('is not complete before it is flushed', async () => {
    instead('write', written);
    instead('datasync', async () => {
      await nextTurn();
      done.push('flushed');
    });
    instead('sync', () => {});
    await writeFileFrom(path(), body(16 * MIB), { durable: true });
    expect(done).toEqual(['write', 'datasync', 'flushed', 'sync']);
  });
});

describe('a failure', () => {
  const refused = new Error('the disk is full');
  test('of a write is that of the file, however late the next chunk comes', async () => {
    instead('write', () => Promise.reject(refused));
    await expect(writeFileFrom(path(), body(4, 4), { durable: false })).rejects.toBe(refused);
    await expect(writeFileFrom(path(), body(4), { durable: false })).rejects.toBe(refused);
  });

  test('of a flush is that of the file, however late the next chunk comes', async () => {
    instead('write', written);
    instead('datasync', () => Promise.reject(refused));
    await expect(writeFileFrom(path(), body(16 * MIB, 1), { durable: true })).rejects.toBe(refused);
    await expect(writeFileFrom(path(), body(16 * MIB, 16 * MIB), { durable: true })).rejects.toBe(
      refused,
    );
  });

  test('of the body waits for the write in progress before the file is closed', async () => {
    instead('write', async (chunk: Uint8Array, from: number, length: number) => {
      await nextTurn();
      await nextTurn();
      done.push('written');
      return written(chunk, from, length);
    });
    const { close } = handles;
    instead('close', function (this: FileHandle) {
      return close.call(this);
    });
    async function* failing() {
      yield new Uint8Array(4);
      throw new Error('the client is gone');
    }
    const own = path();
    await expect(writeFileFrom(own, failing(), { durable: false })).rejects.toThrow('is gone');
    expect(done).toEqual(['write', 'written', 'close']);
    expect(existsSync(own)).toBe(true);
  });
});
