/** Runs commands, and checks what all forms of `captioner` have in common. */
import { afterEach, beforeEach, expect, type Mock, spyOn } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';

/** What the tests of a group write on standard error, one at a time. */
export function listening(): () => string {
  let stderr: Mock<typeof process.stderr.write>;
  beforeEach(() => void (stderr = spyOn(process.stderr, 'write').mockReturnValue(true)));
  afterEach(() => stderr.mockRestore());
  return () => stderr.mock.calls.map(([text]) => String(text)).join('');
}

/** Lets the tests of a group change variables of the environment, which each test finds as they were. */
export function restoring(...names: string[]): void {
  const before = names.map((name) => [name, process.env[name]] as const);
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

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
