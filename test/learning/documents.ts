/** Rules, terms and documents for tests of learning. */
import type {
  DecidedRule,
  StoredTerm,
  WorkspaceDocument,
} from '../../server/learning/terminology-store.ts';
import type { RunEvidence } from '../../server/learning/evidence.ts';
import type { Candidate } from '../../server/learning/rules.ts';
import type { ReviewDocument } from '../../server/contract/review.ts';
import {
  createReviewStore,
  preparedReview,
  type Expected,
} from '../../server/reviews/review-store.ts';
import type { Database } from '../../server/storage/database.ts';

/** The store of reviews, whose reviews are values instead of texts. */
export function reviewValues(database: Database, now?: () => number) {
  const store = createReviewStore(database, now);
  const get = async (runId: string) => {
    const found = await store.get(runId);
    if (!found) return null;
    const { text, ...version } = found;
    return { ...version, document: JSON.parse(text) as ReviewDocument };
  };
  return {
    ...store,
    get,
    /** Saves a review; returns it as it is then stored. */
    async save(run: { id: string; organizationId: string }, value: ReviewDocument, seen: Expected) {
      const saved = await store.save(run, preparedReview(value), seen);
      if (saved.outcome !== 'saved') return saved;
      return { ...saved, review: { ...saved.review, document: (await get(run.id))?.document } };
    },
  };
}

/** A piece of evidence from a review. */
export type Evidence = RunEvidence['evidence'][number];

/** A piece of evidence for a known term. */
export const say = (
  said: Evidence['said'],
  surface: string,
  canonical: string,
  more: Partial<Evidence> = {},
): Evidence => ({ said, surface, canonical, known: true, context: [], start: 0, ...more });

/** The evidence of a talk. */
export const talk = (at: number, ...evidence: Evidence[]): RunEvidence => ({
  runId: `run_${at}`,
  createdAt: at,
  evidence,
});

/** The time at which rules are decided. */
export const NOW = Date.parse('2026-11-20T00:00:00.000Z');
/** The origin of a term that a person wrote. */
export const person = { kind: 'person' as const, at: '2026-11-01T00:00:00.000Z' };
const learned = { kind: 'learned' as const, at: new Date(NOW).toISOString() };

/** A rule that evidence suggests. */
export const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  id: 'r1',
  kind: 'new_mishear',
  surface: 'keycloke',
  canonical: 'Keycloak',
  near: [],
  risky: false,
  accepted: 2,
  rejected: 0,
  unmade: 0,
  talks: 1,
  safe: true,
  places: [],
  rejectedIn: [],
  confirmedAt: [1, 2],
  ...more,
});
/** A rule in force. */
export const rule = (more: Partial<DecidedRule> = {}): DecidedRule => ({
  id: 'r1',
  kind: 'new_mishear',
  state: 'applied',
  automatic: true,
  surface: 'keycloke',
  canonical: 'Keycloak',
  near: [],
  risky: false,
  accepted: 2,
  rejected: 0,
  unmade: 0,
  talks: 1,
  settledAt: NOW,
  ...more,
});
/** A term that was only learned. */
export const term = (more: Partial<StoredTerm> = {}): StoredTerm => ({
  canonical: 'Keycloak',
  kind: 'technical_term',
  mishears: ['keycloke'],
  weight: 10,
  source: learned,
  ...more,
});
/** The document of a workspace that has nothing yet. */
export const emptyDocument = (): WorkspaceDocument => ({ terms: [], automatic: true, rules: [] });
/** A document with rules and terms. */
export const holding = (
  rules: DecidedRule[],
  terms: StoredTerm[] = [term()],
): WorkspaceDocument => ({
  ...emptyDocument(),
  rules,
  terms,
});
