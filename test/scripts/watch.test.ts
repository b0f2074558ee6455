/** `captioner watch`: what is captioned when, and what a process that is killed leaves. */
import { afterAll, describe, expect, test } from 'bun:test';
import { appendFile, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STATE_FILE, watchFolder } from '../../scripts/watch-folder.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

/** A folder, and a watcher whose time passes with each look. */
async function watched(name: string) {
  const folder = join(home, name);
  await mkdir(folder);
  let now = Date.parse('2026-11-29T00:00:00Z');
  const captioned: string[] = [];
  const said: string[] = [];
  let fail: (path: string) => void = () => {};
  const file = async (path: string, content = 'sound') => {
    await writeFile(join(folder, path), content);
    await utimes(join(folder, path), now / 1000, now / 1000);
  };
  /** Looks so many times, each five seconds after the one before; `between` happens before each. */
  const look = async (times: number, between: (at: number) => Promise<void> = async () => {}) => {
    const end = new Error('the end');
    let left = times;
    await between(0);
    const task = { folder, output: null, everyMs: 5000, settledMs: 10_000, tries: 3 };
    const watching = watchFolder(task, {
      async caption(path, title) {
        captioned.push(path.slice(folder.length + 1));
        fail(path);
        await writeFile(join(folder, `${title}.srt`), path);
      },
      resultsOf: (_path, title) => [join(folder, `${title}.srt`)],
      say: (text) => void said.push(text),
      async wait(ms) {
        now += ms;
        left -= 1;
        if (left === 0) throw end;
        await between(times - left);
      },
      now: () => now,
    });
    expect(await watching.catch((error: unknown) => error)).toBe(end);
  };
  const state = async () => JSON.parse(await readFile(join(folder, STATE_FILE), 'utf8'));
  return {
    folder,
    file,
    look,
    captioned,
    said,
    state,
    pass: (ms: number) => (now += ms),
    failing: (how: typeof fail) => (fail = how),
  };
}

const home = await temporaryFolder();
afterAll(() => removeFolder(home));

describe('a recording', () => {
  test('is captioned once, when it has stopped growing, and again when it changes', async () => {
    const { file, folder, look, captioned, state } = await watched('growing');
    await look(12, async (at) => {
      if (at === 1) await file('talk.mp4');
      if (at > 1 && at < 6) {
        await appendFile(join(folder, 'talk.mp4'), 'more');
        await file('talk.mp4', 'sound'.repeat(at));
      }
      if (at === 7) expect(captioned).toEqual([]);
      if (at === 3) await file('notes.txt');
      if (at === 3) await file('empty.mp3', '');
    });
    expect(captioned).toEqual(['talk.mp4']);
    await look(6);
    expect(captioned).toEqual(['talk.mp4']);
    await file('talk.mp4', 'another sound');
    await look(6);
    expect(captioned).toEqual(['talk.mp4', 'talk.mp4']);
    expect((await state())['talk.mp4']).toMatchObject({ state: 'done', tries: 1 });
    await rm(join(folder, 'talk.mp4'));
    await look(1);
    expect(await state()).toEqual({});
  });

  test('that fails is tried again later, and given up after so many tries; the others are not held up', async () => {
    const { file, look, captioned, said, state, failing } = await watched('failing');
    failing((path) => {
      if (path.endsWith('bad.mp3')) throw new Error('No sound.');
    });
    await file('bad.mp3');
    await file('good.mp3');
    await look(100);
    expect(captioned.filter((name) => name === 'good.mp3')).toHaveLength(1);
    // After one minute, and after four more.
    expect(captioned.filter((name) => name === 'bad.mp3')).toHaveLength(3);
    expect((await state())['bad.mp3']).toMatchObject({ state: 'failed', error: 'No sound.' });
    expect(said.filter((line) => line.includes('bad.mp3'))).toEqual([
      'bad.mp3: No sound. (try 1 of 3, tried again in 1 min)',
      'bad.mp3: No sound. (try 2 of 3, tried again in 4 min)',
      'bad.mp3: No sound. (try 3 of 3, given up)',
    ]);
  });

  test('during which the process is killed is tried again by the next, but not for ever', async () => {
    const { file, look, captioned, state, pass } = await watched('killed');
    await file('talk.mp3');
    await look(4);
    const known = (await state())['talk.mp3'];
    for (const tries of [1, 2, 3]) {
      await rm(join(home, 'killed', 'talk.srt'), { force: true });
      // What a process leaves that was killed in its first, second and third try.
      const begun = { 'talk.mp3': { ...known, state: 'begun', tries } };
      await writeFile(join(home, 'killed', STATE_FILE), JSON.stringify(begun));
      for (const half of [STATE_FILE, 'talk.srt', 'other.srt']) {
        await writeFile(join(home, 'killed', `${half}.${crypto.randomUUID()}.part`), '{');
      }
      pass(60_000);
      await look(4);
    }
    expect(captioned).toEqual(['talk.mp3', 'talk.mp3', 'talk.mp3']);
    // Half files of others, and the last one of a recording that is given up, are left alone.
    const parts = (await readdir(join(home, 'killed'))).filter((each) => each.endsWith('.part'));
    const names = parts.map((each) => each.slice(0, -42)).toSorted();
    expect(names).toEqual(['other.srt', 'other.srt', 'other.srt', 'talk.srt']);
    await writeFile(join(home, 'killed', STATE_FILE), '{"talk');
    await rm(join(home, 'killed', 'talk.srt'), { force: true });
    await look(4);
    expect(captioned).toHaveLength(4);
  });

  test('whose captions somebody else has made keeps them', async () => {
    const { folder, file, look, captioned, said } = await watched('made');
    await file('talk.mp3');
    await file('talk.srt', 'by hand');
    await look(6);
    expect([captioned, await readFile(join(folder, 'talk.srt'), 'utf8')]).toEqual([[], 'by hand']);
    expect(said).toEqual(['talk.mp3: its captions are there already; they stay as they are.']);
  });

  test('that differs from another only in its ending has captions of its own', async () => {
    const { folder, file, look, captioned, state } = await watched('endings');
    await file('talk.wav');
    await look(4);
    await file('talk.mp4');
    await look(4);
    // Also when it changes, or the process is started again.
    await file('talk.wav', 'another sound');
    await look(4);
    expect(captioned).toEqual(['talk.wav', 'talk.mp4', 'talk.wav']);
    for (const [captions, recording] of [
      ['talk.srt', 'talk.wav'],
      ['talk.mp4.srt', 'talk.mp4'],
    ] as const) {
      expect(await readFile(join(folder, captions), 'utf8')).toBe(join(folder, recording));
    }
    expect((await state())['talk.mp4']).toMatchObject({ state: 'done', whole: true });
  });

  test('of many is captioned once, however often the process is started', async () => {
    const { file, look, captioned, failing } = await watched('many');
    const names = Array.from({ length: 60 }, (_, at) => `talk-${at}.mp3`);
    for (const name of names) await file(name);
    failing(() => {});
    for (let round = 0; round < 5; round += 1) await look(3);
    expect(captioned.toSorted()).toEqual(names.toSorted());
  });
});
