/** MCP tools for the rules that the caller's workspace has learned from reviews. */
import { LearnedRule, LearnedRules, RULE_STATES, RulePatch } from '../../contract/learning.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import type { RuleBook } from '../workspace/rule-requests.ts';
import type { Tool } from './tool.ts';

/** The most rules in an answer: a model needs to know those to ask about, which come first. */
const MOST_RULES = 200;

const ListInput = closed({
  state: Type.Optional(enumeration(RULE_STATES)),
  runId: Type.Optional(Type.String({ description: 'only rules related to this run' })),
});
const DecisionInput = closed({ ruleId: Type.String(), ...RulePatch.properties });

const listRulesTool = (book: RuleBook): Tool<typeof ListInput> => ({
  name: 'list_rules',
  title: 'List the rules learned from corrections',
  description:
    'Rules learned from reviews, each with its evidence; proposed ones, which need a decision, come first. Ask the user about them, then call settle_rule.',
  input: ListInput,
  output: LearnedRules,
  scope: 'captioner:terminology:read',
  hints: { readOnlyHint: true },
  async run({ state = null, runId = null }, { principal }) {
    const query = { state, runId, limit: MOST_RULES };
    const found: LearnedRules = JSON.parse(await book.list(principal.organizationId, query));
    const lines = found.rules.map((rule) => `${rule.id} (${rule.state}): ${rule.evidence.text}`);
    return { text: [lines.join('\n') || 'Nothing has been learned yet.'], value: { ...found } };
  },
});

/**
 * The tool that decides on a rule. Throws a Problem: 404 for an unknown rule, 409 for one that does not fit the terms.
 */
const settleRuleTool = (book: RuleBook): Tool<typeof DecisionInput> => ({
  name: 'settle_rule',
  title: 'Apply, dismiss, change or undo a learned rule',
  description:
    'state: applied accepts a proposed rule, dismissed rejects it, undone undoes an applied one.',
  input: DecisionInput,
  output: LearnedRule,
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  async run({ ruleId, ...patch }, { principal }) {
    const rule = await book.decide(principal.organizationId, ruleId, patch);
    return { text: [`${rule.evidence.text}: ${rule.state}.`], value: { ...rule } };
  },
});

/** The tools for learned rules. */
export const learningTools = (book: RuleBook) => [listRulesTool(book), settleRuleTool(book)];
