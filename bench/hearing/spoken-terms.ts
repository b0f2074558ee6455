/** The key terms of the sentences, and what a run with all packs tells the recogniser of them. */
import { nearWords, sayings } from '../../server/pipeline/transcribe.ts';
import type { TranscriptionRequest } from '../../server/speech/provider.ts';
import { compileTerminology } from '../../server/terminology/compile.ts';
import type { TermPack } from '../../server/terminology/pack.ts';
import { request } from '../../test/terminology/support.ts';
import { carriersOf } from './carriers.ts';

/** All terms, also those that a run does not give to a recogniser by itself. */
export function spokenTermsOf(
  packs: readonly TermPack[],
): Pick<TranscriptionRequest, 'keyterms' | 'says' | 'near'> {
  const all = request({ requestedPacks: packs.map(({ id }) => id) });
  const { terms } = compileTerminology(packs, all);
  return {
    keyterms: carriersOf(packs).map(({ canonical }) => canonical),
    says: sayings(terms),
    near: nearWords(terms),
  };
}
