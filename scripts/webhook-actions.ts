/** The actions of `captioner webhooks`: a request to the server for each, and what is printed of its answer. */
import type { NewWebhook, Webhook, WebhookDelivery } from '../server/contract/webhooks.ts';
import { WEBHOOK_EVENTS } from '../server/contract/webhooks.ts';
import { UsageError } from './command-line.ts';
import type { Requests } from './server-requests.ts';
import { say } from './terminal.ts';

/** The output of a command: the JSON answer, and the same as tab-separated lines. */
interface Outcome {
  answer: unknown;
  lines: string[];
}

interface Action {
  /** The minimum and maximum number of arguments. */
  words: [number, number];
  act(requests: Requests, words: string[]): Promise<Outcome>;
}

const path = (...parts: string[]): string =>
  ['/webhooks', ...parts.map((part) => encodeURIComponent(part))].join('/');

const read = async <T>(response: Promise<Response>): Promise<T> => (await response).json();

const lineOf = ({ id, url, events, enabled, failingSince }: Webhook): string => {
  const state = !enabled ? 'disabled' : failingSince ? `failing since ${failingSince}` : 'enabled';
  return [id, state, url, events.join(' ')].join('\t');
};

const deliveryLine = (delivery: WebhookDelivery): string => {
  const { id, state, event, runId, attempts, createdAt, lastStatus, lastError } = delivery;
  const last = lastError ?? (lastStatus === null ? '' : String(lastStatus));
  return [id, state, event, runId, createdAt, `${attempts} attempts`, last].join('\t');
};

const ACTIONS: Record<string, Action> = {
  list: {
    words: [0, 0],
    async act({ send }) {
      const answer = await read<{ webhooks: Webhook[] }>(send('GET', path()));
      return { answer, lines: answer.webhooks.map(lineOf) };
    },
  },
  add: {
    words: [1, 1 + WEBHOOK_EVENTS.length],
    async act({ once, refusal }, [url, ...events]) {
      const body = JSON.stringify({ url, ...(events.length > 0 && { events }) });
      const headers = { 'content-type': 'application/json' };
      // Sent only once: a repetition would create a second webhook.
      const response = await once('POST', path(), { headers, body });
      if (!response?.ok) throw await refusal(response);
      const made = (await response.json()) as NewWebhook;
      say(`Webhook ${made.id}. The secret that signs its deliveries is shown only once:`);
      return { answer: made, lines: [made.secret] };
    },
  },
  remove: {
    words: [1, 1],
    async act({ send }, [id = '']) {
      await send('DELETE', path(id));
      say(`${id} is deleted, with its deliveries.`);
      return { answer: { id, deleted: true }, lines: [] };
    },
  },
  enable: {
    words: [1, 1],
    async act({ send }, [id = '']) {
      const answer = await read<Webhook>(send('POST', path(id, 'enable')));
      return { answer, lines: [lineOf(answer)] };
    },
  },
  deliveries: {
    words: [1, 1],
    async act({ send }, [id = '']) {
      const list = send('GET', path(id, 'deliveries'));
      const answer = await read<{ deliveries: WebhookDelivery[] }>(list);
      return { answer, lines: answer.deliveries.map(deliveryLine) };
    },
  },
  redeliver: {
    words: [2, 2],
    async act({ send }, [id = '', delivery = '']) {
      const queued = send('POST', path(id, 'deliveries', delivery, 'redeliver'));
      const answer = await read<WebhookDelivery>(queued);
      return { answer, lines: [deliveryLine(answer)] };
    },
  },
};

/**
 * The action that a command line names.
 * @param words its name and its arguments
 * @returns a function that sends the requests, and resolves to the output
 * @throws {UsageError} for an unknown action, and for too few or too many arguments
 */
export function webhookAction(words: readonly string[]): (requests: Requests) => Promise<Outcome> {
  const [name = '', ...rest] = words;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) throw new UsageError(`Choose a command: ${Object.keys(ACTIONS).join(', ')}.`);
  const [least, most] = action.words;
  if (rest.length < least || rest.length > most) {
    const range = least === most ? String(least) : `${least} to ${most}`;
    throw new UsageError(`${name} takes ${range} argument${most === 1 ? '' : 's'}.`);
  }
  return (requests) => action.act(requests, rest);
}
