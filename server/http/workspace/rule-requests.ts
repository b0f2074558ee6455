/** Lists learned rules and applies decisions on them, for HTTP and MCP. */
import type {
  LearnedRule,
  LearnedRules,
  RulePatch,
  RuleState,
} from '../../contract/workspace-terms.ts';
import { isTermSized } from '../../contract/terms.ts';
import { createLearner, evidenceIn, learnFrom, type EvidenceText } from '../../learning/learn.ts';
import { evidenceText, type Candidate } from '../../learning/rules.ts';
import {
  type TerminologyStore,
  documentText,
  TooManyTerms,
  type DecidedRule,
  type WorkspaceDocument,
} from '../../learning/terminology-store.ts';
import type { Database } from '../../storage/database.ts';
import { phraseKey } from '../../terminology/match/normalize.ts';
import { Problem } from '../problems.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { applyRule, decidedRule, questionsOf, undoRule } from '../../learning/apply-rules.ts';

/** The most changes of one rule that are returned, and of all rules. */
const MAX_CHANGED = 100;
const MAX_CHANGES = 5000;
/** The most proposed rules that are returned; there are more only after many reviews that agree on nothing. */
const MAX_PROPOSED = 500;

/** Selects rules. */
interface RuleQuery {
  state: RuleState | null;
  /** The run that the rules come from (its review) or have changed (its captions); null for all rules. */
  runId: string | null;
  /** The rule itself; absent for all. */
  id?: string;
  /** The most rules; absent for all. */
  limit?: number;
}

export type RuleBook = ReturnType<typeof createRuleBook>;

/** What the rules of a workspace are read from. */
export interface RuleServices {
  database: Database;
  terminology: TerminologyStore;
  stored: StoredTexts;
  pool: WorkPool;
}

type Changed = LearnedRule['changed'];

