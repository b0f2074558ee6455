#!/usr/bin/env node
/**
 * The command `captioner`: runs scripts/caption.ts (or webhooks.ts) in Bun, which npm installs with the program, so that
 * whoever runs it needs Node alone.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = ['../node_modules/bun/bin/bun.exe', '../../bun/bin/bun.exe'].map(here);
const bun = installed.find((path) => existsSync(path)) ?? 'bun';
const [first, ...rest] = process.argv.slice(2);
// A file or folder of this name is ./webhooks.
const program =
  first === 'webhooks'
    ? [here('webhooks.ts'), ...rest]
    : [here('caption.ts'), ...process.argv.slice(2)];
const child = spawn(bun, program, {
  stdio: 'inherit',
  env: { ...process.env, INIT_CWD: process.cwd(), CAPTIONER_COMMAND: 'captioner' },
});
// Ctrl-C reaches both; Bun ends in its own time and says how.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', () => {
  console.error('captioner needs Bun: run npm install in its folder.');
  process.exit(1);
});
child.once('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 1));
});
