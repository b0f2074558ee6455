import { afterAll, setDefaultTimeout } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { removeFolder, temporaryFolder } from '../support/server-process.ts';
import { audioStoreSuite } from './audio-store.suite.ts';

setDefaultTimeout(60_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

const store = createDiskAudioStore(folder);
await store.prepare(0);
audioStoreSuite(
  'the store on disk',
  store,
  async () => (await readdir(join(folder, 'incoming'))).length,
);
