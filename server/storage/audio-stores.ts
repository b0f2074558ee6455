/** Opens the configured audio store, with its quota and its disk's reserve. */
import { join } from 'node:path';
import type { AudioStoreLocation } from './locations.ts';
import type { AudioStore } from './audio.ts';
import { createAudioUsage, createMeteredAudioStore } from './audio-usage.ts';
import type { Database } from './database.ts';
import { createDiskAudioStore } from './disk-audio.ts';
import { createDiskReserve } from './disk-reserve.ts';
import { createS3AudioStore } from './s3-audio.ts';

interface AudioConfig {
  audioStore: AudioStoreLocation;
  /** The bytes that one workspace may keep; null for no limit. */
  audioQuota: number | null;
  /** The bytes of the disk that uploads leave free. */
  diskReserve: number;
}

/**
 * Opens the store.
 * @param tempDir the folder for this process's temporary files
 */
export function openMeteredAudioStore(
  { audioStore, audioQuota, diskReserve }: AudioConfig,
  tempDir: string,
  database: Database,
): AudioStore {
  const isS3 = audioStore.kind === 's3';
  // Uploads to a bucket are kept on the local disk until they are complete.
  const folder = isS3 ? join(tempDir, 'uploads') : audioStore.folder;
  const store = isS3 ? createS3AudioStore(audioStore, folder) : createDiskAudioStore(folder);
  return createMeteredAudioStore(store, {
    usage: createAudioUsage(database, audioQuota),
    disk: createDiskReserve(folder, diskReserve),
  });
}
