/**
 * The service's routes in the test's own process: real identity, database and files, without a
 * listener or workers.
 */
import { afterAll } from 'bun:test';
import { createApp, type Answer, type AppServices } from '../../../server/app.ts';
import { readConfig } from '../../../server/config/config.ts';
import { openWorkPool } from '../../../server/http/tasks/tasks.ts';
import type { WorkPool } from '../../../server/http/work/pool.ts';
import { createEmbeddedIdentity } from '../../../server/identity/embedded.ts';
import type { Mail } from '../../../server/identity/mail.ts';
import { createHasher, readPepper } from '../../../server/identity/secrets.ts';
import { createLog } from '../../../server/base/log.ts';
import { providerSummaries } from '../../../server/pipeline/providers.ts';
import { startRunServices, type RunServices } from '../../../server/run-services.ts';
import { loadTermPacks } from '../../../server/terminology/packs/packs.ts';
import type { Any } from './client.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';
import { reverseUnordered } from './sqlite-database.ts';
import { termPackList } from '../../../server/terminology/packs/pack.ts';

export interface MountOptions {
  /** Further environment variables. */
  env?: Record<string, string>;
  /** Replacements for parts of the app. */
  parts?: Partial<AppServices>;
  /** Whether its threads end with the tests of the file, because the next file shares nothing with it; default: no. */
  ownPool?: boolean;
}

export interface MountedKey {
  key: string;
  organizationId: string;
}

export interface Mounted {
  dataDir: string;
  services: RunServices;
  /** The app itself. */
  answer: Answer;
  /** Sends a request, with `json` as its body by POST; paths are relative to http://localhost:3000. */
  ask(path: string, init?: RequestInit & { key?: string; json?: unknown }): Promise<Response>;
  /** Registers an address and claims its key. */
  signUp(email: string, scopes?: string[]): Promise<MountedKey>;
  /** The newest email to an address. */
  mailTo(email: string): string;
  /** The log, by line. */
  log(): Any[];
}

type Line = (line: string) => void;

/** The logs of the apps that are mounted. */
const logs = new Set<Line>();
let pool: WorkPool | null = null;
/** The threads of all apps of a process, because each loads the whole program; all logs have what they say. */
const sharedPool = (): WorkPool =>
  (pool ??= openWorkPool(createLog('debug', (line) => logs.forEach((write) => write(line)))));

/** Mounts the app; after the tests of the file it is closed and its folder deleted. */
export async function mountedApp({
  env = {},
  parts = {},
  ownPool = false,
}: MountOptions = {}): Promise<Mounted> {
  const dataDir = await temporaryFolder();
  const config = readConfig({ DATA_DIR: dataDir, ...env });
  const lines: string[] = [];
  const write: Line = (line) => void lines.push(line);
  const log = createLog('debug', write);
  // A web process executes no runs, so they stay as a test leaves them.
  const pool = ownPool ? openWorkPool(log) : sharedPool();
  if (!ownPool) logs.add(write);
  const services = await startRunServices({ ...config, role: 'web' }, log, undefined, pool.do);
  const hasher = createHasher(await readPepper(dataDir));
  const mails: Mail[] = [];
  const mailer = { deliver: async (mail: Mail) => void mails.push(mail), close: async () => {} };
  const { database } = services;
  if (env['DATABASE_URL'] === undefined) await reverseUnordered(database);
  const answer = createApp({
    ...config,
    ...services,
    pool,
    baseUrl: config.baseUrl || 'http://localhost:3000',
    baseUrlIsSet: config.baseUrl !== '',
    hasher,
    identity: createEmbeddedIdentity({
      ...config,
      teamEmailAllow: null,
      database,
      hasher,
      mailer,
      log,
    }),
    packs: termPackList(await loadTermPacks()),
    providers: providerSummaries(config),
    sendsMail: false,
    mailer,
    setIdleTimeout: () => {},
    clientAddress: () => '192.0.2.1',
    log,
    ...parts,
  });
  afterAll(async () => {
    if (ownPool) pool.close();
    logs.delete(write);
    await services.drain(0);
    await services.close();
    await removeFolder(dataDir);
  });

  const ask: Mounted['ask'] = async (path, { key, json, ...given } = {}) => {
    const init =
      json === undefined ? given : { method: 'POST', body: JSON.stringify(json), ...given };
    const request = new Request(new URL(path, 'http://localhost:3000'), init);
    if (json !== undefined && !new Headers(given.headers).has('content-type')) {
      request.headers.set('content-type', 'application/json');
    }
    if (key !== undefined) request.headers.set('authorization', `Bearer ${key}`);
    // What a test uploads is an MP3, unless it says otherwise.
    if (init.body instanceof Uint8Array && !request.headers.has('content-type')) {
      request.headers.set('content-type', 'audio/mpeg');
    }
    return answer(request);
  };
  return {
    dataDir,
    services,
    answer,
    ask,
    async signUp(email, scopes) {
      const started = await ask('/agent/auth', {
        json: {
          type: 'identity_assertion',
          assertion_type: 'verified_email',
          assertion: email,
          requested_credential_type: 'api_key',
          ...(scopes && { requested_scopes: scopes }),
        },
      });
      const { claim_token } = await started.json();
      const otp = /^\d{6}$/m.exec(mails.findLast(({ to }) => to === email)?.text ?? '')?.[0];
      const claimed = await ask('/agent/auth/claim/complete', { json: { claim_token, otp } });
      const { credential, organization_id } = await claimed.json();
      return { key: credential, organizationId: organization_id };
    },
    mailTo: (email) => mails.findLast(({ to }) => to === email)?.text ?? '',
    log: () => lines.map((line) => JSON.parse(line)),
  };
}

/** Sends a message to the MCP server in a revision before 2026-07-28; returns the answer to it. */
export async function sendMessage(
  app: Pick<Mounted, 'ask'>,
  { key }: { key: string },
  method: string,
  params: object,
): Promise<Any> {
  const answer = await app.ask('/mcp', {
    key,
    headers: { accept: 'application/json, text/event-stream' },
    json: { jsonrpc: '2.0', id: 1, method, params },
  });
  const text = await answer.text();
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text);
}

/** Calls a tool of the MCP server; returns its text, its value and whether it refused. */
export async function callTool(
  app: Pick<Mounted, 'ask'>,
  who: { key: string },
  name: string,
  input: object,
): Promise<Any> {
  const { result } = await sendMessage(app, who, 'tools/call', { name, arguments: input });
  return { ...result, words: result.content.map((part: Any) => part.text).join('\n') };
}
