/** Matching all packs, and its growth with the number of words. */
import { resolvePayload } from '../server/contract/payload.ts';
import { createEdgeAuditor } from '../server/language/edge.ts';
import { compileForRun } from '../server/pipeline/terminology.ts';
import { packsFolder } from '../server/terminology/installed.ts';
import { loadPacks } from '../server/terminology/packs.ts';
import { talk } from './captions.ts';
import { inTurn, row, type Row } from './measure.ts';

export async function terminology(): Promise<Row[]> {
  const packs = await loadPacks(packsFolder);
  const request = resolvePayload({
    audio: { key: 'a.mp3' },
    terminology: {
      packs: ['events/mcp-night', 'vendors/cloudflare', 'domains/b2b-saas', 'identity-auth'],
    },
  });
  const { terms } = compileForRun(packs, request);
  const auditor = createEdgeAuditor();
  const audit = (count: number) => {
    const words = talk(count);
    return () =>
      auditor.audit(
        { words, language: 'en', terms, minConfidence: 0.85 },
        { signal: new AbortController().signal, progress: () => {} },
      );
  };
  const made = await inTurn(5, { small: audit(10_000), large: audit(100_000) });
  if (!made['small'] || !made['large']) return [];
  return [row('audit of 100,000 words on edge', '10,000 words', made['large'], made['small'])];
}
