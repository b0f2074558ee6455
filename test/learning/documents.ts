/** Rules, terms and documents for tests of learning. */
import {
  emptyDocument,
  type DecidedRule,
  type StoredTerm,
  type WorkspaceDocument,
} from '../../server/learning/document.ts';
import type { Evidence } from '../../server/learning/evidence.ts';
import type { RunEvidence } from '../../server/learning/evidence-groups.ts';
import type { Candidate } from '../../server/learning/rules.ts';

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
/** A document with rules and terms. */
export const holding = (
  rules: DecidedRule[],
  terms: StoredTerm[] = [term()],
): WorkspaceDocument => ({
  ...emptyDocument(),
  rules,
  terms,
});
