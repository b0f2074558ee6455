/** The files of recordings on disk: their state when a response arrives and after failures. */
import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { objectName } from '../../server/storage/audio-names.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { chunks, filled } from './audio-store.suite.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
let stores = 0;
const newStore = () => {
  const own = join(folder, `store-${(stores += 1)}`);
  return { own, store: createDiskAudioStore(own) };
};
type Part = [buffer: Uint8Array, offset: number, length: number, position: number];
const pathOf = (own: string, key: string) => join(own, objectName({ organizationId: 'org', key }));

describe('an upload', () => {
  test('is in its place once it is stored, and private', async () => {
    const { own, store } = newStore();
    for (let at = 0; at < 5; at += 1) {
      await store.put('org', `${at}.mp3`, chunks(filled(10, at)));
      expect(existsSync(pathOf(own, `${at}.mp3`))).toBe(true);
    }
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });

  test('that fails leaves nothing, and says why, even if its file was never there', async () => {
    const { own, store } = newStore();
    async function* failing() {
      yield filled(4, 1);
      throw new Error('the client is gone');
    }
    await expect(store.put('org', 'a.mp3', failing())).rejects.toThrow('the client is gone');
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
    // The folder of the recording is a file, so that it cannot be moved there.
    mkdirSync(join(own, 'objects'));
    writeFileSync(dirname(pathOf(own, 'a.mp3')), '');
    await expect(store.put('org', 'a.mp3', chunks(filled(4, 1)))).rejects.toThrow('EEXIST');
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });
});

