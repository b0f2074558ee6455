/** Starts and stops the service: config → services → app → listen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, createOperatorApp, type Answer, type AppServices } from './app.ts';
import { readConfig, type Config } from './config/config.ts';
import type { ProviderSummary } from './contract/providers.ts';
import type { TermPackList } from './contract/terminology.ts';
import { clientAddress } from './http/request.ts';
import { openWorkPool } from './http/tasks/tasks.ts';
import type { WorkPool } from './http/work/pool.ts';
import { createIdentity } from './identity/identity.ts';
import { createMailer, createWebhookMail, type Mailer } from './identity/mail.ts';
import { createHasher, providePepper } from './identity/secrets.ts';
import { listen, type Listener } from './listen.ts';
import { createLog, type Log } from './base/log.ts';
import { providerSummaries } from './pipeline/providers.ts';
import { startRunServices, type RunServices } from './run-services.ts';
import { DataFolderBusy, lockDataFolder } from './storage/file-lock.ts';
import { isDamaged, isOutage } from './storage/outage.ts';
import { LaterSchema } from './storage/database.ts';
import { keepPrivate } from './storage/write-file.ts';
import { isPostgres } from './storage/locations.ts';
import { startTelemetry } from './base/telemetry.ts';
import { realTime, type Waiting } from './base/concurrency.ts';
import { createDeliverer } from './webhooks/deliverer.ts';
import { TermPackError, loadTermPacks } from './terminology/packs/packs.ts';
import { ConfigError } from './base/environment.ts';
import { termPackList } from './terminology/packs/pack.ts';

/** The grace period, after the draining, for runs and responses in progress when the process is asked to stop. */
const GRACE_MS = 8000;
/**
 * The time after the draining in which the process ends even if something holds up its stop. On a busy machine the rest
 * takes seconds more: threads and recognisers have to end, and Deno closes its connections more slowly.
 */
const STOP_MS = GRACE_MS + 5000;
/** The time for clients to get a last answer: the result of a run that has just ended, the refusal of an upload. */
const LAST_WORDS_MS = 500;
/** The interval at which due webhook deliveries are looked for. */
const DELIVER_EVERY_MS = 1000;

interface RunningServer {
  /** The address of the service, without a trailing slash. */
  url: string;
  /**
   * Stops it.
   * @param drainMs how long it goes on answering while it is not ready; default: not at all
   */
  stop(drainMs?: number): Promise<void>;
}

/**
 * Starts the service and waits until it responds.
 * @param workerEntry the program of a worker thread; default: the one of runs/
 * @throws {DataFolderBusy} another server runs on the same data folder
 * @throws {Error} an unreadable pack, a port in use, a database that does not respond
 */
