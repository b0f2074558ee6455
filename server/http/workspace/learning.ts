/** Routes for learned rules: list them, decide on one, switch learning on or off. */
import { Elysia } from 'elysia';
import { MAX_PASTED_CHARS } from '../../contract/limits.ts';
import { TermTextInput } from '../../contract/workspace-terms.ts';
import { LearningSettings, RULE_STATES, RulePatch } from '../../contract/learning.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import { createBodyBudget } from '../uploads/throttles.ts';
import type { Guard } from '../guard.ts';
import { jsonBodies, wireBody } from '../json-bodies.ts';
import { terminologyDetails } from '../openapi/terminology-details.ts';
import { wireInput, wireQuery } from '../wire.ts';
import { checkPastedText, proposalsFor, readPastedText } from './term-requests.ts';
import { createRuleBook, type RuleServices } from './rule-requests.ts';
import { jsonText } from '../runs/run-representation.ts';

const MAX_BYTES = 65_536;
/** The largest body with a text. A character has at most four bytes, or six if JSON escapes it. */
const MAX_TEXT_BYTES = 6 * MAX_PASTED_CHARS;

export interface LearningRouteServices extends RuleServices {
  guard: Guard;
}

/** The routes of learning. */
export function learningRoutes({ guard, ...services }: LearningRouteServices) {
  const { pool } = services;
  const book = createRuleBook(services);
  const json = { maxBytes: MAX_BYTES, budget: createBodyBudget(64 * MAX_BYTES) };
  const texts = {
    maxBytes: MAX_TEXT_BYTES,
    budget: createBodyBudget(16 * MAX_TEXT_BYTES),
    large: { pool, read: readPastedText },
  };
  const { listRules, settleRule, getLearning, setLearning, proposeTerms } = terminologyDetails();
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      '/terminology/rules',
      async ({ query: { state = null, runId = null }, sender }) =>
        jsonText(await book.list(sender.organizationId, { state, runId })),
      {
        scope: 'captioner:terminology:read',
        query: wireQuery(RuleListQuery),
        detail: listRules,
      },
    )
    .patch(
      '/terminology/rules/:ruleId',
      async ({ params, body, sender }) =>
        Response.json(await book.decide(sender.organizationId, params.ruleId, body)),
      { scope: 'captioner:caption:run', json, body: wireInput(RulePatch), detail: settleRule },
    )
    .post(
      '/terminology/proposals',
      async ({ body, sender }) =>
        Response.json(await proposalsFor(services, sender.organizationId, body.text)),
      {
        scope: 'captioner:terminology:read',
        json: texts,
        body: wireBody(TermTextInput, checkPastedText),
        detail: proposeTerms,
      },
    )
    .get(
      '/terminology/learning',
      async ({ sender }) =>
        Response.json({ automatic: await book.isAutomatic(sender.organizationId) }),
      { scope: 'captioner:terminology:read', detail: getLearning },
    )
    .put(
      '/terminology/learning',
      async ({ body, sender }) =>
        Response.json(await book.setAutomatic(sender.organizationId, body.automatic)),
      {
        scope: 'captioner:caption:run',
        json,
        body: wireInput(LearningSettings),
        detail: setLearning,
      },
    );
}

const RuleListQuery = closed({
  state: Type.Optional(enumeration(RULE_STATES)),
  runId: Type.Optional(Type.String({ description: 'only rules related to this run' })),
});
