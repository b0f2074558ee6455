/** A cache of recently validated keys, so that requests that only read need not validate theirs each time. */
import type { Principal } from './provider.ts';

/** The time for which a valid key is cached, in milliseconds; invalid ones are never cached. */
const KNOWN_MS = 30_000;
const MAX_KNOWN = 10_000;

interface KnownKeys {
  /** The owner of a key, if it was validated recently. */
  get(name: string, now: number): Principal | null;
  set(name: string, principal: Principal, at: number): void;
  forget(name: string): void;
}

/**
 * Creates an empty cache.
 * @param most the number of keys it holds; when full, it is emptied
 */
export function createKnownKeys(most = MAX_KNOWN): KnownKeys {
  const known = new Map<string, { principal: Principal; at: number }>();
  return {
    get(name, now) {
      const before = known.get(name);
      return before && now - before.at < KNOWN_MS ? before.principal : null;
    },
    set(name, principal, at) {
      if (known.size >= most) known.clear();
      known.set(name, { principal, at });
    },
    forget: (name) => void known.delete(name),
  };
}
