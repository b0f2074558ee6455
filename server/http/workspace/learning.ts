/** Routes for learned rules: list them, decide on one, switch learning on or off. */
import { Elysia } from 'elysia';
import {
  TermProposals,
  TermTextInput,
  LearnedRule,
  LearnedRules,
  LearningSettings,
  RULE_STATES,
  RulePatch,
} from '../../contract/workspace-terms.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { BODY_REFUSALS, jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { isJsonType, readBody } from '../bodies/read-body.ts';
import { HANDOUT_ENDINGS } from '../../handouts/endings.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { proposalsFor } from './term-requests.ts';
import { createRuleBook, type RuleServices } from './rule-requests.ts';
import { jsonText } from '../runs/run-representation.ts';
import { HANDOUT, TERM } from '../../contract/limits.ts';
import { wireAnswer, wireInput, wireQuery, wireShown } from '../wire.ts';

const MAX_BYTES = 65_536;
/** The largest body with a text. A character has at most four bytes, or six if JSON escapes it. */
const MAX_TEXT_BYTES = 6 * TERM.maxPastedChars;

interface LearningRouteServices extends RuleServices {
  guard: Guard;
}

/** The routes of learning. */
export function learningRoutes({ guard, ...services }: LearningRouteServices) {
  const book = createRuleBook(services);
  const json = { maxBytes: MAX_BYTES, budget: createBodyBudget(64 * MAX_BYTES) };
  const texts = createBodyBudget(16 * MAX_TEXT_BYTES);
  const files = createBodyBudget(4 * HANDOUT.maxBytes);
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
        response: { 200: wireAnswer(LearnedRules) },
        detail: detail({
          operationId: 'listRules',
          summary: 'List the rules learned from reviews',
          description:
            'Each rule with its evidence and the captions it has changed; rules that need a decision come first. Newly saved reviews are read before the response.',
          tags,
          responses: {
            200: answer('The rules.', { automatic: true, rules: [rule] }),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .patch(
      '/terminology/rules/:ruleId',
      async ({ params, body, sender }) =>
        Response.json(await book.decide(sender.organizationId, params.ruleId, body)),
      {
        scope: 'captioner:caption:run',
        json,
        body: wireInput(RulePatch),
        response: { 200: wireAnswer(LearnedRule) },
        detail: detail({
          operationId: 'settleRule',
          summary: 'Apply, dismiss, change or undo a rule',
          tags,
          requestBody: bodyExample({ state: 'applied' }),
          responses: {
            200: answer('The rule after the change.', { ...rule, state: 'applied' }),
            404: response('RuleNotFound'),
            409: response('RuleNotApplicable'),
          },
        }),
      },
    )
    .post(
      '/terminology/proposals',
      async ({ request, sender }) => {
        const type = request.headers.get('content-type') ?? '';
        const isText = isJsonType(type);
        const maxBytes = isText ? MAX_TEXT_BYTES : HANDOUT.maxBytes;
        const share = (isText ? texts : files).open();
        try {
          const body = await readBody(request, { maxBytes, share });
          const found = { body, type };
          return Response.json(await proposalsFor(services, sender.organizationId, found));
        } finally {
          share.release();
        }
      },
      {
        scope: 'captioner:terminology:read',
        body: wireShown(TermTextInput),
        response: { 200: wireAnswer(TermProposals) },
        detail: detail({
          operationId: 'proposeTerms',
          summary: 'Find names and terms in a text or a file',
          description: `Finds people, companies, products, acronyms and rare words in a programme, slides, an abstract, a list of speakers or a page: as text in JSON, or as a file of at most ${HANDOUT.maxSize} (${HANDOUT_ENDINGS.join(', ')}), which is recognised by its content, or a form of up to ${HANDOUT.maxFiles} files. Nothing is stored.`,
          tags,
          // Files and forms stand in the description: clients that are generated take one type of body.
          requestBody: bodyExample({ text: 'Ada Lovelace on AuthKit and SCIM' }),
          responses: {
            200: answer('The names and terms found, the most likely first.', {
              proposals: [
                {
                  term: 'AuthKit',
                  kind: 'product_name' as const,
                  count: 1,
                  why: 'camel_case' as const,
                  known: false,
                },
              ],
            }),
            ...BODY_REFUSALS,
            415: response('FileNotRead'),
          },
        }),
      },
    )
    .get(
      '/terminology/learning',
      async ({ sender }) =>
        Response.json({ automatic: await book.isAutomatic(sender.organizationId) }),
      {
        scope: 'captioner:terminology:read',
        response: { 200: wireAnswer(LearningSettings) },
        detail: detail({
          operationId: 'getLearning',
          summary: 'Check whether the workspace learns from reviews',
          tags,
          responses: {
            200: answer('The setting.', { automatic: true }),
          },
        }),
      },
    )
    .put(
      '/terminology/learning',
      async ({ body, sender }) =>
        Response.json(await book.setAutomatic(sender.organizationId, body.automatic)),
      {
        scope: 'captioner:caption:run',
        json,
        body: wireInput(LearningSettings),
        response: { 200: wireAnswer(LearningSettings) },
        detail: detail({
          operationId: 'setLearning',
          summary: 'Turn learning on or off',
          tags,
          requestBody: bodyExample({ automatic: false }),
          responses: {
            200: answer('The setting.', { automatic: false }),
          },
        }),
      },
    );
}

const RuleListQuery = closed({
  state: Type.Optional(enumeration(RULE_STATES)),
  runId: Type.Optional(Type.String({ description: 'only rules related to this run' })),
});

const tags: ['Terminology'] = ['Terminology'];
const rule = {
  id: 'rule_0c1f5b7a9d3e2f4a6b8c0d1e',
  kind: 'new_mishear' as const,
  state: 'proposed' as const,
  automatic: false,
  surface: 'key cloke',
  canonical: 'Keycloak',
  near: [],
  evidence: {
    accepted: 4,
    rejected: 0,
    talks: 2,
    text: 'key cloke → Keycloak, accepted 4 times in 2 talks',
    places: [],
  },
  settledAt: null,
  changed: [],
};
