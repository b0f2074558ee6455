/** The texts of ended runs' results, as bytes. Each is held only once, however many clients receive it. */
import pLimit from 'p-limit';
import { unavailable } from './problems.ts';

/** The most bytes of texts that are held at the same time; each text counts once. */
const MAX_BYTES = 128 * 2 ** 20;
/** The number of results read at the same time; reading one takes several times its size in memory. */
const READ_AT_ONCE = 1;

/** The bytes of a text, which are dropped once all holders have released them. */
export interface SharedText {
  bytes: Uint8Array;
  /** Releases the text. Further calls have no effect. */
  release(): void;
}

/** Makes a text; its argument reads the result of the run as JSON text. */
export type WriteText = (result: () => Promise<string>) => Promise<string>;

export interface RunTexts {
  /**
   * Holds a text about the result of a run.
   * @param kind the name of what `write` makes; a text of the same run and kind is made only once
   * @throws {Problem} 503 while too many other texts are held; any error of `write`
   */
  hold(runId: string, kind: string, write: WriteText): Promise<SharedText>;
}

/**
 * Creates the store of texts.
 * @param read returns the result of a run as JSON text
 * @param mostBytes the most bytes to hold
 */
export function createRunTexts(
  read: (runId: string) => Promise<string | null>,
  mostBytes = MAX_BYTES,
): RunTexts {
  const held = new Map<string, { bytes: Promise<Uint8Array>; users: number }>();
  const inTurn = pLimit(READ_AT_ONCE);
  let total = 0;

  const refuseIfFull = (): void => {
    if (total <= mostBytes) return;
    throw unavailable('Too many results are being sent at the moment. Try again soon.');
  };
  const load = async (runId: string, write: WriteText): Promise<Uint8Array> => {
    // Texts that were read while this one waited count too.
    refuseIfFull();
    const text = await write(async () => {
      const result = await read(runId);
      if (result === null) throw new Error(`the run ${runId} has ended without a result`);
      return result;
    });
    const bytes = new TextEncoder().encode(text);
    total += bytes.byteLength;
    return bytes;
  };

  return {
    async hold(runId, kind, write) {
      const name = `${runId} ${kind}`;
      const one = held.get(name) ?? { bytes: inTurn(() => load(runId, write)), users: 0 };
      held.set(name, one);
      one.users += 1;
      let size = 0;
      const release = () => {
        one.users -= 1;
        if (one.users > 0) return;
        held.delete(name);
        total -= size;
      };
      try {
        const bytes = await one.bytes;
        size = bytes.byteLength;
        let isReleased = false;
        return {
          bytes,
          release() {
            if (!isReleased) release();
            isReleased = true;
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
