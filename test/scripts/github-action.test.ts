/** The action for GitHub: which recordings of a repository it captions. */
import { expect, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const action = fileURLToPath(new URL('../../deploy/github-action/', import.meta.url));

test('recordings without captions are captioned, and no name or input is a command', async () => {
  const folder = await temporaryFolder();
  const files = [
    'a.mp4',
    "b $(touch harm)'.MP3",
    'talks/c.mkv',
    'talks/done.mp4',
    'talks/done.srt',
  ];
  await mkdir(join(folder, 'talks'));
  for (const name of [...files, 'notes.txt']) await writeFile(join(folder, name), '');
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder });
  git('init', '-q');
  git('add', '.');
  await writeFile(join(folder, 'not-kept.mp4'), '');
  const captioner = join(folder, 'captioner.mjs');
  await writeFile(
    captioner,
    'console.log(JSON.stringify(process.argv.slice(2))); process.exit(/a.mp4$/.test(process.argv[2]) ? 1 : 0);',
  );
  const { runs }: { runs: { steps: { env?: Record<string, string> }[] } } = load(
    await readFile(join(action, 'action.yml'), 'utf8'),
  ) as never;
  const given = {
    FOLDER: '.',
    FORMATS: 'srt,vtt',
    SPOKEN: 'de',
    GLOSSARY: '$(touch harm), SCIM',
  };
  expect(Object.keys(runs.steps.at(-1)?.env ?? {})).toEqual(Object.keys(given));
  const env = { ...process.env, ...given, GITHUB_ACTION_PATH: action, CAPTIONER: captioner };
  // One that cannot be captioned does not hold up the others, but the step fails.
  const { status, stdout } = spawnSync('bash', [join(action, 'caption.sh')], { cwd: folder, env });
  expect(status).toBe(1);
  const more = ['-f', 'srt,vtt', '-l', 'de', '-g', '$(touch harm), SCIM'];
  expect(
    stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    ['./a.mp4', '-o', './', ...more],
    ["./b $(touch harm)'.MP3", '-o', './', ...more],
    ['./talks/c.mkv', '-o', './talks/', ...more],
  ]);
  expect(git('status', '--short').toString()).not.toMatch(/^\?\? harm/m);
  await removeFolder(folder);
});
