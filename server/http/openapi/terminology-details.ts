/** OpenAPI descriptions of the routes for a workspace's terms and rules. */
import { MAX_TERMS, MAX_TERMS_BYTES, MAX_YAML_BYTES } from '../../contract/limits.ts';
import { detail } from './detail.ts';
import { headerRef, json, response, text } from './responses.ts';

const tags: ['Terminology'] = ['Terminology'];
const etag = { ETag: headerRef('ETag') };
const terms = {
  terms: [
    {
      canonical: 'SCIM',
      kind: 'acronym' as const,
      mishears: ['skim'],
      risky: ['skim'],
      near: ['provisioning'],
      weight: 10,
      source: { kind: 'learned' as const, at: '2026-11-21T18:00:00.000Z' },
    },
  ],
  limit: MAX_TERMS,
};
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
const ok = (description: string) => ({
  description,
  headers: etag,
  content: json('WorkspaceTerms', terms),
});
const written = (description: string) => ({
  200: ok(description),
  400: response('BrokenBody'),
  412: response('PreconditionFailed'),
  413: response('BodyTooLarge'),
  415: response('NotJson'),
  422: response('InvalidPayload'),
});
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the terms you have seen, so that newer ones are not overwritten.',
  schema: { type: 'string' },
};
const files = { 'application/yaml': { schema: { type: 'string' } }, ...text('text/plain') };
const failures = {
  400: response('BrokenBody'),
  413: response('BodyTooLarge'),
  415: response('NotJson'),
  422: response('InvalidPayload'),
};

/** The descriptions by the name of the operation. They are created for each app, because the router adds to them. */
export const terminologyDetails = () => ({
  listTerms: detail({
    operationId: 'listTerms',
    summary: 'List the terms of the workspace',
    description: 'Every run of the workspace uses them, after the terms of its payload.',
    tags,
    responses: {
      200: {
        ...ok('The terms.'),
        content: { ...json('WorkspaceTerms', terms), ...files },
      },
      304: {
        description: 'Not modified: the client already has the version that If-None-Match names.',
        headers: etag,
      },
      422: response('InvalidPayload'),
    },
  }),
  replaceTerms: detail({
    operationId: 'replaceTerms',
    summary: 'Replace all terms of the workspace',
    description: `At most ${MAX_TERMS} terms and ${MAX_TERMS_BYTES} bytes, as sent and, with the learned rules, as stored: JSON, a pack as YAML (at most ${MAX_YAML_BYTES} bytes, without aliases), or a plain list, one term a line.`,
    tags,
    parameters: [ifMatch],
    requestBody: { required: true, content: { ...json('WorkspaceTermsInput', terms), ...files } },
    responses: written('The terms after the change.'),
  }),
  changeTerms: detail({
    operationId: 'changeTerms',
    summary: 'Add, replace or remove some terms',
    description:
      'A term replaces the one with the same canonical form. A pack as YAML or a plain list adds its terms.',
    tags,
    parameters: [ifMatch],
    requestBody: {
      required: true,
      content: {
        ...json('WorkspaceTermsPatch', { terms: terms.terms, remove: ['Keycloak'] }),
        ...files,
      },
    },
    responses: written('The terms after the change.'),
  }),
  removeTerms: detail({
    operationId: 'removeTerms',
    summary: 'Remove terms',
    tags,
    parameters: [ifMatch],
    responses: {
      200: ok('The remaining terms.'),
      404: response('TermNotFound'),
      412: response('PreconditionFailed'),
      422: response('InvalidPayload'),
    },
  }),
  listRules: detail({
    operationId: 'listRules',
    summary: 'List the rules learned from reviews',
    description:
      'Each rule with its evidence and the captions it has changed; rules that need a decision come first. Newly saved reviews are read before the response.',
    tags,
    responses: {
      200: {
        description: 'The rules.',
        content: json('LearnedRules', { automatic: true, rules: [rule] }),
      },
      422: response('InvalidPayload'),
    },
  }),
  settleRule: detail({
    operationId: 'settleRule',
    summary: 'Apply, dismiss, change or undo a rule',
    tags,
    requestBody: { required: true, content: json('RulePatch', { state: 'applied' }) },
    responses: {
      200: {
        description: 'The rule after the change.',
        content: json('LearnedRule', { ...rule, state: 'applied' }),
      },
      ...failures,
      404: response('RuleNotFound'),
      409: response('RuleNotApplicable'),
    },
  }),
  getLearning: detail({
    operationId: 'getLearning',
    summary: 'Check whether the workspace learns from reviews',
    tags,
    responses: {
      200: { description: 'The setting.', content: json('LearningSettings', { automatic: true }) },
    },
  }),
  setLearning: detail({
    operationId: 'setLearning',
    summary: 'Turn learning on or off',
    tags,
    requestBody: { required: true, content: json('LearningSettings', { automatic: false }) },
    responses: {
      200: {
        description: 'The setting.',
        content: json('LearningSettings', { automatic: false }),
      },
      ...failures,
    },
  }),
  proposeTerms: detail({
    operationId: 'proposeTerms',
    summary: 'Find names and terms in a text',
    description:
      'Finds names, acronyms and rare words in slides, an abstract, a list of speakers or a page. Nothing is stored.',
    tags,
    requestBody: {
      required: true,
      content: json('TermTextInput', { text: 'Ada Lovelace on AuthKit and SCIM' }),
    },
    responses: {
      200: {
        description: 'The names and terms found, the most likely first.',
        content: json('TermProposals', {
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
      },
      ...failures,
    },
  }),
});
