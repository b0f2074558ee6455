/** The envelopes of ended runs as bytes, each held only once however many clients receive it. */
import { unavailable } from './problems.ts';
import { envelope } from './run-representation.ts';

/** Total bytes of the envelopes being sent, each counted once. */
const MOST_BYTES = 128 * 2 ** 20;

/** The bytes of an envelope, freed once all holders have released them. */
export interface HeldEnvelope {
  bytes: Uint8Array;
  release(): void;
}

export interface RunEnvelopes {
  /**
   * Holds the envelope of a run that has ended.
   * @throws {Problem} 503 while too many others are being sent
   */
  hold(runId: string): Promise<HeldEnvelope>;
}

/**
 * Creates the envelopes.
 * @param read returns the result of a run as JSON text
 */
export function createRunEnvelopes(read: (runId: string) => Promise<string | null>): RunEnvelopes {
  const held = new Map<string, { bytes: Promise<Uint8Array>; users: number }>();
  let total = 0;

  const load = async (runId: string): Promise<Uint8Array> => {
    const result = await read(runId);
    if (result === null) throw new Error(`the run ${runId} has ended without a result`);
    const bytes = new TextEncoder().encode(envelope(runId, result));
    total += bytes.byteLength;
    return bytes;
  };

  return {
    async hold(runId) {
      const known = held.get(runId);
      if (!known && total > MOST_BYTES) {
        throw unavailable('Too many results are being sent at the moment. Try again soon.');
      }
      const one = known ?? { bytes: load(runId), users: 0 };
      held.set(runId, one);
      one.users += 1;
      let size = 0;
      const release = () => {
        one.users -= 1;
        if (one.users > 0 || held.get(runId) !== one) return;
        held.delete(runId);
        total -= size;
      };
      try {
        const bytes = await one.bytes;
        size = bytes.byteLength;
        let released = false;
        return {
          bytes,
          release() {
            if (!released) release();
            released = true;
          },
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
