/**
 * Captions the recordings of a folder as they arrive: each once it stops growing, and again after a failure, a bounded
 * number of times. What was done is kept in a file, so that a process that is killed goes on where it was.
 */
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { aloneIn } from './alone-in-folder.ts';
import { removeParts, writeWhole } from './captions-file.ts';
import { findRecordings } from './recordings.ts';

/** The name of the file, in the folder of the results or, without one, in that which is watched. */
export const STATE_FILE = '.captioner-watch.json';

/** The wait after a failure in milliseconds, and how much longer it gets with each. */
const AGAIN_MS = 60_000;
const LONGER = 4;

/** What is known of a recording. */
interface Known {
  size: number;
  /** When it was last written to, in epoch milliseconds. */
  changed: number;
  state: 'begun' | 'done' | 'failed';
  tries: number;
  /** When it was last tried, in epoch milliseconds. */
  at: number;
  /** Why it failed. */
  error?: string;
  /** Whether its captions have its whole name, `talk.wav.srt`, because `talk.srt` are those of another one. */
  whole?: true;
}

type State = Map<string, Known>;

/** What to watch, and how. */
interface WatchTask {
  folder: string;
  /** The folder of the results; null if they lie beside the recordings. */
  output: string | null;
  /** The time between two looks, and for which a recording must not have changed, in milliseconds. */
  everyMs: number;
  settledMs: number;
  /** How often a recording is tried. */
  tries: number;
}

interface Watcher {
  /**
   * Captions a recording, and replaces what an earlier try has written.
   * @param name of the files, without the ending of their format
   */
  caption(recording: string, name: string): Promise<void>;
  /** The files that captioning writes. */
  resultsOf(recording: string, name: string): string[];
  say(text: string): void;
  /** Waits until the next look; rejects at the end. */
  wait(ms: number): Promise<void>;
  now?: () => number;
}

/**
 * Watches a folder until `wait` rejects.
 * @throws the reason of that, or that another process watches it
 */
export const watchFolder = (task: WatchTask, watcher: Watcher): Promise<never> =>
  aloneIn(join(task.output ?? task.folder, STATE_FILE), (place) => watch(place, task, watcher));

async function watch(
  place: string,
  { folder, everyMs, settledMs, tries }: WatchTask,
  { caption, resultsOf, say, wait, now = Date.now }: Watcher,
): Promise<never> {
  const state = await readState(place);
  await removeParts(place);
  const keep = () => writeWhole(place, `${JSON.stringify(Object.fromEntries(state), null, 1)}\n`);
  let seen = new Map<string, string>();
  for (;;) {
    const found = (await findRecordings([folder])).filter((path) => path !== folder);
    const there = new Map<string, string>();
    for (const path of found) {
      const file = await stat(path).catch(() => null);
      if (!file?.isFile() || file.size === 0) continue;
      const [size, changed] = [file.size, Math.floor(file.mtimeMs)];
      const version = `${size} ${changed}`;
      there.set(path, version);
      const isSettled = seen.get(path) === version && now() - changed >= settledMs;
      const name = relative(folder, path);
      const known = state.get(name);
      const isSame = known?.size === size && known.changed === changed;
      if (!isSettled || (isSame && !isDue(known, tries, now()))) continue;
      const isWhole = known ? known.whole === true : isTaken(state, name);
      const whole = isWhole ? ({ whole: true } as const) : {};
      const title = isWhole ? basename(path) : basename(path, extname(path));
      if (!known && resultsOf(path, title).some((result) => existsSync(result))) {
        state.set(name, { size, changed, state: 'done', tries: 0, at: now(), ...whole });
        await keep();
        say(`${name}: its captions are there already; they stay as they are.`);
        continue;
      }
      const tried = { size, changed, tries: (isSame ? known.tries : 0) + 1, at: now(), ...whole };
      if (known?.state === 'begun') {
        for (const result of resultsOf(path, title)) await removeParts(result);
      }
      // Noted before the work, so that a recording that ends the process is not tried for ever.
      state.set(name, { ...tried, state: 'begun' });
      await keep();
      try {
        await caption(path, title);
        state.set(name, { ...tried, state: 'done' });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        state.set(name, { ...tried, at: now(), state: 'failed', error: reason });
        const again =
          tried.tries < tries ? `tried again in ${againMs(tried.tries) / 60_000} min` : 'given up';
        say(`${name}: ${reason} (try ${tried.tries} of ${tries}, ${again})`);
      }
      await keep();
    }
    const gone = [...state.keys()].filter((name) => !there.has(join(folder, name)));
    for (const name of gone) state.delete(name);
    if (gone.length > 0) await keep();
    seen = there;
    await wait(everyMs);
  }
}

/** Whether the captions of another recording have the name that those of this one would have. */
const isTaken = (state: State, name: string): boolean =>
  [...state].some(
    ([other, { whole }]) => other !== name && whole !== true && stemOf(other) === stemOf(name),
  );

const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

/** The wait after so many tries. */
const againMs = (tries: number): number => AGAIN_MS * LONGER ** (tries - 1);

/** Whether a recording that has not changed is to be tried. */
function isDue({ state, tries, at }: Known, most: number, now: number): boolean {
  if (state === 'done' || tries >= most) return false;
  // A process that began it and is gone was killed, perhaps by the recording itself.
  return state === 'begun' || now - at >= againMs(tries);
}

/** What was kept; nothing if there is no such file, or one that cannot be read. */
async function readState(path: string): Promise<State> {
  try {
    return new Map(
      Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, Known>),
    );
  } catch {
    return new Map();
  }
}
