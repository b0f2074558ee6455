/** Copies of the checkout, as git worktrees, which a run changes and then removes. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes a copy of the checkout, with its uncommitted changes and new files. */
export function copyOf(root: string): string {
  const parent = mkdtempSync(join(tmpdir(), 'captioner-mutants-'));
  const copy = join(parent, 'captioner');
  const commit = git(root, ['stash', 'create']).trim() || 'HEAD';
  git(root, ['worktree', 'add', '--quiet', '--detach', copy, commit]);
  const added = git(root, ['ls-files', '-o', '--exclude-standard', '-z']).split('\0');
  for (const path of added) if (path !== '') cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(join(root, '../shared'), join(parent, 'shared'));
  return copy;
}

/** Removes a copy. */
export function removeCopy(root: string, copy: string): void {
  git(root, ['worktree', 'remove', '--force', copy]);
  rmSync(dirname(copy), { recursive: true, force: true });
}

/** The output of a git command. */
export function git(cwd: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}
