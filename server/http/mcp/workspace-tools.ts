/** The tools for what a workspace keeps: its terms, the rules it has learned, and its webhooks. */
import { closed, enumeration, open, Type, type Static } from '../../contract/schema.ts';
import { WebhookInput } from '../../contract/webhooks.ts';
import {
  foundWebhook,
  registerWebhook,
  unknownWebhook,
  type WebhookServices,
} from '../workspace/webhooks.ts';
import { type Caller, type Tool, countAnswer } from './tool.ts';
import {
  TermProposals,
  TermTextInput,
  WorkspaceTerms,
  WorkspaceTermsPatch,
  LearnedRule,
  LearnedRules,
  RULE_STATES,
  RulePatch,
} from '../../contract/workspace-terms.ts';
import type { VersionedText } from '../../learning/terminology-store.ts';
import {
  type TermServices,
  changeTerms,
  proposalsFor,
  termsText,
} from '../workspace/term-requests.ts';
import type { RuleBook } from '../workspace/rule-requests.ts';
import { TermPackList } from '../../contract/terminology.ts';
import { HANDOUT_ENDINGS } from '../../handouts/endings.ts';
import { inlineFile } from './inline-file.ts';
import { Problem } from '../problems.ts';

const ACTIONS = ['list', 'create', 'delete', 'enable', 'deliveries', 'redeliver'] as const;

const Input = closed({
  action: enumeration(ACTIONS),
  url: Type.Optional(Type.String({ maxLength: 2000, description: 'to create: https, public' })),
  events: WebhookInput.properties.events,
  webhookId: Type.Optional(Type.String({ description: 'except to list and create' })),
  deliveryId: Type.Optional(Type.String({ description: 'to redeliver' })),
});
type Input = Static<typeof Input>;

type Act = (
  services: WebhookServices,
  input: Input,
  principal: Caller['principal'],
) => Promise<[string, object]>;

/** A field that an action needs. @throws {Problem} 422 if it is missing */
function needed(input: Input, name: 'url' | 'webhookId' | 'deliveryId'): string {
  const value = input[name];
  if (value !== undefined) return value;
  const message = `is required to ${input.action}`;
  throw Problem.invalidPayload(`${name} ${message}.`, [{ path: name, message }]);
}

const DO: Record<(typeof ACTIONS)[number], Act> = {
  async list({ webhooks }, _input, { organizationId }) {
    const list = await webhooks.list(organizationId);
    const lines = list.map(
      ({ id, url, enabled }) => `${id}: ${url}${enabled ? '' : ' (disabled)'}`,
    );
    return [lines.join('\n') || 'There are no webhooks.', { webhooks: list }];
  },
  async create(services, input, principal) {
    const events = input.events && { events: input.events };
    const made = await registerWebhook(services, principal, {
      url: needed(input, 'url'),
      ...events,
    });
    const text = `${made.id} will receive ${made.events.join(', ')}. Its secret is shown only now: store it where deliveries are checked.`;
    return [text, { webhook: made }];
  },
  async delete({ webhooks }, input, { organizationId }) {
    const id = needed(input, 'webhookId');
    if (!(await webhooks.delete(organizationId, id))) throw unknownWebhook();
    return [`${id} is deleted.`, {}];
  },
  async enable({ webhooks }, input, { organizationId }) {
    const id = needed(input, 'webhookId');
    const webhook = foundWebhook(await webhooks.enable(organizationId, id));
    return [`${id} is enabled.`, { webhook }];
  },
  async deliveries({ webhooks }, input, { organizationId }) {
    const id = needed(input, 'webhookId');
    const deliveries = foundWebhook(await webhooks.deliveries(organizationId, id));
    const lines = deliveries.map(
      (one) => `${one.id}: ${one.event} of ${one.runId}, ${one.state}, ${one.lastError ?? ''}`,
    );
    return [lines.join('\n') || 'There are no deliveries.', { deliveries }];
  },
  async redeliver({ webhooks }, input, { organizationId }) {
    const id = needed(input, 'webhookId');
    const delivery = needed(input, 'deliveryId');
    const queued = foundWebhook(await webhooks.redeliver(organizationId, id, delivery));
    return [`${delivery} is queued again.`, { delivery: queued }];
  },
};

const OPERATIONS: Record<(typeof ACTIONS)[number], string> = {
  list: 'GET /webhooks',
  create: 'POST /webhooks',
  delete: 'DELETE /webhooks/{webhookId}',
  enable: 'POST /webhooks/{webhookId}/enable',
  deliveries: 'GET /webhooks/{webhookId}/deliveries',
  redeliver: 'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
};

/** Throws a Problem: 404 for a webhook that is not the caller's, 409 beyond ten, 422. */
export const webhookTool = (services: WebhookServices): Tool<typeof Input> => ({
  name: 'webhooks',
  title: 'Get notified when runs end',
  description:
    'Lists, creates, enables or deletes webhooks (Standard Webhooks), shows their deliveries, or repeats one.',
  input: Input,
  output: open({}),
  scope: 'captioner:caption:run',
  operation: ({ action }) => OPERATIONS[action],
  hints: { readOnlyHint: false },
  async run(input, { principal }) {
    const [text, value] = await DO[input.action](services, input, principal);
    return { text: [text], value: { ...value } };
  },
});

