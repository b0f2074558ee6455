/** The worker thread itself, started by its process: what it reports of the calls of its runs. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { startRunServices } from '../../server/runs/run-services.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { chunks } from '../storage/audio-store.suite.ts';

setDefaultTimeout(300_000);

const deepgram = await startHttpDouble(() => new Response(null, { status: 401 }));
const dataDir = await temporaryFolder();
const config = readConfig({
  DATA_DIR: dataDir,
  DEEPGRAM_API_KEY: DEEPGRAM_KEY,
  DEEPGRAM_BASE_URL: deepgram.origin,
  LOG_LEVEL: 'silent',
});
const services = await startRunServices(config, createLog('silent'));
afterAll(async () => {
  await services.drain(0);
  await services.close();
  await deepgram.close();
  await removeFolder(dataDir);
});

test('the errors of providers in a thread are counted by its process', async () => {
  await services.audio.put('org', 'talk.mp3', chunks(chirp));
  const runId = await services.runs.submit({
    organizationId: 'org',
    keyId: 'key',
    payload: { audio: { key: 'talk.mp3' }, transcription: { provider: 'deepgram' } },
  });
  await services.runs.wait(runId, new AbortController().signal);
  const metrics = await services.metrics.expose();
  expect(metrics).toContain(
    'captioner_provider_errors_total{provider="deepgram",code="provider_unauthorized"} 1',
  );
});
