import { afterAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderBusy, lockDataFolder } from '../../server/storage/data-folder.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

test('a data folder belongs to one process at a time, and is free again afterwards', () => {
  const unlock = lockDataFolder(folder);
  expect(() => lockDataFolder(folder)).toThrow(DataFolderBusy);
  expect(() => lockDataFolder(folder)).toThrow('Another server is running');
  unlock();
  lockDataFolder(folder)();
});

test('a data folder that does not exist is created, with the folders above it', () => {
  lockDataFolder(join(folder, 'above', 'data'))();
  expect(existsSync(join(folder, 'above', 'data'))).toBe(true);
});
