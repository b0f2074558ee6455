import { afterAll, expect, test } from 'bun:test';
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
