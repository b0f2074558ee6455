/** The recording of a run in the audio store of its organisation. */
import type { RunAudio } from '../pipeline/services.ts';
import type { AudioStore } from '../storage/audio.ts';

/** The object under a key, in the form that the pipeline uses. */
export function storedAudio(store: AudioStore, organizationId: string, key: string): RunAudio {
  return {
    key,
    async open() {
      const found = await store.stat(organizationId, key);
      if (!found) return null;
      return {
        version: found.version,
        source: {
          size: found.size,
          read: (range) => store.read(organizationId, key, range),
        },
      };
    },
    delete: (version) => store.delete(organizationId, key, version),
  };
}