const Nothing = closed({});

/** The terms in the contract's format. @throws {Problem} 413 if they are too long for a tool */
const termsOf = async (
  { pool }: TermServices,
  workspace: string,
  found: VersionedText,
  call: Caller,
): Promise<WorkspaceTerms> => {
  const text = await termsText(pool, workspace, found, 'json');
  countAnswer(text.length, '/terminology/terms', call);
  return JSON.parse(text);
};

const listTermsTool = (services: TermServices): Tool<typeof Nothing> => ({
  name: 'list_terms',
  title: 'List the terms of the workspace',
  description:
    'The names and terms that every run of this workspace uses, with their mishears and origins.',
  input: Nothing,
  output: WorkspaceTerms,
  scope: 'captioner:terminology:read',
  hints: { readOnlyHint: true },
  async run(_input, call) {
    const { organizationId } = call.principal;
    const stored = await services.terminology.read(organizationId);
    const found = await termsOf(services, organizationId, stored, call);
    const lines = found.terms.map(
      ({ canonical, mishears = [] }) =>
        `${canonical}${mishears.length > 0 ? ` (misheard as ${mishears.join(', ')})` : ''}`,
    );
    return { text: [lines.join('\n') || 'The workspace has no terms.'], value: { ...found } };
  },
});

/** The tool that changes terms. Throws a Problem: 422 for invalid terms. */
const changeTermsTool = (services: TermServices): Tool<typeof WorkspaceTermsPatch> => ({
  name: 'change_terms',
  title: 'Add, replace or remove terms of the workspace',
  description:
    'Adds terms (replacing those with the same canonical form) and removes others. Every later run uses them.',
  input: WorkspaceTermsPatch,
  output: WorkspaceTerms,
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false, idempotentHint: true },
  async run(input, call) {
    const { organizationId } = call.principal;
    const change = { how: 'patch', sent: { value: input }, at: new Date().toISOString() } as const;
    const changed = await changeTerms(services, organizationId, change, null);
    const found = await termsOf(services, organizationId, changed, call);
    return { text: [`The workspace has ${found.terms.length} terms.`], value: { ...found } };
  },
});

const Handout = closed({
  text: Type.Optional(TermTextInput.properties.text),
  file: Type.Optional(Type.String({ description: `or base64 of ${HANDOUT_ENDINGS.join(', ')}` })),
  filename: Type.Optional(Type.String({ maxLength: 255 })),
});

/** The tool that finds terms. Throws a Problem: 413, 415 or 422 for a file that cannot be read. */
const proposeTermsTool = (services: TermServices): Tool<typeof Handout> => ({
  name: 'propose_terms',
  title: 'Find names and terms in a text or a file',
  description:
    'Finds names, acronyms and rare words in slides, a programme or a page, for a glossary or change_terms.',
  input: Handout,
  output: TermProposals,
  scope: 'captioner:terminology:read',
  hints: { readOnlyHint: true },
  async run({ text, file, filename = '' }, { principal }) {
    const handout =
      file === undefined
        ? { text: text ?? '' }
        : { bytes: inlineFile(file, 'file', LARGER), hint: filename };
    if ((text === undefined) === (file === undefined)) throw oneOfThem();
    const found = await proposalsFor(services, principal.organizationId, handout);
    const words = found.proposals.map(({ term }) => term).join(', ');
    return { text: [words || 'No names or terms were found.'], value: { ...found } };
  },
});

/** What to do with a file that is too large for a message. */
const LARGER = 'send it over HTTP, to POST /terminology/proposals';

const oneOfThem = (): Problem =>
  Problem.invalidPayload('Pass text or file, not both.', [
    { path: 'text', message: 'or file is needed, not both' },
  ]);

/** The tools for terms. */
export const termTools = (services: TermServices) => [
  listTermsTool(services),
  changeTermsTool(services),
  proposeTermsTool(services),
];

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
  title: 'Decide on a learned rule',
  description:
    'state: applied accepts a proposed rule, dismissed rejects it, undone undoes an applied one.',
  input: DecisionInput,
  output: open({ id: LearnedRule.properties.id, state: LearnedRule.properties.state }),
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  async run({ ruleId, ...patch }, { principal }) {
    const rule = await book.decide(principal.organizationId, ruleId, patch);
    return { text: [`${rule.evidence.text}: ${rule.state}.`], value: { ...rule } };
  },
});

/** The tools for learned rules. */
export const learningTools = (book: RuleBook) => [listRulesTool(book), settleRuleTool(book)];

/** Creates the tool. */
export function packTool(packs: TermPackList): Tool<typeof Nothing> {
  const lines = packs.packs.map(
    ({ id, title, description, termCount }) =>
      `${id}: ${title}, ${termCount} terms${description ? `. ${description}` : ''}`,
  );
  return {
    name: 'list_packs',
    title: 'List the terminology packs',
    description:
      'Packs of names and terms used to correct captions, selected by topic and glossary, or named in terminology.packs of caption_audio.',
    input: Nothing,
    output: TermPackList,
    scope: null,
    hints: { readOnlyHint: true },
    run: async () => ({ text: [lines.join('\n')], value: { ...packs } }),
  };
}