/** Creates the access to the rules in the service's database. */
export function createRuleBook({ database, terminology, stored, pool }: RuleServices) {
  const evidenceOf = (workspace: string): Promise<EvidenceText[]> =>
    createLearner(database, terminology, Date.now, {
      async read(runId) {
        const [review, result] = [await stored.review(runId), await stored.result(runId)];
        if (!review || result === null) return null;
        const texts = { result, review: review.text };
        return { tag: review.tag, evidence: await pool.do(evidenceOfTexts, texts, { workspace }) };
      },
      rows: (query) => stored.rows(query, workspace),
    }).evidence(workspace);

  const changesOf = async (organizationId: string): Promise<Map<string, Changed>> => {
    const rows = await database
      .selectFrom('rule_changes')
      .innerJoin('runs', 'runs.id', 'rule_changes.run_id')
      .select(['rule_id', 'run_id', 'correction_id', 'start', 'before', 'after'])
      .where('rule_changes.organization_id', '=', organizationId)
      .orderBy('runs.created_at', 'desc')
      .orderBy('start')
      .limit(MAX_CHANGES)
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

  const isAutomatic = async (workspace: string): Promise<boolean> => {
    const { text } = await terminology.read(workspace);
    return pool.do(workspaceLearns, text, { workspace, size: text.length });
  };
  /** The evidence of a workspace; none if it does not learn. */
  const known = async (workspace: string): Promise<EvidenceText[]> =>
    (await isAutomatic(workspace)) ? evidenceOf(workspace) : [];
  const listed = async (
    workspace: string,
    evidence: EvidenceText[],
    query: RuleQuery,
  ): Promise<string> => {
    const changes = await changesOf(workspace);
    let rules = '';
    await terminology.rewrite(workspace, async (text) => {
      const input = { text, evidence, changes, query, now: Date.now() };
      const learned = await pool.do(learnedRules, input, { workspace });
      ({ rules } = learned);
      return learned.text;
    });
    return rules;
  };

  return {
    /** The rules of a workspace as JSON of LearnedRules; those to ask about come first. */
    async list(workspace: string, query: RuleQuery): Promise<string> {
      return listed(workspace, await known(workspace), query);
    },
    /** Decides on a rule, or changes its wording. @throws {Problem} 404, 409, 422 */
    async decide(workspace: string, id: string, patch: RulePatch): Promise<LearnedRule> {
      const evidence = await known(workspace);
      await terminology.rewrite(workspace, (text) =>
        pool.do(decidedRules, { text, evidence, id, patch, now: Date.now() }, { workspace }),
      );
      const { rules }: LearnedRules = JSON.parse(
        await listed(workspace, evidence, { state: null, runId: null, id }),
      );
      const [rule] = rules;
      if (!rule) throw unknownRule();
      return rule;
    },
    /** Whether the workspace learns. */
    isAutomatic,
    /** Turns learning on or off. */
    async setAutomatic(workspace: string, automatic: boolean): Promise<{ automatic: boolean }> {
      await terminology.rewrite(workspace, (text) =>
        pool.do(switchedLearning, { text, automatic }, { workspace, size: text.length }),
      );
      return { automatic };
    },
  };
}

/** The evidence in a review of a result. A task. */
export const evidenceOfTexts = ({
  result,
  review,
}: {
  result: StoredText;
  review: StoredText;
}): string => evidenceIn({ result: stringOf(result), review: stringOf(review) });

/** Whether the workspace of a stored document learns. A task. */
export const workspaceLearns = (text: string): boolean =>
  (JSON.parse(text) as WorkspaceDocument).automatic;

/** The document with learning switched on or off; null if it already is. A task. */
export function switchedLearning({
  text,
  automatic,
}: {
  text: string;
  automatic: boolean;
}): string | null {
  const document: WorkspaceDocument = JSON.parse(text);
  return document.automatic === automatic ? null : storable({ ...document, automatic }, document);
}

/** A changed document as it is stored. @throws {Problem} 409 if there is no room for it */
function storable(changed: WorkspaceDocument, before: WorkspaceDocument): string {
  try {
    return documentText(changed, before).text;
  } catch (error) {
    if (error instanceof TooManyTerms) throw new Problem(409, 'rule_not_applicable', error.message);
    throw error;
  }
}

/** What a list of rules is made of. */
interface RuleSources {
  /** The stored document. */
  text: string;
  evidence: readonly EvidenceText[];
  now: number;
}

/** The document after learning, null if nothing changes, and its rules as JSON of LearnedRules. A task. */
export function learnedRules({
  text,
  evidence,
  changes,
  query: { state, runId, id, limit },
  now,
}: RuleSources & { changes: ReadonlyMap<string, Changed>; query: RuleQuery }): {
  text: string | null;
  rules: string;
} {
  const before: WorkspaceDocument = JSON.parse(text);
  const { document, candidates } = learnFrom(before, evidence, now);
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const asked = questionsOf(document, candidates).map((candidate) => proposed(candidate));
  const decided = document.rules
    .toSorted((a, b) => b.settledAt - a.settledAt)
    .map((rule) => ruleBody(rule, byId.get(rule.id), changes.get(rule.id) ?? []));
  const isMeant = (rule: LearnedRule) =>
    (id === undefined || rule.id === id) &&
    (state === null || rule.state === state) &&
    (runId === null ||
      [...rule.evidence.places, ...rule.changed].some((place) => place.runId === runId));
  const rules = [...asked.filter(isMeant).slice(0, MAX_PROPOSED), ...decided.filter(isMeant)];
  const found: LearnedRules = { automatic: document.automatic, rules: rules.slice(0, limit) };
  return {
    text: document === before ? null : documentText(document, before).text,
    rules: JSON.stringify(found),
  };
}

/** The document after a person's decision. A task. @throws {Problem} 404, 409, 422 */
export function decidedRules({
  text,
  evidence,
  id,
  patch,
  now,
}: RuleSources & { id: string; patch: RulePatch }): string | null {
  const before: WorkspaceDocument = JSON.parse(text);
  const { document, candidates } = learnFrom(before, evidence, now);
  const candidate = candidates.find((other) => other.id === id);
  const changed = withDecision(document, id, candidate, patch);
  return changed === before ? null : storable(changed, before);
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
      throw Problem.invalidPayload('Send the new state of the rule.', [
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
  if (issues.length > 0) throw Problem.invalidPayload('The rule is invalid.', issues);
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
