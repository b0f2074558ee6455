/**
 * The whole workflow on one machine: starts the service, registers, claims the key with the emailed
 * code, uploads the sample, runs the workflow, prints the captions. All over HTTP, like any client.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../server/config.ts';
import { scoreAndConfidence } from '../server/contract/confidence.ts';
import { resolvePayload } from '../server/contract/payload.ts';
import type { CaptionerResult } from '../server/contract/results.ts';
import type { PartialTranscript, WorkflowRun } from '../server/contract/runs.ts';
import { createLog } from '../server/log.ts';
import { startServer } from '../server/main.ts';
import { prepareSpeech } from './speech-engine.ts';
import { CommandFailure, runCommand, UsageError, type GivenWords } from './command-line.ts';
import { progressLine, say, STAGE_LABELS } from './terminal.ts';

const SAMPLE = fileURLToPath(new URL('../sample/agent-registration.mp3', import.meta.url));
const EMAIL = 'demo@example.com';

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
    const key = await register(server.url, dataDir);
    await upload(server.url, key);
    const result = await run(server.url, key);
    print(result);
    process.exitCode = result.status === 'completed' ? 0 : 1;
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
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
    const heard = await answer<PartialTranscript>(
      await fetch(`${url}/workflows/captioner/${runId}/partial-transcript?after=${heardUntil}`, {
        headers: { authorization: `Bearer ${key}` },
      }),
    );
    heardUntil = heard.position;
    for (const { text } of heard.parts) line.words(text);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

function print(result: CaptionerResult): void {
  if (result.status !== 'completed') {
    say(JSON.stringify(result.status === 'failed' ? result.error : result.metadata, null, 2));
    return;
  }
  const { summary, score } = result.quality.captions;
  process.stdout.write(`\n${result.captions.srt}\n`);
  const { metadata, words } = result.transcript;
  say(scoreAndConfidence(score, metadata, words.length));
  const { observations } = result.metadata.terminology;
  say(
    `${summary.cueCount} cues, ${summary.warningCount} warnings, ` +
      `longest line ${summary.maxLineLength} characters, ` +
      `fastest ${summary.maxCharsPerSecond.toFixed(1)} characters a second`,
  );
  const terms = observations.filter((seen) => seen.source === 'audit_accepted');
  for (const { surface, canonical } of terms) say(`Corrected: ${surface} → ${canonical ?? ''}`);
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

await runCommand(
  {
    name: 'demo',
    says: 'Runs the whole workflow once: starts the service, registers, uploads a sample, prints its captions.',
    uses: [{ line: '', says: 'Keeps nothing afterwards except the speech model' }],
    options: {},
  },
  demo,
);
