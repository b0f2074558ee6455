/** Start and stop: config → services → app → listen. The one file that knows Bun from Deno. */
import { rm } from 'node:fs/promises';
import { createApp, type Answer } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';
import { clientAddress, type PeerAddress } from './http/client-address.ts';
import { createIdentity } from './identity/identity.ts';
import { createMailer } from './identity/mail.ts';
import { createHasher, readPepper } from './identity/secrets.ts';
import type { ProviderSummary } from './contract/providers.ts';
import { createLog, type Log } from './log.ts';
import { providerSummaries } from './pipeline/providers.ts';
import { openEngine, prepareEngineFile } from './runs/openworkflow-engine.ts';
import { engineFile, temporaryFolder } from './runs/files.ts';
import { createRunStore } from './runs/run-store.ts';
import { createRuns } from './runs/service.ts';
import { startWorkerThreads } from './runs/worker-threads.ts';
import { DataFolderBusy, lockDataFolder } from './storage/data-folder.ts';
import { openDatabase } from './storage/database.ts';
import { createDiskAudioStore } from './storage/disk-audio.ts';
import { loadTermPacks } from './terminology/installed.ts';
import { TermPackError, termPackList } from './terminology/packs.ts';

/** Runs under way have this long to finish when the process is asked to stop. */
const GRACE_MS = 10_000;

export interface RunningServer {
  /** Where it answers, without a trailing slash. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the service and waits until it answers.
 * @throws {DataFolderBusy} another server runs on the same data folder
 * @throws {Error} a pack that cannot be read, a port that is taken
 */
export async function startServer(
  config: Config,
  log: Log = createLog(config.logLevel),
): Promise<RunningServer> {
  const unlock = lockDataFolder(config.dataDir);
  try {
    return await start(config, log, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function start(config: Config, log: Log, unlock: () => void): Promise<RunningServer> {
  const packs = termPackList(await loadTermPacks());
  const providers = providerSummaries(config);
  const database = await openDatabase(config.databaseUrl, { migrate: true });
  const audio = createDiskAudioStore(config.audioDir);
  await audio.sweep();
  await rm(temporaryFolder(config), { recursive: true, force: true });
  await prepareEngineFile(engineFile(config));
  const engine = openEngine(engineFile(config));
  const threads = await startWorkerThreads(config, log);
  const runs = createRuns({ store: createRunStore(database), engine, threads });

  const listener = listenOrExplain(config);
  const baseUrl = config.baseUrl || `http://localhost:${listener.port}`;
  const mailer = createMailer({ ...config, log });
  const hasher = createHasher(await readPepper(config.dataDir));
  const identity = await createIdentity(config, { database, hasher, mailer, log });
  const answer = createApp({
    ...config,
    baseUrl,
    identity,
    hasher,
    audio,
    runs,
    packs,
    providers,
    log,
    clientAddress: clientAddress(listener.peer, config.trustProxy),
    health: {
      async database() {
        await database.selectFrom('runs').select('id').limit(1).execute();
      },
      audioStore: () => audio.check(),
    },
  });
  listener.answer(answer);
  const recovered = await runs.recover();
  log.info('listening', {
    url: baseUrl,
    port: listener.port,
    recovered,
    identity: config.workos ? 'workos' : 'embedded',
    providers: providers.filter(({ configured }) => configured).map(told),
  });

  return {
    url: `http://${localHost(config.host)}:${listener.port}`,
    async stop() {
      await listener.close();
      await Promise.all([mailer.close(GRACE_MS), threads.stop(GRACE_MS)]);
      await engine.stop(0);
      await database.destroy();
      unlock();
    },
  };
}

/** A provider in a log line. */
const told = ({ stage, name, model }: ProviderSummary): string => `${stage} ${name} ${model}`;

const localHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;

interface Listener {
  port: number;
  peer: PeerAddress;
  /** Sets who answers; until then every request waits. */
  answer(app: Answer): void;
  /** Takes no new connection and ends those that are open. */
  close(): Promise<void>;
}

function listenOrExplain(config: Config): Listener {
  try {
    return listen(config);
  } catch (error) {
    throw new ConfigError(
      `Port ${config.port} of ${config.host} cannot be used. Set PORT or HOST.`,
      {
        cause: error,
      },
    );
  }
}

function listen({ port, host }: Config): Listener {
  const ready = Promise.withResolvers<Answer>();
  let answer: Answer = async (request) => (await ready.promise)(request);
  const served: Answer = (request) => answer(request);
  const listener =
    typeof Bun === 'undefined' ? onDeno(port, host, served) : onBun(port, host, served);
  return {
    ...listener,
    answer(app) {
      answer = app;
      ready.resolve(app);
    },
  };
}

function onBun(port: number, hostname: string, answer: Answer): Omit<Listener, 'answer'> {
  const server = Bun.serve({
    port,
    hostname,
    fetch: answer,
    // Bun's own cap answers an empty 413; ours counts the bytes and says why.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    idleTimeout: 60,
  });
  return {
    port: server.port ?? port,
    peer: (request) => server.requestIP(request)?.address ?? null,
    close: () => server.stop(true),
  };
}

interface DenoServe {
  serve(
    options: { port: number; hostname: string; onListen(): void },
    fetch: (request: Request, info: { remoteAddr: { hostname?: string } }) => ReturnType<Answer>,
  ): { addr: { port: number }; shutdown(): Promise<void> };
}

function onDeno(port: number, hostname: string, answer: Answer): Omit<Listener, 'answer'> {
  const { Deno } = globalThis as unknown as { Deno: DenoServe };
  const peers = new WeakMap<Request, string>();
  const server = Deno.serve({ port, hostname, onListen: () => {} }, (request, info) => {
    const { hostname: address } = info.remoteAddr;
    if (address) peers.set(request, address);
    return answer(request);
  });
  return {
    port: server.addr.port,
    peer: (request) => peers.get(request) ?? null,
    close: () => server.shutdown(),
  };
}

/** The program: serves until it is told to stop. */
async function main(): Promise<void> {
  const config = readConfig();
  const server = await startServer(config);
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    server.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    const known =
      error instanceof ConfigError ||
      error instanceof DataFolderBusy ||
      error instanceof TermPackError;
    process.stderr.write(
      `${known ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
    );
    process.exit(1);
  });
}
