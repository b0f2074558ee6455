/**
 * `captioner webhooks list | add URL [EVENT …] | …`: manages the webhooks of a workspace on a
 * server.
 */
import { WEBHOOK_EVENTS } from '../server/contract/webhooks.ts';
import { runCommand, UsageError, type Given } from './command-line.ts';
import { requestsTo, serverAddress, serverKey } from './server-requests.ts';
import { webhookAction } from './webhook-actions.ts';

const OPTIONS = {
  server: {
    value: 'URL',
    says: 'The server; the key comes from CAPTIONER_API_KEY, or captioner login',
  },
  json: { says: "Print the server's response as JSON" },
};

async function webhooks({ options, words }: Given<typeof OPTIONS>): Promise<void> {
  const act = webhookAction(words);
  if (options.server === undefined) throw new UsageError('Name the server with --server.');
  const address = serverAddress(options.server);
  const { answer, lines } = await act(requestsTo(address, serverKey(address)));
  const printed = options.json === undefined ? lines : [JSON.stringify(answer)];
  for (const line of printed) console.log(line);
}

await runCommand(
  {
    name: 'webhooks',
    says: 'Webhooks of your workspace on a server: they are notified when a run ends or a review is saved.',
    uses: [
      { line: 'list --server URL', says: 'Lists all webhooks: id, state, address, events' },
      {
        line: 'add ADDRESS [EVENT …] --server URL',
        says: 'Registers a webhook, for all events if none is named, and prints its secret once',
      },
      { line: 'remove ID --server URL', says: 'Deletes a webhook and its deliveries' },
      { line: 'enable ID --server URL', says: 'Enables a disabled webhook' },
      { line: 'deliveries ID --server URL', says: 'Lists the latest deliveries, newest first' },
      {
        line: 'redeliver ID DELIVERY --server URL',
        says: 'Delivers an event again',
      },
    ],
    options: OPTIONS,
    notes: [`Events: ${WEBHOOK_EVENTS.join(', ')}`],
  },
  webhooks,
);
