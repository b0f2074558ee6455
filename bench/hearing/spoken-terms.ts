/** The key terms of the sentences, and the details that a run with all packs gives the recogniser about them. */
import type { TranscriptionRequest } from '../../server/speech/provider.ts';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import type { TermPack } from '../../server/terminology/packs/pack.ts';
import { request } from '../../test/terminology/support.ts';
import { carriersOf } from './carriers.ts';

/** All terms, including those that a run does not normally give to a recogniser. */
export function spokenTermsOf(
  packs: readonly TermPack[],
): Pick<TranscriptionRequest, 'keyterms' | 'pronunciations' | 'near'> {
  const all = request({ requestedPacks: packs.map(({ id }) => id) });
  const { terms } = compileTerminology(packs, all);
  const pronunciations: Record<string, string> = {};
  const near: Record<string, string[]> = {};
  for (const term of terms) {
    if (term.say) pronunciations[term.canonical] = term.say;
    if (term.near.length > 0) near[term.canonical] = term.near;
  }
  return { keyterms: carriersOf(packs).map(({ canonical }) => canonical), pronunciations, near };
}
