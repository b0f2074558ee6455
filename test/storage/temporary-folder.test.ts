import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimTemporaryFolder } from '../../server/storage/temporary-folder.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const parent = await temporaryFolder();
afterAll(() => removeFolder(parent));

const folders = async () =>
  (await readdir(parent, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(parent, entry.name));

test('each process has its own folder, and deletes only those of dead processes', async () => {
  await mkdir(join(parent, 'of-the-dead'));
  await writeFile(join(parent, 'of-the-dead', 'half.part'), 'half');
  const all = await Promise.all(Array.from({ length: 6 }, () => claimTemporaryFolder(parent)));
  expect((await folders()).toSorted()).toEqual(all.map(({ path }) => path).toSorted());
  await writeFile(join(all[0]?.path ?? '', 'a.part'), 'a');
  for (const one of all) await one.remove();
  expect(await readdir(parent)).toEqual(['claim.lock']);
});
