/**
 * The whole workflow on one machine: starts the service, registers, claims the key with the emailed
 * code, uploads the sample, runs the workflow, prints the captions. All over HTTP, like any client.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../server/config.ts';
import { resolvePayload } from '../server/contract/payload.ts';
import { createLog } from '../server/log.ts';
import { startServer } from '../server/main.ts';
import { prepareSpeech } from './speech-engine.ts';
import { runCommand, UsageError, type GivenWords } from './command-line.ts';
import { captionSample, report } from './demo-client.ts';
import { say } from './terminal.ts';

async function demo({ words }: GivenWords): Promise<void> {
  if (words.length > 0) throw new UsageError(`The demo has no argument ${words[0]}.`);
  const settings = readConfig();
  // The sample is English.
  await prepareSpeech(settings, resolvePayload({ audio: { key: 'demo.mp3' } }));
  const dataDir = await mkdtemp(join(tmpdir(), 'captioner-demo-'));
  const config = readConfig({
    ...process.env,
    DATA_DIR: dataDir,
    MODELS_DIR: settings.speech.modelsDir,
    DATABASE_URL: '',
    AUDIO_STORE_URL: '',
    SMTP_URL: '',
    IDENTITY: 'embedded',
    HOST: '127.0.0.1',
    PORT: '0',
    BASE_URL: '',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  });
  // The demo is the only client of this server; an audit log would only clutter its output.
  const server = await startServer(config, { ...createLog(config.logLevel), audit: () => {} });
  say(`Started on ${server.url}`);
  try {
    const result = await captionSample(server.url, dataDir);
    report(result, (text) => process.stdout.write(text));
    process.exitCode = result.status === 'completed' ? 0 : 1;
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await runCommand(
  {
    name: 'demo',
    says: 'Runs the whole workflow once: starts the service, registers, uploads a sample, prints its captions.',
    uses: [{ line: '', says: 'Leaves nothing behind except the speech model' }],
    options: {},
  },
  demo,
);
