/** The texts of ended runs' results, as bytes. Each is held only once, however many clients receive it. */
import { createHash } from 'node:crypto';
import { createCounts } from '../../base/concurrency.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { createSpool, type HeldBytes, type Spool } from '../../storage/spool.ts';
import type { StoredText } from '../work/stored-texts.ts';
import { isGone, whenDue, type WorkPool } from '../work/pool.ts';
import { Problem } from '../problems.ts';

/** The most bytes of texts that are held at the same time, mostly in files; each text counts once. */
const MAX_BYTES = 512 * 2 ** 20;
/** The share of one workspace: an eighth, four of the largest reviews. */
const SHARE = 1 / 8;
/** The number of results read at the same time; reading one takes several times its size in memory. */
const READ_AT_ONCE = 6;
/** The number of those of one workspace. */
const OF_ONE_AT_ONCE = 2;
/** The texts that stay for a while after they were read: their bytes, their number, and the time. */
const KEPT = { bytes: 64 * 2 ** 20, texts: 64, ms: 60_000 };
/** The most texts of one workspace that wait to be read. */
const MAX_WAITING = 64;

/** The bytes of a text, which are dropped once all holders have released them. */
export interface SharedText extends Omit<HeldBytes, 'drop'> {
  /** A hash of the bytes. */
  digest: string;
  /** Releases the text. Further calls have no effect. */
  release(): void;
}

/** Makes a text; its argument reads the result of the run as JSON text. */
export type WriteText = (result: () => Promise<StoredText>) => Promise<string | Uint8Array>;

export type RunTexts = ReturnType<typeof createRunTexts>;

/** A text that is held, and how many hold it. */
interface Shared {
  text: Promise<HeldBytes & { digest: string }>;
  users: number;
  /** Whether its run was erased since it was asked for. */
  isErased: boolean;
}

interface RunTextsOptions {
  /** Hashes large texts; default: in this thread. */
  pool?: WorkPool;
  /** Holds the bytes; default: in memory. */
  spool?: Spool;
  /** The most bytes to hold; a workspace may hold an eighth of it. */
  mostBytes?: number;
}

/**
 * Creates the store of texts.
 * @param read returns the result of a run as JSON
 */
