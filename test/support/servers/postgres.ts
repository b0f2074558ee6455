/**
 * A real PostgreSQL for the tests of this process, on a free port of 127.0.0.1, without syncing to
 * disk, because it is discarded afterwards.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { needs } from '../requirements.ts';

/** The folders in which Debian, Homebrew and others install it; the newest version last. */
const folder = [
  ...globSync('/usr/lib/postgresql/*/bin'),
  ...globSync('/opt/homebrew/opt/postgresql*/bin'),
  ...globSync('/usr/local/opt/postgresql*/bin'),
  ...globSync('/usr/pgsql-*/bin'),
]
  .toReversed()
  .find((path) => existsSync(join(path, 'initdb')));

/**
 * PostgreSQL refuses to run as root. As another user, it is signalled when the test process dies in
 * any way.
 */
const asUser = (command: string, args: string[]): [string, string[]] =>
  userInfo().uid === 0
    ? ['setpriv', [...OTHER_USER, '--pdeathsig=INT', command, ...args]]
    : [command, args];
const OTHER_USER = ['--reuid=postgres', '--regid=postgres', '--init-groups'];

/** `test` if PostgreSQL is installed. */
export const needsPostgres = needs(folder !== undefined, 'PostgreSQL is not installed here');
/** Whether PostgreSQL is installed, for the set-up of such tests. */
export const hasPostgres = folder !== undefined;

/** Starts a server with its own cluster. */
export async function startPostgres() {
  if (!folder) throw new Error('PostgreSQL is not installed here');
  const bin = (name: string): string => join(folder, name);
  const home = mkdtempSync(join(tmpdir(), 'captioner-postgres-'));
  chmodSync(home, 0o777);
  const data = join(home, 'data');
  copyCluster(folder, home);
  const port = await freePort();
  const url = (name: string): string => `postgres://captioner@127.0.0.1:${port}/${name}`;
  let server: ChildProcess;
  let count = 0;

  const start = async (): Promise<void> => {
    const settings = ['fsync=off', 'full_page_writes=off', `unix_socket_directories=${home}`];
    const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-c', 'max_connections=300'];
    server = spawn(
      ...asUser(bin('postgres'), [...args, ...settings.flatMap((setting) => ['-c', setting])]),
      { stdio: 'ignore', cwd: home },
    );
    for (let tries = 0; ; tries += 1) {
      const sql = postgres(url('postgres'), { max: 1, backoff: () => 0.05, onnotice() {} });
      try {
        await sql`select 1`;
        return;
      } catch (error) {
        if (tries > 600) throw error;
        await Bun.sleep(50);
      } finally {
        await sql.end();
      }
    }
  };
  /** SIGQUIT ends it immediately, with all connections; the next start does a recovery. */
  const kill = async (): Promise<void> => {
    const pid = Number((await Bun.file(join(data, 'postmaster.pid')).text()).split('\n')[0]);
    const gone = server.exitCode === null ? once(server, 'exit') : null;
    process.kill(pid, 'SIGQUIT');
    await gone;
  };
  const clear = () => rmSync(home, { recursive: true, force: true });
  const onExit = () => {
    server.kill('SIGQUIT');
    clear();
  };
  process.once('exit', onExit);
  await start();
  return {
    /** Creates an empty database and returns its URL. */
    async database() {
      const name = `test_${(count += 1)}`;
      const sql = postgres(url('postgres'), { max: 1 });
      await sql.unsafe(`create database ${name}`);
      await sql.end();
      return url(name);
    },
    /** Kills it as if its machine were cut off; `start` restarts it on the same port. */
    kill,
    start,
    /** Stops it and deletes its data. */
    async close() {
      process.off('exit', onExit);
      await kill();
      clear();
    },
  };
}

/**
 * Copies an empty cluster to `data` in a folder. initdb takes a second of processor time, so it
 * runs only once and its result is kept with the temporary files.
 */
function copyCluster(programs: string, home: string): void {
  const data = join(home, 'data');
  const template = join(tmpdir(), `captioner-cluster-${programs.replaceAll('/', '-')}`);
  if (!existsSync(template)) {
    const options = ['-D', data, '-U', 'captioner', '-A', 'trust', '-N', '-E', 'UTF8'];
    const [command, args] = asUser(join(programs, 'initdb'), options);
    const made = spawnSync(command, args, { encoding: 'utf8', cwd: home });
    if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`);
    try {
      renameSync(data, template);
    } catch {
      // Another process was faster.
      rmSync(data, { recursive: true, force: true });
    }
  }
  const copied = spawnSync(...asUser('cp', ['-R', template, data]), {
    encoding: 'utf8',
    cwd: home,
  });
  if (copied.status !== 0) throw new Error(`the cluster was not copied:\n${copied.stderr}`);
  chmodSync(data, 0o700);
}

/**
 * A free port for a server that is stopped and restarted on it. Systems assign ports from 32768 on
 * to programs that ask for any port; one below that stays free while the server is stopped.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '127.0.0.1', () => done(true));
    });
    if (!isFree) continue;
    await new Promise((done) => server.close(done));
    return port;
  }
}
