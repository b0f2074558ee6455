/** The user's current folder, from which commands are run and typed. */
import { afterAll, expect, test } from 'bun:test';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root as checkout } from '../support/checkout.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { spawned } from './support.ts';

const root = checkout.replace(/\/$/, '');
const folder = await realpath(await temporaryFolder());
const tools = join(folder, 'tools');
await mkdir(tools);
await writeFile(join(tools, 'npm'), '');
afterAll(() => removeFolder(folder));

const script = `
  const { asTyped, commandLine, fromHere } = await import(${JSON.stringify(join(root, 'scripts/current-folder.ts'))});
  console.log([fromHere('a.mp3'), asTyped(${JSON.stringify(join(folder, 'b.mp3'))}), commandLine('models'), commandLine('models', 'fetch a')].join('\\n'));
`;
const told = (out: string) => out.trimEnd().split('\n');
/** What a program finds out in a folder with these variables. */
const foundIn = async (cwd: string, env: Record<string, string> = {}) =>
  told((await spawned([process.execPath, '-e', script], cwd, { PATH: tools, ...env })).out);

const outside = [
  join(folder, 'a.mp3'),
  'b.mp3',
  `npm --prefix ${root} run models`,
  `npm --prefix ${root} run models -- fetch a`,
];
const inside = [
  join(root, 'a.mp3'),
  join(folder, 'b.mp3'),
  'npm run models',
  'npm run models -- fetch a',
];

test('is the one in which npm was started, or that of the process', async () => {
  expect(await foundIn(root, { INIT_CWD: folder, npm_lifecycle_event: 'caption' })).toEqual(
    outside,
  );
  expect(await foundIn(folder)).toEqual(outside);
  expect(await foundIn(folder, { npm_lifecycle_event: 'caption' })).toEqual(outside);
  expect(await foundIn(root)).toEqual(inside);
});

test.skipIf(process.platform !== 'linux')(
  'is that of the parent process if Bun runs a script in the folder of the program',
  async () => {
    const command = `cd "$1" && env -C "$2" "$3" -e "$4"; true`;
    const words = ['/bin/sh', '-c', command, 'sh', folder, root, process.execPath, script];
    const env = { PATH: `${tools}:/usr/bin:/bin` };
    const asScript = { ...env, npm_lifecycle_event: 'caption' };
    expect(told((await spawned(words, folder, asScript)).out)).toEqual(outside);
    // A program that is started there without a script stays there.
    expect(told((await spawned(words, folder, env)).out)).toEqual(inside);
  },
);

test('the file that an option names is in it', async () => {
  await writeFile(join(folder, 'terms.txt'), 'AuthKit');
  const options = JSON.stringify(join(root, 'scripts/caption-options.ts'));
  const read = `const { glossaryOf } = await import(${options});
    console.log(await glossaryOf({ glossary: '@terms.txt' }));`;
  const { out } = await spawned([process.execPath, '-e', read], root, {
    PATH: tools,
    INIT_CWD: folder,
  });
  expect(out).toBe('AuthKit\n');
});
