/** Puts a completed run into the database of a mounted app, for reviews. */
import { buildCues } from '../../../server/captions/build/build.ts';
import type { EvidentPack } from '../../../server/contract/terminology.ts';
import type { TermCorrection, TermObservation } from '../../../server/contract/terminology.ts';
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { captionsChanged } from '../../../server/search/due.ts';
import type { Database } from '../../../server/storage/database.ts';
import * as examples from '../../../server/http/openapi/examples.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../../server/contract/caption-defaults.ts';

/** The words of a text, three per second. */
export const spoken = (text: string): TranscriptWord[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word, at) => ({ text: word, start: at / 3, end: at / 3 + 0.3 }));

/** Creates the run with the words of its result and the corrections of its audit. */
export async function completedRun(
  database: Database,
  organizationId: string,
  words: TranscriptWord[],
  corrections: readonly TermCorrection[] = [],
  observations: readonly TermObservation[] = [],
  evidentPacks: readonly EvidentPack[] = [],
) {
  const runId = `run_${crypto.randomUUID()}`;
  const cues = buildCues(words, DEFAULT_CAPTION_SETTINGS, 'en');
  const { metadata, transcript, captions } = examples.completedResult;
  const result = {
    ...examples.completedResult,
    id: runId,
    metadata: {
      ...metadata,
      terminology: { ...metadata.terminology, observations: [...observations] },
    },
    transcript: { ...transcript, words },
    audit: {
      ...examples.completedResult.audit,
      corrections: [...corrections],
      evidentPacks: [...evidentPacks],
    },
    captions: { ...captions, cues },
  };
  const now = Date.now();
  await database
    .insertInto('runs')
    .values({
      id: runId,
      organization_id: organizationId,
      key_id: 'key_test',
      payload: JSON.stringify({ audio: { key: 'talk.mp3' } }),
      state: 'completed',
      stage: 'captioning',
      progress: 1,
      timings: '{}',
      result: JSON.stringify(result),
      idempotency_key: null,
      queue_position: 0,
      enqueued: 1,
      cancel_requested: 0,
      attempts: 0,
      owed_audio: null,
      created_at: now,
      started_at: now,
      updated_at: now,
      finished_at: now,
      kept_bytes: 1000,
    })
    .execute();
  await captionsChanged(database, { id: runId, organizationId });
  return { runId, cues, result };
}

/** The bytes with which a run counts against the quota. */
export async function keptBytesOf(database: Database, id: string): Promise<number> {
  const row = await database
    .selectFrom('runs')
    .select('kept_bytes')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.kept_bytes;
}