export function createRunTexts(
  read: (runId: string) => Promise<StoredText | null>,
  { pool, spool = createSpool(null), mostBytes = MAX_BYTES }: RunTextsOptions = {},
) {
  const shared = new Map<string, Shared>();
  const inTurn = createBoundedTurns({
    atOnce: READ_AT_ONCE,
    ofOne: OF_ONE_AT_ONCE,
    most: MAX_WAITING,
  });
  const heldBy = createCounts();
  let total = 0;

  const count = (workspace: string, bytes: number): void => {
    total += bytes;
    heldBy.add(workspace, bytes);
  };
  const refuseIfFull = (workspace: string): void => {
    if (total > mostBytes) {
      throw Problem.unavailable('Too many results are being sent at the moment. Try again soon.');
    }
    if (heldBy.of(workspace) <= mostBytes * SHARE) return;
    throw Problem.unavailable(
      'This workspace is receiving too many results at once. Read those first.',
    );
  };
  /** Texts that nobody reads at the moment, in the order in which they were last read. */
  const kept = new Map<
    string,
    { size: number; drop(): void; timer: ReturnType<typeof setTimeout> }
  >();
  const keepAWhile = (name: string, text: HeldBytes): void => {
    const drop = () => {
      takeBack(name);
      shared.delete(name);
      text.drop();
    };
    const timer = setTimeout(drop, KEPT.ms);
    timer.unref();
    kept.set(name, { size: text.size, drop, timer });
    const bytes = () => [...kept.values()].reduce((sum, { size }) => sum + size, 0);
    while (kept.size > KEPT.texts || bytes() > KEPT.bytes) kept.values().next().value!.drop();
  };
  /** Whether a text was kept, and now no longer is. */
  const takeBack = (name: string): boolean => {
    clearTimeout(kept.get(name)?.timer);
    return kept.delete(name);
  };
  const load = async (id: string, workspace: string, write: WriteText) => {
    // Texts that were read while this one waited count too.
    refuseIfFull(workspace);
    const made = await write(async () => {
      const result = await read(id);
      if (result === null) throw new Error(`the run ${id} has ended without a result`);
      return result;
    });
    const load = { workspace, size: made.length };
    const { bytes, digest } = await (pool ? pool.do(hashed, made, load) : hashed(made));
    const held = await spool.hold(bytes);
    count(workspace, held.size);
    return { ...held, digest };
  };

  return {
    /**
     * Holds a text about the result of a run.
     * @param kind the name of what `write` makes; a text of the same run and kind is made only once
     * @param keep whether it costs so much to make that it is kept for a minute after it was read
     * @throws {Problem} 503 while too many other texts are held, in total or of the same workspace; any error of `write`
     */
    async hold(
      run: Pick<RunSummary, 'id' | 'organizationId'>,
      kind: string,
      write: WriteText,
      keep: boolean = false,
    ): Promise<SharedText> {
      const { id, organizationId } = run;
      const name = `${id} ${kind}`;
      const one = shared.get(name) ?? {
        text: inTurn(organizationId, () => load(id, organizationId, write)),
        users: 0,
        isErased: false,
      };
      shared.set(name, one);
      one.users += 1;
      const leave = (text?: HeldBytes) => {
        one.users -= 1;
        if (one.users > 0) return;
        if (text) count(organizationId, -text.size);
        if (text && keep && !one.isErased) return keepAWhile(name, text);
        shared.delete(name);
        text?.drop();
      };
      try {
        const text = await one.text;
        if (takeBack(name)) count(organizationId, text.size);
        let isReleased = false;
        return {
          size: text.size,
          digest: text.digest,
          read: text.read,
          release() {
            if (!isReleased) leave(text);
            isReleased = true;
          },
        };
      } catch (error) {
        leave();
        if (shared.get(name) === one) shared.delete(name);
        // Somebody else had asked for it first, and is gone.
        if (isAbort(error) && !isGone()) return this.hold(run, kind, write, keep);
        throw error;
      }
    },
    /** Drops the texts of a run that is erased; those that are being read, once they are. */
    forget(runId: string): void {
      for (const [name, one] of shared) {
        if (!name.startsWith(`${runId} `)) continue;
        one.isErased = true;
        kept.get(name)?.drop();
      }
    },
  };
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** The bytes of a text, and their hash. A task. */
export function hashed(text: string | Uint8Array): { bytes: Uint8Array; digest: string } {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { bytes, digest: createHash('sha256').update(bytes).digest('base64url') };
}

/** Runs work when it is its owner's turn. */
type InTurn = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets `atOnce` pieces of work run at a time, `ofOne` of one owner; owners take turns, so that one with much work does
 * not hold up others.
 * @throws {Problem} 503 if more than `most` pieces of the owner's work wait, or if the turn comes too late for the request
 */
function createBoundedTurns(limits: { atOnce: number; ofOne: number; most: number }): InTurn {
  const { atOnce, ofOne, most } = limits;
  /** The waiting work of each owner. The first one is next, and then becomes the last. */
  const waiting = new Map<string, (() => void)[]>();
  /** The owners of the work that runs. */
  const running: string[] = [];
  const next = (): void => {
    if (running.length >= atOnce) return;
    const isFree = (owner: string) => running.filter((other) => other === owner).length < ofOne;
    const first = [...waiting].find(([owner]) => isFree(owner));
    if (!first) return;
    const [owner, [begin, ...rest]] = first;
    waiting.delete(owner);
    if (rest.length > 0) waiting.set(owner, rest);
    running.push(owner);
    begin?.();
  };
  return async (owner, work) => {
    const queue = waiting.get(owner) ?? [];
    if (queue.length >= most) throw tooMany();
    const turn = Promise.withResolvers<void>();
    waiting.set(owner, [...queue, turn.resolve]);
    const inTime = whenDue(() => {
      const left = (waiting.get(owner) ?? []).filter((begin) => begin !== turn.resolve);
      if (left.length > 0) waiting.set(owner, left);
      else waiting.delete(owner);
      turn.reject(tooMany());
    });
    next();
    await turn.promise.finally(inTime);
    try {
      return await work();
    } finally {
      running.splice(running.indexOf(owner), 1);
      next();
    }
  };
}

const tooMany = (): Problem =>
  Problem.unavailable('This workspace is asking for too many results at once.');
