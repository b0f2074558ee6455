/** The evidence of all reviews, grouped by what was heard and what is meant. Pure. */
import { phraseKey } from '../terminology/normalize.ts';
import type { Evidence } from './evidence.ts';

/** What one review says, and of which run. */
export interface RunEvidence {
  runId: string;
  /** When the run was asked for, in epoch milliseconds. */
  createdAt: number;
  evidence: readonly Evidence[];
}

/** Everything that was said about one surface and one term. */
export interface Group {
  surface: string;
  /** Its commonest spelling. */
  canonical: string;
  spellings: Map<string, number>;
  known: boolean;
  confirmations: { runId: string; createdAt: number; context: readonly string[]; start: number }[];
  rejections: { runId: string; createdAt: number; start: number }[];
}

/** The groups, in the order in which they were first spoken of. */
export function groupsOf(runs: readonly RunEvidence[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { runId, createdAt, evidence } of runs) {
    for (const { said, surface, canonical, known, context, start } of evidence) {
      const key = `${surface}\n${phraseKey(canonical)}`;
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
      if (said === 'rejected') group.rejections.push({ runId, createdAt, start });
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
