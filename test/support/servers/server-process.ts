/** Runs the service in its own process, as an operator does: start, kill, restart. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { METRICS_TOKEN, until } from './client.ts';

const main = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));
const deno = fileURLToPath(new URL('../../../node_modules/deno/deno', import.meta.url));

export interface ServerProcess {
  url: string;
  dataDir: string;
  pid: number;
  /** Resolves when it has exited. */
  exited: Promise<unknown>;
  /** Its log so far. */
  log(): string;
  /** Kills it with SIGKILL, and waits until it has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface ServerOptions {
  /** Default: SERVER_RUNTIME, or Bun. */
  runtime?: 'bun' | 'deno';
  /** The program; default: that of this repository. */
  program?: string;
  /** Default: a new temporary folder. */
  dataDir?: string;
  env?: Record<string, string>;
}

/** Creates a temporary folder. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'captioner-test-'));
}

/** Deletes a folder with everything in it. */
export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5 });

/** Starts the service on a free port and waits until it responds. */
export async function startServerProcess(options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const runtime = options.runtime ?? process.env['SERVER_RUNTIME'] ?? 'bun';
  const program = options.program ?? main;
  const command = runtime === 'deno' ? [deno, 'run', '-A', program] : [process.execPath, program];
  const child = spawn(command[0] ?? '', command.slice(1), {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      DRAIN_TIME: '0',
      METRICS_TOKEN,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(child, 'exit');
  // Unlike `exit`, this event comes after all output.
  const closed = once(child, 'close');
  const port = await listeningPort(child, closed, () => log);
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    pid: child.pid ?? 0,
    exited,
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      // Its child processes may hold the output open for a while.
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      await closed;
      return child.exitCode;
    },
  };
}

/**
 * The complete lines of a server's log, once all marks are among them: output reaches this process
 * with a delay.
 */
export const logged = (
  { log }: Pick<ServerProcess, 'log'>,
  ...marks: string[]
): Promise<string[]> =>
  until(async () => {
    const lines = log().split('\n').slice(0, -1);
    return marks.every((mark) => lines.some((line) => line.includes(mark))) && lines;
  });

async function listeningPort(
  child: ChildProcess,
  closed: Promise<unknown>,
  log: () => string,
): Promise<string> {
  for (let waited = 0; waited < 180_000; waited += 20) {
    const port = /"event":"listening".*?"port":(\d+)/.exec(log())?.[1];
    if (port) return port;
    // A killed process has no exit code.
    if (child.exitCode !== null || child.signalCode !== null) {
      await closed;
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not start:\n${log()}`);
}
