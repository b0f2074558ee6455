/** The request's words and packs → the terms of the run. */
import type { CaptionerRequest } from '../contract/payload.ts';
import { compileTerminology, type Compiled } from '../terminology/compile.ts';
import type { KeytermLimit } from '../terminology/keyterms.ts';
import type { TermPack } from '../terminology/packs.ts';

/** Terms that are kept for the runs to come; with what is made of them a set has a megabyte or so. */
const KEPT = 32;
/** A request with a dictionary for its glossary is not kept. */
const LONGEST_KEY = 32 * 1024;
const kept = new WeakMap<readonly TermPack[], Map<string, Compiled>>();

/**
 * Compiles the terms of a run; the same packs and request always give the same lists, and runs that
 * ask the same share them.
 * @param keytermLimit what the recogniser of the run takes
 */
export function compileForRun(
  packs: readonly TermPack[],
  request: CaptionerRequest,
  keytermLimit?: KeytermLimit,
): Compiled {
  const asked = {
    requestedPacks: request.terminology.packs,
    topic: request.topic,
    ...(request.audio.filename ? { filename: request.audio.filename } : {}),
    glossary: request.glossary,
    keyterms: request.transcription.keyterms,
    include: request.terminology.include,
    exclude: request.terminology.exclude,
    maxKeyterms: request.terminology.maxKeyterms,
    keytermLimit,
  };
  let known = kept.get(packs);
  if (!known) kept.set(packs, (known = new Map()));
  const key = JSON.stringify(asked);
  const compiled = known.get(key) ?? compileTerminology(packs, asked);
  if (key.length > LONGEST_KEY) return compiled;
  // Asked last, dropped last.
  known.delete(key);
  known.set(key, compiled);
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(oldest);
  }
  return compiled;
}
