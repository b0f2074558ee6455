/** Sentences that contain each term of the packs, as in a talk. */
import type { TermPack } from '../../server/terminology/packs/pack.ts';

/** A sentence with one term. */
export interface Carrier {
  canonical: string;
  /** The sentence as it is spoken. */
  spoken: string;
}

/**
 * One sentence for each term, in an order and with a frame that depend only on the packs: two of
 * three have no other term, the third has a word that often occurs near the term.
 */
export function carriersOf(packs: readonly TermPack[]): Carrier[] {
  const seen = new Set<string>();
  return packs.flatMap(({ terms }) =>
    terms.flatMap(({ canonical, say, near = [] }, at): Carrier[] => {
      if (seen.has(canonical)) return [];
      seen.add(canonical);
      const said = say ?? canonical;
      const [company] = near;
      const frames = [
        `Today I want to tell you what ${said} means for your team.`,
        `The next thing that we added last week is ${said}, and it works well.`,
        company === undefined
          ? `People often ask me about ${said} after a talk.`
          : `We talked about ${company} first, so let us look at ${said} now.`,
      ];
      return [{ canonical, spoken: frames[at % frames.length] ?? '' }];
    }),
  );
}
