/** What stays with a run over HTTP: what there is, its sound, and the small video that a person adds. */
import type { RunMedia } from '../../server/contract/run-media.ts';
import { ask, askJson, NoAnswer, retrying } from './request.ts';
import { runPath } from './runs.ts';

/** What stays with a run, as far as a bearer may have it. @throws as `ask` does */
export const readMedia = (key: string, runId: string, signal: AbortSignal): Promise<RunMedia> =>
  askJson<RunMedia>(runPath(runId, '/media'), { key, signal });

/** Deletes the small video of a run. @throws as `ask` does */
export const deleteVideo = (key: string, runId: string): Promise<unknown> =>
  ask(runPath(runId, '/video'), { method: 'DELETE', key });

/** The bytes of a recording that are asked for at a time, so that little is repeated after a break. */
const PART_BYTES = 2 ** 20;

/** How a recording is fetched: until when, and who learns how much of it has arrived, from 0 to 1. */
export interface SoundOptions {
  signal: AbortSignal;
  onProgress(fraction: number): void;
}

/** The sound that stays with a run, or that its guests hear. @throws as `ask` does */
export async function hearSound(
  key: string,
  runId: string,
  bytes: number,
  { signal, onProgress }: SoundOptions,
): Promise<Blob> {
  const parts: Blob[] = [];
  let tag: string | null = null;
  for (let at = 0; at < bytes; at += PART_BYTES) {
    const headers = {
      accept: 'audio/mpeg',
      range: `bytes=${at}-${at + PART_BYTES - 1}`,
      ...(tag === null ? {} : { 'if-range': tag }),
    };
    const [response, part] = await retrying(signal, async () => {
      const some = await ask(runPath(runId, '/sound'), { key, headers, signal });
      const body = await some.blob().catch((error: unknown) => {
        signal.throwIfAborted();
        throw new NoAnswer('', { cause: error });
      });
      return [some, body] as const;
    });
    tag = response.headers.get('etag');
    // Another recording has taken its place.
    if (response.status === 200) parts.length = 0;
    parts.push(part);
    onProgress(Math.min(1, (at + PART_BYTES) / bytes));
    if (response.status === 200) break;
  }
  return new Blob(parts, { type: 'audio/mpeg' });
}
