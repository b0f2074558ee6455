/** The tool for webhooks: one tool for all actions, to keep the list of tools short. */
import { closed, enumeration, open, Type, type Static } from '../../contract/schema.ts';
import { WebhookInput } from '../../contract/webhooks.ts';
import { invalidPayload } from '../problems.ts';
import {
  foundWebhook,
  registerWebhook,
  unknownWebhook,
  type WebhookServices,
} from '../workspace/webhooks.ts';
import type { Tool, ToolCall } from './tool.ts';

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
  principal: ToolCall['principal'],
) => Promise<[string, object]>;

/** A field that an action needs. @throws {Problem} 422 if it is missing */
function needed(input: Input, name: 'url' | 'webhookId' | 'deliveryId'): string {
  const value = input[name];
  if (value !== undefined) return value;
  const message = `is required to ${input.action}`;
  throw invalidPayload(`${name} ${message}.`, [{ path: name, message }]);
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

/** Throws a Problem: 404 for a webhook that is not the caller's, 409 beyond ten, 422. */
export const webhookTool = (services: WebhookServices): Tool<typeof Input> => ({
  name: 'webhooks',
  title: 'Get notified when runs end',
  description:
    'Lists, creates, enables or deletes webhooks (Standard Webhooks), shows their deliveries, or repeats one.',
  input: Input,
  output: open({}),
  scope: 'captioner:caption:run',
  hints: { readOnlyHint: false },
  async run(input, { principal }) {
    const [text, value] = await DO[input.action](services, input, principal);
    return { text: [text], value: { ...value } };
  },
});
