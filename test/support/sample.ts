/** The sample that the demo captions: half a minute of synthetic speech. */
import { fileURLToPath } from 'node:url';

/** The path of the sample. */
export const sample = fileURLToPath(
  new URL('../../sample/agent-registration.mp3', import.meta.url),
);
