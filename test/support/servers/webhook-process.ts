/**
 * A process for webhook tests. `post URL` sends one delivery and prints its outcome; `end DATABASE
 * ORGANISATION` ends a run and kills itself before anything is delivered; `deliver DATABASE`
 * delivers to 127.0.0.1 everything that is due. Runs on Bun and Deno.
 */
import process from 'node:process';
import { createLog } from '../../../server/base/log.ts';
import { createRunStore } from '../../../server/runs/store/run-store.ts';
import { openDatabase } from '../../../server/storage/database.ts';
import { createDeliverer, post } from '../../../server/webhooks/deliverer.ts';
import * as examples from '../../../server/http/openapi/examples.ts';

const [what, where = '', organizationId = ''] = process.argv.slice(2);

if (what === 'post') {
  const url = new URL(where);
  const outcome = await post({
    url,
    address: '127.0.0.1',
    headers: {},
    body: '{}',
    timeoutMs: 20_000,
  }).catch((error: Error) => error.message);
  console.log(String(outcome));
} else {
  const database = openDatabase(where);
  if (what === 'end') {
    const store = createRunStore(database);
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key: 'a.mp3' } };
    await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
    const reached = { stage: null, progress: 1 };
    await store.finish(id, 'completed', { ...examples.completedResult, id }, reached);
    process.kill(process.pid, 'SIGKILL');
  }
  const log = createLog('silent');
  const disabled = async () => {};
  await createDeliverer({ database, allowed: ['127.0.0.1'], log, disabled }).tick();
}
process.exit();
