/** The request's words and packs → the terms of the run. */
import type { CaptionerRequest } from '../contract/payload.ts';
import { compileTerminology, type Compiled } from '../terminology/compile.ts';
import type { KeytermLimit } from '../terminology/keyterms.ts';
import type { TermPack } from '../terminology/packs.ts';

/**
 * Compiles the terms of a run; the same packs and request always give the same lists.
 * @param keytermLimit what the recogniser of the run takes
 */
export const compileForRun = (
  packs: readonly TermPack[],
  request: CaptionerRequest,
  keytermLimit?: KeytermLimit,
): Compiled =>
  compileTerminology(packs, {
    requestedPacks: request.terminology.packs,
    topic: request.topic,
    ...(request.audio.filename ? { filename: request.audio.filename } : {}),
    glossary: request.glossary,
    keyterms: request.transcription.keyterms,
    include: request.terminology.include,
    exclude: request.terminology.exclude,
    maxKeyterms: request.terminology.maxKeyterms,
    keytermLimit,
  });
