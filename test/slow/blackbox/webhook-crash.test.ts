/**
 * Webhooks when a process is killed, on each database: no event is lost, and an interrupted
 * delivery is repeated.
 */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLog } from '../../../server/base/log.ts';
import { createDeliverer } from '../../../server/webhooks/deliverer.ts';
import { createWebhookStore } from '../../../server/webhooks/webhook-store.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { onEachDatabase } from '../../support/servers/databases.ts';

setDefaultTimeout(300_000);

const script = fileURLToPath(new URL('../../support/servers/webhook-process.ts', import.meta.url));
const start = (...args: string[]) =>
  spawn(process.execPath, [script, ...args], { stdio: 'ignore' });
let answers = async (): Promise<Response> => new Response(null, { status: 204 });
let asked = Promise.withResolvers<void>();
const receiver = await startHttpDouble(() => {
  asked.resolve();
  return answers();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.requests.length = 0;
  answers = async () => new Response(null, { status: 204 });
  asked = Promise.withResolvers<void>();
});

await onEachDatabase((title, database, url) => {
  describe(title, () => {
    const store = createWebhookStore(database);
    const deliver = (now: number, timeoutMs?: number) =>
      createDeliverer({
        database,
        allowed: ['127.0.0.1'],
        log: createLog('silent'),
        disabled: async () => {},
        now: () => now,
        ...(timeoutMs !== undefined && { timeoutMs }),
      }).tick();
    const endpoint = async (organizationId: string, path = '/hook') => {
      const made = await store.create(organizationId, 'k', { url: `${receiver.origin}${path}` });
      return async () => (await store.deliveries(organizationId, made!.id)) ?? [];
    };
    /** Ends a run in a process that is killed immediately after storing the end. */
    const killedAfterEnd = async (organizationId: string): Promise<void> => {
      const [, signal] = await once(start('end', url, organizationId), 'exit');
      expect(signal).toBe('SIGKILL');
    };

    test('an event survives a process that is killed before delivering it', async () => {
      const deliveries = await endpoint('killed');
      await killedAfterEnd('killed');
      expect(receiver.requests).toHaveLength(0);
      expect(await deliveries()).toMatchObject([{ event: 'run.completed', state: 'pending' }]);
      await deliver(Date.now() + 1000);
      expect(receiver.requests).toHaveLength(1);
      expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    });

    test('a delivery interrupted by a kill is repeated with the same id', async () => {
      const deliveries = await endpoint('cut');
      await killedAfterEnd('cut');
      const hanging = Promise.withResolvers<Response>();
      answers = () => hanging.promise;
      const process = start('deliver', url);
      await asked.promise;
      process.kill('SIGKILL');
      await once(process, 'exit');
      hanging.resolve(new Response(null, { status: 204 }));
      answers = async () => new Response(null, { status: 204 });
      // Its lease blocks others for a minute.
      await deliver(Date.now() + 2000);
      expect(receiver.requests).toHaveLength(1);
      await deliver(Date.now() + 70_000);
      const ids = receiver.requests.map((request) => request.header('webhook-id'));
      expect(ids).toEqual([ids[0]!, ids[0]!]);
      expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    });
  });
});
