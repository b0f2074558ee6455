/** Lists learned rules and applies decisions on them, for HTTP and MCP. */
import type { LearnedRule, LearnedRules, RulePatch, RuleState } from '../contract/learning.ts';
import { isTermSized } from '../contract/terms.ts';
import type { DecidedRule, WorkspaceDocument } from '../learning/document.ts';
import { createLearner } from '../learning/learn.ts';
import { type Candidate, evidenceText } from '../learning/rules.ts';
import { applyRule, decidedRule, questionsOf, undoRule } from '../learning/apply-rules.ts';
import type { TerminologyStore } from '../learning/terminology-store.ts';
import type { Database } from '../storage/database.ts';
import { phraseKey } from '../terminology/match/normalize.ts';
import { invalidPayload, Problem } from './problems.ts';

/** The most changes of one rule that are returned. */
const MAX_CHANGED = 100;

/** Selects rules. */
export interface RuleQuery {
  state: RuleState | null;
  /** The run that the rules come from (its review) or have changed (its captions); null for all rules. */
  runId: string | null;
}

export interface RuleBook {
  /** The rules of a workspace; those to ask about come first. */
  list(organizationId: string, query: RuleQuery): Promise<LearnedRules>;
  /** Decides on a rule, or changes its wording. @throws {Problem} 404, 409, 422 */
  decide(organizationId: string, id: string, patch: RulePatch): Promise<LearnedRule>;
  /** Turns learning on or off. */
  setAutomatic(organizationId: string, automatic: boolean): Promise<{ automatic: boolean }>;
}

type Changed = LearnedRule['changed'];

/** Creates the access to the rules in the service's database. */
export function createRuleBook(database: Database, terminology: TerminologyStore): RuleBook {
  const learner = createLearner(database, terminology);

  const changesOf = async (organizationId: string): Promise<Map<string, Changed>> => {
    const rows = await database
      .selectFrom('rule_changes')
      .innerJoin('runs', 'runs.id', 'rule_changes.run_id')
      .select(['rule_id', 'run_id', 'correction_id', 'start', 'before', 'after'])
      .where('rule_changes.organization_id', '=', organizationId)
      .orderBy('runs.created_at', 'desc')
      .orderBy('start')
      .limit(20_000)
      .execute();
    const found = new Map<string, Changed>();
    for (const { rule_id, run_id, correction_id, start, before, after } of rows) {
      const changed = found.get(rule_id) ?? [];
      found.set(rule_id, changed);
      if (changed.length >= MAX_CHANGED) continue;
      changed.push({ runId: run_id, correctionId: correction_id, start, before, after });
    }
    return found;
  };

  const all = async (organizationId: string): Promise<LearnedRules> => {
    const { document, candidates } = await learner.learn(organizationId);
    const changes = await changesOf(organizationId);
    const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
    const asked = questionsOf(document, candidates).map((candidate) => proposed(candidate));
    const decided = document.rules
      .toSorted((a, b) => b.settledAt - a.settledAt)
      .map((rule) => ruleBody(rule, byId.get(rule.id), changes.get(rule.id) ?? []));
    return { automatic: document.automatic, rules: [...asked, ...decided] };
  };

  const one = async (organizationId: string, id: string): Promise<LearnedRule> => {
    const found = (await all(organizationId)).rules.find((rule) => rule.id === id);
    if (!found) throw unknownRule();
    return found;
  };

  return {
    async list(organizationId, { state, runId }) {
      const { automatic, rules } = await all(organizationId);
      const isOf = (rule: LearnedRule) =>
        (state === null || rule.state === state) &&
        (runId === null ||
          [...rule.evidence.places, ...rule.changed].some((place) => place.runId === runId));
      return { automatic, rules: rules.filter(isOf) };
    },
    async decide(organizationId, id, patch) {
      const { candidates } = await learner.learn(organizationId);
      const candidate = candidates.find((other) => other.id === id);
      await terminology.change(organizationId, (document) =>
        withDecision(document, id, candidate, patch),
      );
      return one(organizationId, id);
    },
    async setAutomatic(organizationId, automatic) {
      await terminology.change(organizationId, (document) =>
        document.automatic === automatic ? document : { ...document, automatic },
      );
      return { automatic };
    },
  };
}

const unknownRule = (): Problem =>
  new Problem(
    404,
    'rule_not_found',
    'There is no rule with this id, or it has no evidence any more.',
  );

/** The document after a person's decision. */
function withDecision(
  document: WorkspaceDocument,
  id: string,
  candidate: Candidate | undefined,
  patch: RulePatch,
): WorkspaceDocument {
  const now = Date.now();
  const rule = document.rules.find((other) => other.id === id);
  const base = rule ?? (candidate && decidedRule(candidate, {}));
  if (!base) throw unknownRule();
  const state = patch.state ?? (rule?.state === 'applied' ? 'applied' : undefined);
  if (state !== 'applied') {
    if (state === undefined) {
      throw invalidPayload('Send the new state of the rule.', [
        { path: 'state', message: 'is required for a rule that is not applied' },
      ]);
    }
    if (rule) return undoRule(document, id, state, now);
    return { ...document, rules: [...document.rules, { ...base, state, settledAt: now }] };
  }
  const edited = { ...base, ...editsOf(patch), automatic: false };
  // The old rule is undone first, because the new one may be about other words.
  const cleared = rule?.state === 'applied' ? undoRule(document, id, 'undone', now) : document;
  const applied = applyRule(cleared, edited, now);
  if (applied) return applied;
  throw new Problem(
    409,
    'rule_not_applicable',
    'The rule conflicts with the terms: its mishear belongs to another term, or the workspace has the maximum number of terms.',
  );
}

function editsOf({ surface, canonical, near }: RulePatch): Partial<DecidedRule> {
  const issues = Object.entries({ surface, canonical })
    .filter(([, text]) => text !== undefined && (!isTermSized(text) || phraseKey(text) === ''))
    .map(([path]) => ({ path, message: 'is not a term' }));
  if (issues.length > 0) throw invalidPayload('The rule is invalid.', issues);
  return {
    ...(surface === undefined ? {} : { surface: phraseKey(surface) }),
    ...(canonical === undefined ? {} : { canonical: canonical.trim() }),
    ...(near === undefined
      ? {}
      : { near: near.map((word) => word.toLowerCase()), risky: near.length > 0 }),
  };
}

const proposed = (candidate: Candidate): LearnedRule => ({
  id: candidate.id,
  kind: candidate.kind,
  state: 'proposed',
  automatic: false,
  surface: candidate.surface,
  canonical: candidate.canonical,
  near: candidate.near,
  evidence: evidenceFor(candidate, candidate),
  settledAt: null,
  changed: [],
});

const ruleBody = (
  rule: DecidedRule,
  candidate: Candidate | undefined,
  changed: Changed,
): LearnedRule => ({
  id: rule.id,
  kind: rule.kind,
  state: rule.state,
  automatic: rule.automatic,
  surface: rule.surface,
  canonical: rule.canonical,
  near: rule.near,
  evidence: evidenceFor(candidate ?? rule, candidate),
  settledAt: new Date(rule.settledAt).toISOString(),
  changed,
});

const evidenceFor = (
  rule: Pick<Candidate, 'surface' | 'canonical' | 'accepted' | 'rejected' | 'talks'>,
  candidate: Candidate | undefined,
): LearnedRule['evidence'] => ({
  accepted: rule.accepted,
  rejected: rule.rejected,
  talks: rule.talks,
  text: evidenceText(rule),
  places: candidate?.places ?? [],
});
