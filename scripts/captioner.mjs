#!/usr/bin/env node
/**
 * The command `captioner`. In a checkout it runs the sources in Bun, which npm has installed; in
 * the package that `npm pack` makes, it runs their JavaScript in Node itself.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const inCheckout = existsSync(here('caption.ts'));
const [first, ...rest] = process.argv.slice(2);
/** The program of each subcommand; those on whole services are one program. */
const PROGRAMS = {
  convert: 'convert',
  whisper: 'whisper',
  watch: 'watch',
  feed: 'feed',
  models: 'models',
  webhooks: 'webhooks',
  login: 'login',
  admin: 'admin',
  backup: 'copies',
  restore: 'copies',
  verify: rest.some((word) => word.endsWith('.json')) ? 'verify-report' : 'copies',
  move: 'copies',
};
// A file or folder with one of these names is given as ./models and so on.
const program = Object.hasOwn(PROGRAMS, first ?? '') ? PROGRAMS[first] : 'caption';
const args = ['caption', 'copies'].includes(program) ? process.argv.slice(2) : rest;

process.env.INIT_CWD = process.cwd();
process.env.CAPTIONER_COMMAND = 'captioner';
// One models folder for all current folders, unless another is configured.
if (!process.env.MODELS_DIR && !process.env.DATA_DIR) process.env.MODELS_DIR = modelsFolder();

if (inCheckout) runInBun();
else await runHere();

/** The checkout's own folder, which its service uses too; otherwise the user's cache folder. */
function modelsFolder() {
  if (inCheckout) return here('../data/models');
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const caches =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : process.platform === 'win32' && LOCALAPPDATA
        ? LOCALAPPDATA
        : XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(caches, 'captioner', 'models');
}

async function runHere() {
  // The reader of the output may stop early, as head does.
  process.stdout.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  // Node warns that its SQLite is experimental; it is only used here to lock a file.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') console.error(String(warning));
  });
  // Node 20 lacks it.
  Promise.withResolvers ??= function withResolvers() {
    const made = {};
    made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
    return made;
  };
  process.argv.splice(2, process.argv.length, ...args);
  await import(`../dist/package/scripts/${program}.js`);
}

function runInBun() {
  const bun = [here('../node_modules/bun/bin/bun.exe')].find((path) => existsSync(path)) ?? 'bun';
  const child = spawn(bun, [here(`${program}.ts`), ...args], { stdio: 'inherit' });
  // Ctrl-C reaches both processes; Bun shuts down by itself and reports its exit code.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('error', () => {
    console.error('captioner needs Bun: run npm install in its folder.');
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 1));
  });
}
