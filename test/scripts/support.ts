/** Runs commands, and checks what all forms of `captioner` have in common. */
import { expect } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';

/** Runs a command to its end, and returns its output. */
export async function spawned(command: string[], cwd: string, env: Record<string, string>) {
  const child = Bun.spawn(command, { cwd, env, stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, err, code: await child.exited };
}

/** A command's `--version` is that of the package, and its `--help` calls it `captioner`. */
export async function expectVersionAndHelp(
  captioner: (args: string[]) => Promise<{ out: string; err: string; code: number }>,
): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(await captioner(['--version'])).toEqual({
    out: `captioner ${version}\n`,
    err: '',
    code: 0,
  });
  const help = await captioner(['--help']);
  expect([help.code, help.out]).toEqual([0, expect.stringContaining('  captioner talk.mp4\n')]);
}
