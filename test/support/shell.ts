/** A shell that runs the commands of documents. */
import { spawnSync } from 'node:child_process';
import { needs } from './requirements.ts';

const has = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

/** `test` if the commands that documents use are installed. */
export const needsShell = needs(
  ['bash', 'curl', 'jq'].every(has),
  'bash, curl and jq, with which the commands of documents are run',
);

/** The shell blocks of a Markdown document, in order. */
export const shellBlocks = (markdown: string): string[] =>
  [...markdown.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

/** Runs a script in bash; returns all its output. */
export async function shell(
  script: string,
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const run = Bun.spawn(['bash', '-c', script], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  return `${out}${err}`;
}