describe('a recording', () => {
  test('whose file cannot be deleted is an error, a missing one is not', async () => {
    const { own, store } = newStore();
    expect(await store.delete('org', 'a.mp3')).toBe(false);
    expect(await store.delete('org', 'a.mp3', 'version')).toBe(false);
    mkdirSync(pathOf(own, 'a.mp3'), { recursive: true });
    await expect(store.delete('org', 'a.mp3')).rejects.toThrow();
    const { version } = (await store.stat('org', 'a.mp3'))!;
    await expect(store.delete('org', 'a.mp3', version)).rejects.toThrow();
  });

  test.each([
    ['an upload that replaced it is kept', [2], [], 2],
    ['of two uploads, the later one is kept', [2], [3], 3],
    ['an upload after its deletion is kept', [], [3], 3],
  ])('is deleted in one version only: %s', async (_, before, after, kept) => {
    const own = join(folder, `store-${(stores += 1)}`);
    const put = async (values: number[]) => {
      for (const value of values) await store.put('org', 'a.mp3', chunks(filled(4, value)));
    };
    const store = createDiskAudioStore(own, async (path, aside) => {
      await put(before);
      await rename(path, aside);
      await put(after);
    });
    await put([1]);
    const { version } = (await store.stat('org', 'a.mp3'))!;
    expect(await store.delete('org', 'a.mp3', version)).toBe(before.length === 0);
    expect(readFileSync(pathOf(own, 'a.mp3'))).toEqual(Buffer.from(filled(4, kept)));
    expect(readdirSync(join(own, 'incoming'))).toEqual([]);
  });

  test('that replaced a deleted one and cannot be put back is an error, but not lost', async () => {
    const own = join(folder, `store-${(stores += 1)}`);
    const store = createDiskAudioStore(own, async (path, aside) => {
      await store.put('org', 'a.mp3', chunks(filled(4, 2)));
      await rename(path, aside);
      rmdirSync(dirname(pathOf(own, 'a.mp3')));
      writeFileSync(dirname(pathOf(own, 'a.mp3')), '');
    });
    await store.put('org', 'a.mp3', chunks(filled(4, 1)));
    const { version } = (await store.stat('org', 'a.mp3'))!;
    await expect(store.delete('org', 'a.mp3', version)).rejects.toThrow('ENOTDIR');
    const [aside] = readdirSync(join(own, 'incoming'));
    expect(readFileSync(join(own, 'incoming', aside!))).toEqual(Buffer.from(filled(4, 2)));
  });

  test('that another request deletes first was not deleted by this one', async () => {
    const own = join(folder, `store-${(stores += 1)}`);
    const store = createDiskAudioStore(own, async (path, aside) => {
      await store.delete('org', 'a.mp3');
      await rename(path, aside);
    });
    await store.put('org', 'a.mp3', chunks(filled(4, 1)));
    const { version } = (await store.stat('org', 'a.mp3'))!;
    expect(await store.delete('org', 'a.mp3', version)).toBe(false);
  });

  test('is closed once it is read, in whole or in part, or once its reader stops', async () => {
    const { store } = newStore();
    await store.put('org', 'a.mp3', chunks(filled(10, 1)));
    const probe = await open(join(folder, 'probe'), 'w');
    const handles: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const { close } = handles;
    let closed = 0;
    const spy = spyOn(handles, 'close').mockImplementation(async function (this: FileHandle) {
      await close.call(this);
      closed += 1;
    });
    try {
      for await (const _ of store.read('org', 'a.mp3'));
      expect(closed).toBe(1);
      for await (const chunk of store.read('org', 'a.mp3', { start: 2, end: 5 })) {
        expect(chunk).toHaveLength(3);
      }
      expect(closed).toBe(2);
      for await (const _ of store.read('org', 'a.mp3')) break;
      expect(closed).toBe(3);
    } finally {
      spy.mockRestore();
    }
  });

  test('written exactly at the instant expires, a later one and one in use do not', async () => {
    const { own, store } = newStore();
    for (const [key, seconds] of Object.entries({ old: 100, used: 100, at: 200, later: 201 })) {
      await store.put('org', `${key}.mp3`, chunks(filled(1, 1)));
      utimesSync(pathOf(own, `${key}.mp3`), seconds, seconds);
    }
    const used = [{ organizationId: 'org', key: 'used.mp3' }];
    expect(await store.expire(200_000, used)).toBe(2);
    const left = ['old', 'used', 'at', 'later'].filter((key) =>
      existsSync(pathOf(own, `${key}.mp3`)),
    );
    expect(left).toEqual(['used', 'later']);
  });

  test('written at the same instant as another of the same size is another version', async () => {
    const { own, store } = newStore();
    const versions: string[] = [];
    for (const value of [1, 2]) {
      await store.put('org', 'a.mp3', chunks(filled(4, value)));
      utimesSync(pathOf(own, 'a.mp3'), 100, 100);
      versions.push((await store.stat('org', 'a.mp3'))!.version);
    }
    expect(await store.delete('org', 'a.mp3', versions[0])).toBe(false);
    expect(await store.delete('org', 'a.mp3', versions[1])).toBe(true);
  });

  test('of another program, in a folder of its own, neither expires nor is swept', async () => {
    const { own, store } = newStore();
    const folders = [join(own, 'objects', 'other', 'talks.mp3'), join(own, 'incoming', 'other')];
    for (const one of folders) {
      mkdirSync(one, { recursive: true });
      utimesSync(one, 100, 100);
    }
    expect(await store.expire(200_000, [])).toBe(0);
    await store.sweep(0);
    expect(folders.map((one) => existsSync(one))).toEqual([true, true]);
  });

  test('is read in whole even if the system reads only a little at a time', async () => {
    const { store } = newStore();
    const body = Uint8Array.from({ length: 10 }, (_, at) => at);
    await store.put('org', 'a.mp3', chunks(body));
    const probe = await open(join(folder, 'probe'), 'w');
    const handles: FileHandle = Object.getPrototypeOf(probe);
    await probe.close();
    const read = handles.read as (this: FileHandle, ...part: Part) => Promise<unknown>;
    const spy = spyOn(handles, 'read').mockImplementation(function (
      this: FileHandle,
      ...[buffer, offset, length, position]: Part
    ) {
      return read.call(this, buffer, offset, Math.min(length, 3), position);
    } as never);
    try {
      const parts: Uint8Array[] = [];
      for await (const chunk of store.read('org', 'a.mp3')) parts.push(chunk);
      expect(Buffer.concat(parts)).toEqual(Buffer.from(body));
    } finally {
      spy.mockRestore();
    }
  });

  test('in part is swept once it was not touched for that long', async () => {
    const { own, store } = newStore();
    mkdirSync(join(own, 'incoming'), { recursive: true });
    const now = Date.now() / 1000;
    for (const [name, age] of Object.entries({ 'old.part': 100, 'new.part': 10 })) {
      writeFileSync(join(own, 'incoming', name), '');
      utimesSync(join(own, 'incoming', name), now - age, now - age);
    }
    await store.sweep(60_000);
    expect(readdirSync(join(own, 'incoming'))).toEqual(['new.part']);
  });
});
