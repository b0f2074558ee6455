/**
 * The whole workflow on one machine: starts the service, registers, claims the key with the emailed
 * code, uploads the sample, runs the workflow, prints the captions. All over HTTP, like any client.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realTime } from '../server/base/concurrency.ts';
import { readConfig } from '../server/config/config.ts';
import { scoreAndConfidence } from '../server/contract/confidence.ts';
import { hearingSentences, warningsInWords } from '../server/contract/hearing.ts';
import { offerInWords, openOffersOf } from '../server/terminology/decide/offers.ts';
import { resolvePayload } from '../server/contract/payload.ts';
import type { CaptionerResult } from '../server/contract/results.ts';
import type { PartialTranscript, WorkflowRun } from '../server/contract/runs.ts';
import type { Static } from '../server/contract/schema.ts';
import { createLog } from '../server/base/log.ts';
import { startServer } from '../server/main.ts';
import { CommandFailure, type GivenWords, runCommand, UsageError } from './command-line.ts';
import { prepareSpeech } from './speech-engine.ts';
import { progressLine, say, STAGE_LABELS } from './terminal.ts';

const SAMPLE = fileURLToPath(new URL('../sample/agent-registration.mp3', import.meta.url));
const EMAIL = 'demo@example.com';
/** The interval at which the state of the run is polled. */
const LOOK_EVERY_MS = 150;

/**
 * Captions the sample on a service, with a new key.
 * @param dataDir the folder of the service, with its outbox
 * @throws {CommandFailure} if the service refuses a request
 */
async function captionSample(url: string, dataDir: string): Promise<CaptionerResult> {
  const key = await register(url, dataDir);
  await upload(url, key);
  return run(url, key);
}

/** Registers and claims a key, with the code from the email in the service's outbox. */
async function register(url: string, dataDir: string): Promise<string> {
  const started = await json<{ claim_token: string }>(`${url}/agent/auth`, {
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: EMAIL,
    requested_credential_type: 'api_key',
  });
  const outbox = join(dataDir, 'outbox');
  const [mail] = await readdir(outbox);
  if (!mail) throw new CommandFailure(`No email was written to ${outbox}.`);
  const code = /^\s*(\d{6})\s*$/m.exec(await readFile(join(outbox, mail), 'utf8'))?.[1];
  const claimed = await json<{ credential: string }>(`${url}/agent/auth/claim/complete`, {
    claim_token: started.claim_token,
    otp: code,
  });
  say(`Registered ${EMAIL} and claimed a key with the code from the email`);
  return claimed.credential;
}

async function upload(url: string, key: string): Promise<void> {
  const response = await fetch(`${url}/audio/demo/agent-registration.mp3`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'audio/mpeg' },
    body: await readFile(SAMPLE),
  });
  const receipt = await answer<{ size: number }>(response);
  say(`Uploaded the sample, ${receipt.size} bytes`);
}

/** Starts the run and follows it to its end. */
async function run(url: string, key: string): Promise<CaptionerResult> {
  const { runId } = await json<{ runId: string }>(
    `${url}/workflows/captioner`,
    {
      audio: { key: 'demo/agent-registration.mp3' },
      topic: 'MCP Night: agent registration with AuthKit',
    },
    key,
  );
  const line = progressLine();
  let heardUntil = 0;
  for (;;) {
    const response = await fetch(`${url}/workflows/captioner/${runId}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const status = await answer<WorkflowRun>(response);
    line.show(STAGE_LABELS[status.stage ?? ''] ?? 'Queued', status.progress);
    if (status.envelope) {
      line.end();
      return status.envelope.result;
    }
    const heard = await answer<Static<typeof PartialTranscript>>(
      await fetch(`${url}/workflows/captioner/${runId}/partial-transcript?after=${heardUntil}`, {
        headers: { authorization: `Bearer ${key}` },
      }),
    );
    heardUntil = heard.position;
    for (const { text } of heard.parts) line.words(text);
    await realTime.pause(LOOK_EVERY_MS);
  }
}

/** Prints the captions, their score, their corrections and how they were made; or why there are none. */
function report(result: CaptionerResult, print: (text: string) => void): void {
  if (result.status !== 'completed') {
    say(JSON.stringify(result.status === 'failed' ? result.error : result.metadata, null, 2));
    return;
  }
  const { summary, score } = result.quality.captions;
  print(`\n${result.captions.srt}\n`);
  const { metadata, words } = result.transcript;
  say(scoreAndConfidence(score, metadata, words.length));
  const heard = hearingSentences(metadata);
  const { observations } = result.metadata.terminology;
  say(
    `${summary.cueCount} cues, ${warningsInWords(summary.warningCount, heard)}, ` +
      `longest line ${summary.maxLineLength} characters, ` +
      `fastest ${summary.maxCharsPerSecond.toFixed(1)} characters a second`,
  );
  for (const sentence of heard) say(sentence);
  const terms = observations.filter((seen) => seen.source === 'audit_accepted');
  for (const { surface, canonical } of terms) say(`Corrected: ${surface} → ${canonical ?? ''}`);
  for (const offer of openOffersOf(result.audit.corrections)) say(`Perhaps ${offerInWords(offer)}`);
  const { engine, model } = metadata as { engine?: string; model?: string };
  say(`Transcribed by ${model ?? 'edge'}${engine ? ` (${engine})` : ''}`);
}

async function json<T>(url: string, body: unknown, key?: string): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: JSON.stringify(body),
  });
  return answer<T>(response);
}

async function answer<T>(response: Response): Promise<T> {
  if (!response.ok) {
    throw new CommandFailure(`${response.status} from ${response.url}: ${await response.text()}`);
  }
  return (await response.json()) as T;
}

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
