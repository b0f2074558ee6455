/** Provides a model or, if it is unavailable or does not work, its fallback. */
import { UnreachableError } from './download.ts';
import { findModel } from './installed.ts';
import { modelFor, registeredModel } from './registry.ts';

/**
 * The fallback of a model, if it supports the language (BCP 47).
 * @example
 * fallbackFor('sense-voice', 'ja'); // => 'whisper-small'
 */
export function fallbackFor(name: string, language: string): string | undefined {
  const other = registeredModel(name)?.fallback;
  return other !== undefined && modelFor(language, other) !== null ? other : undefined;
}

/** The result, the model that provided it, and the failure of the first model if the fallback was used. */
export interface Got<T> {
  value: T;
  name: string;
  failure?: unknown;
}

/**
 * Provides a model or, if that fails, its fallback. A fallback is not downloaded from an unreachable host, since trying
 * again would only waste time.
 * @param get makes the model available; its error is rethrown if there is no fallback, or the signal is aborted
 */
export async function getOrFallback<T>(
  { modelsDir, language, signal }: { modelsDir: string; language: string; signal?: AbortSignal },
  name: string,
  get: (name: string) => Promise<T>,
): Promise<Got<T>> {
  try {
    return { value: await get(name), name };
  } catch (failure) {
    signal?.throwIfAborted();
    const other = fallbackFor(name, language);
    if (other === undefined) throw failure;
    const unreachable = failure instanceof Error && failure.cause instanceof UnreachableError;
    if (unreachable && !(await findModel(modelsDir, other))) throw failure;
    const got = await getOrFallback({ modelsDir, language, ...(signal && { signal }) }, other, get);
    return { ...got, failure };
  }
}
