/** Keys that were good a moment ago, so that whatever only looks need not ask each time. */
import type { Principal } from './provider.ts';

/** A good answer about a key is known for so long, in milliseconds; a bad one never is. */
const KNOWN_MS = 30_000;
const MOST_KNOWN = 10_000;

export interface KnownKeys {
  /** Whose key it is, if that was asked lately. */
  get(name: string, now: number): Principal | null;
  set(name: string, principal: Principal, at: number): void;
  forget(name: string): void;
}

/**
 * Makes an empty memory.
 * @param most how many keys it holds; full, it begins anew
 */
export function createKnownKeys(most = MOST_KNOWN): KnownKeys {
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