export async function startServer(
  config: Config,
  log: Log = createLog(config.logLevel),
  workerEntry?: URL,
): Promise<RunningServer> {
  keepPrivate(config.dataDir);
  // Processes on a shared database do not need the lock.
  const unlock = isPostgres(config.databaseUrl) ? () => {} : lockDataFolder(config.dataDir);
  try {
    return await start(config, log, unlock, workerEntry);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The name under which this machine reaches an address that it listens on: all of them, or one. */
const reachable = (host: string): string => {
  if (/^(0\.0\.0\.0|\[?::\]?)$/.test(host)) return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
};

async function start(
  config: Config,
  log: Log,
  unlock: () => void,
  workerEntry?: URL,
): Promise<RunningServer> {
  // Before anything else, so that a faulty pack is reported with its file and line.
  const packs = termPackList(await loadTermPacks());
  const telemetry = await startTelemetry(config.tracing);
  const pool = openWorkPool(log);
  const services = await startRunServices(config, log, workerEntry, pool.do);
  const listener = listenAs(config, log);
  const { metricsPort } = config;
  const operators = metricsPort === null ? null : listen({ ...config, port: metricsPort });
  const port = listener?.port ?? 0;
  const baseUrl = config.baseUrl || `http://${reachable(config.host)}:${port}`;
  const mailer = createMailer({ ...config, log });
  const providers = providerSummaries(config);
  let isStopping = false;
  const running = async (): Promise<void> => {
    if (isStopping) throw new Error('the process is stopping');
  };
  const leaving = new AbortController();
  const closing = new AbortController();
  const parts = {
    ...services,
    pool,
    baseUrl,
    packs,
    mailer,
    providers,
    health: { ...services.health, running },
    readiness: { ...services.readiness, running },
    stopping: { leaving: leaving.signal, closing: closing.signal },
    listener,
    log,
  };
  const forOperators = createOperatorApp({ ...parts, metricsToken: config.metricsToken });
  operators?.answer(forOperators);
  listener?.answer(config.role === 'worker' ? forOperators : await createWebApp(config, parts));
  const recovered = await services.begin();
  const deliverer = createDeliverer({
    database: services.database,
    allowed: config.webhookAllow,
    log,
    disabled: createWebhookMail({ database: services.database, mailer }),
  });
  const delivering =
    config.role === 'worker'
      ? undefined
      : setInterval(() => void deliverer.tick(), DELIVER_EVERY_MS);
  log.info('listening', {
    url: baseUrl,
    port,
    ...(operators && { metricsPort: operators.port }),
    role: config.role,
    recovered,
    identity: config.workos ? 'workos' : 'embedded',
    providers: providers.filter(({ configured }) => configured).map(providerLine),
  });
  if (listener && config.role !== 'worker' && config.baseUrl === '') {
    const message =
      'BASE_URL is not set: links and documents name the host that each request names';
    log.warn('base_url_unset', { message });
  }

  return {
    url: `http://${localHost(config.host)}:${port}`,
    async stop(drainMs = 0) {
      isStopping = true;
      listener?.leave();
      const runsEnd = services.drain(drainMs + GRACE_MS);
      if (drainMs > 0) await sleep(drainMs);
      clearInterval(delivering);
      leaving.abort();
      await Promise.all([
        listener?.drain(GRACE_MS),
        runsEnd,
        mailer.close(GRACE_MS),
        Promise.race([deliverer.close(), sleep(GRACE_MS, undefined, { ref: false })]),
      ]);
      closing.abort();
      await listener?.drain(LAST_WORDS_MS);
      await Promise.all([listener?.close(), operators?.close()]);
      pool.close();
      await services.close();
      await telemetry.stop();
      unlock();
    },
  };
}

/** Listens. A worker's port is only for operators, so a worker can do without it. */
function listenAs(config: Config, log: Log): Listener | null {
  try {
    return listen(config);
  } catch (error) {
    if (config.role !== 'worker') throw error;
    log.warn('port_in_use', { port: config.port });
    return null;
  }
}

interface WebParts extends RunServices {
  pool: WorkPool;
  baseUrl: string;
  packs: TermPackList;
  mailer: Mailer;
  providers: readonly ProviderSummary[];
  stopping: NonNullable<AppServices['stopping']>;
  listener: Listener | null;
  log: Log;
}

async function createWebApp(config: Config, parts: WebParts): Promise<Answer> {
  const { database, listener } = parts;
  const hasher = createHasher(await providePepper(config, database));
  const services: AppServices = {
    ...config,
    ...parts,
    hasher,
    baseUrlIsSet: config.baseUrl !== '',
    sendsMail: config.workos !== null || config.smtpUrl !== null,
    identity: await createIdentity(config, { ...parts, hasher }),
    setIdleTimeout: listener?.setIdleTimeout ?? (() => {}),
    clientAddress: clientAddress(listener?.peer ?? (() => null), config.trustProxy),
  };
  return createApp(services);
}

/** The description of a provider in a log line. */
const providerLine = ({ stage, name, model }: ProviderSummary): string =>
  `${stage} ${name} ${model}`;

const localHost = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;

/**
 * Creates the reaction to a signal to stop: it ends the process with 0 once the server has stopped, and with 1 if that
 * fails or takes longer than the draining and STOP_MS. A second signal ends it immediately.
 */
export function stopper(
  server: Pick<RunningServer, 'stop'>,
  exit: (code: number) => void,
  waiting: Waiting = realTime,
): (drainMs?: number) => Promise<void> {
  let isStopping = false;
  return async (drainMs = 0) => {
    if (isStopping) return exit(1);
    isStopping = true;
    const late = waiting.pause(drainMs + STOP_MS).then(() => {
      throw new Error('The server did not stop in time.');
    });
    try {
      await Promise.race([server.stop(drainMs), late]);
      exit(0);
    } catch (error) {
      process.stderr.write(`${explain(error)}\n`);
      exit(1);
    }
  };
}

/** The program, which serves until it receives a signal to stop. */
async function main(): Promise<void> {
  const config = readConfig();
  const server = await startServer(config);
  const stop = stopper(server, (code) => process.exit(code));
  const { role, drainMs } = config;
  process.on('SIGTERM', () => void stop(role === 'worker' ? 0 : drainMs));
  // Someone at a keyboard, without a balancer.
  process.on('SIGINT', () => void stop());
}

/** The message for an error: one line if the operator can fix it, otherwise with a stack. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known =
    error instanceof ConfigError ||
    error instanceof DataFolderBusy ||
    error instanceof LaterSchema ||
    error instanceof TermPackError;
  if (known) return error.message;
  if (isDamaged(error)) {
    return 'A database file in DATA_DIR is damaged. Restore the folder from a backup, or move it away to start anew.';
  }
  if (isOutage(error)) return `The database or the audio store does not respond: ${error.message}`;
  return String(error.stack);
}

function fail(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

if (import.meta.main) main().catch(fail);
