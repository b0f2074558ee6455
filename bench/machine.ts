/** Describes the machine of a measurement, and the versions of the programs involved. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';

const modules = (path: string): string =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** The lines above the tables. */
export function header(): string {
  const processors = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const versions = {
    Bun: Bun.version,
    Node: printed('node', '--version'),
    Deno: printed(modules('deno/deno'), '--version'),
    ffmpeg: printed('ffmpeg', '-version'),
    Chromium: printed('chromium', '--version'),
    PostgreSQL: printed('psql', '--version'),
    '@deepgram/captions': packageVersion('@deepgram/captions'),
    openworkflow: packageVersion('openworkflow'),
  };
  return [
    `${processors.length} × ${processors[0]?.model ?? 'unknown'}, ${memory}, ${type()} ${release()}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version ?? '–'}`)
      .join(', '),
    `${new Date().toISOString().slice(0, 10)}. Each ratio is ours divided by theirs, of medians over two to five rounds; both take`,
    'turns within a round, after one that warms them up. The spread is that of the ratios of the rounds.',
    'Everything ran on this one machine: ours, theirs, the clients and the databases.',
  ].join('\n');
}

/** The first version number in a program's output; null if the program is not installed. */
function printed(program: string, argument: string): string | null {
  const { stdout } = spawnSync(program, [argument], { encoding: 'utf8' });
  return /\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0] ?? null;
}

const packageVersion = (name: string): string =>
  JSON.parse(readFileSync(modules(`${name}/package.json`), 'utf8')).version;
