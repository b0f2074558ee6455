/** The evidence of all reviews, grouped by the recognised text and the intended term. */
import { phraseKey } from '../terminology/match/normalize.ts';
import type { Evidence } from './evidence.ts';

/** The evidence of one review, and its run. */
export interface RunEvidence {
  runId: string;
  /** The time of the request for the run, in epoch milliseconds. */
  createdAt: number;
  evidence: readonly Evidence[];
}

/** All evidence about one surface and one term. */
export interface Group {
  surface: string;
  /** Its most common spelling. */
  canonical: string;
  spellings: Map<string, number>;
  known: boolean;
  confirmations: { runId: string; createdAt: number; context: readonly string[]; start: number }[];
  rejections: { runId: string; createdAt: number; start: number; shown: boolean }[];
}

/** Groups evidence. The groups are in the order in which they first occur. */
export function groupsOf(runs: readonly RunEvidence[]): Group[] {
  const groups = new Map<string, Group>();
  const keys = new Map<string, string>();
  for (const { runId, createdAt, evidence } of runs) {
    for (const { said, surface, canonical, known, context, start, shown = false } of evidence) {
      const term = keys.get(canonical) ?? phraseKey(canonical);
      keys.set(canonical, term);
      const key = `${surface}\n${term}`;
      const group: Group = groups.get(key) ?? {
        surface,
        canonical,
        spellings: new Map(),
        known: false,
        confirmations: [],
        rejections: [],
      };
      groups.set(key, group);
      group.known ||= known;
      if (said === 'rejected') group.rejections.push({ runId, createdAt, start, shown });
      else {
        group.confirmations.push({ runId, createdAt, context, start });
        group.spellings.set(canonical, (group.spellings.get(canonical) ?? 0) + 1);
      }
    }
  }
  for (const group of groups.values()) {
    const [most] = [...group.spellings].sort(([, a], [, b]) => b - a);
    if (most) group.canonical = most[0];
  }
  return [...groups.values()];
}
