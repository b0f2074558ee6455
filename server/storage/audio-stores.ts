/** The audio store that the configuration names. */
import { join } from 'node:path';
import type { AudioStoreLocation } from '../config/stores.ts';
import type { AudioStore } from './audio.ts';
import { createDiskAudioStore } from './disk-audio.ts';
import { createS3AudioStore } from './s3-audio.ts';

/**
 * Opens the store.
 * @param tempDir temporary files of this process
 */
export const openAudioStore = (location: AudioStoreLocation, tempDir: string): AudioStore =>
  location.kind === 's3'
    ? createS3AudioStore(location, join(tempDir, 'uploads'))
    : createDiskAudioStore(location.folder);
