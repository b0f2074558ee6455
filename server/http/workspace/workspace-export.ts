/** The files of everything that a workspace has stored. */
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { mediaOf, openMedia } from '../../storage/run-media.ts';
import { recordingsOf } from '../../storage/audio-usage.ts';
import type { Runs } from '../../runs/service.ts';
import { createMeasurements } from '../../reviews/measurements.ts';
import { listVersions } from '../../reviews/review-versions.ts';
import { statesOf } from '../../reviews/review-states.ts';
import { createReviewComments } from '../../reviews/review-comments.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import type { TerminologyStore } from '../../learning/terminology-store.ts';
import type { WebhookStore } from '../../webhooks/webhook-store.ts';
import { createVoiceStore } from '../../voices/voice-store.ts';
import type { Translations } from '../../runs/translations.ts';
import { memoryPages } from '../../runs/translation-memory.ts';
import { TMX_END, TMX_HEAD, tmxUnit } from '../../translation/tmx.ts';
import { translationOf } from '../../runs/store/stored-translation.ts';
import { summary } from '../runs/run-representation.ts';
import type { Spool } from '../../storage/spool.ts';
import { WHOLE_PAYLOAD } from '../../storage/run-texts.ts';
import { type ArchiveFile, jsonFile, textFile } from './tar-archive.ts';

/** The number of runs read at a time, without their results. */
const PAGE = 100;
/** The remembered sentences in a file. */
const MEMORY_UNITS = 5000;

export interface ExportSources {
  database: Database;
  audio: AudioStore;
  runs: Runs;
  stored: StoredTexts;
  terminology: TerminologyStore;
  webhooks: WebhookStore;
  translations: Translations;
  spool: Spool;
}

/**
 * The files of the export. Each is read when it is due, so that at most one result is in memory. Data that is erased
 * meanwhile is left out.
 */
export async function* exportedFiles(
  sources: ExportSources,
  organizationId: string,
): AsyncGenerator<ArchiveFile> {
  const { database, audio, terminology } = sources;
  const { keys, unnamed } = await recordingsOf(database, organizationId);
  yield jsonFile('export.json', {
    workspace: organizationId,
    exportedAt: new Date().toISOString(),
    contents: CONTENTS,
    ...(unnamed > 0 && { recordingsWithoutAKey: unnamed }),
  });
  const { version, text } = await terminology.read(organizationId);
  if (version > 0) yield textFile('terms.json', text);
  yield jsonFile('keys.json', await keysOf(database, organizationId));
  yield jsonFile('webhooks.json', await webhooksOf(sources.webhooks, organizationId));
  const voices = await createVoiceStore(database).list(organizationId);
  if (voices.remember) yield jsonFile('voices.json', voices);
  yield* runFiles(sources, organizationId);
  yield* translationFiles(sources, organizationId, null, 'translations');
  yield* memoryFiles(database, organizationId);
  for (const key of keys) {
    const found = await audio.stat(organizationId, key);
    if (!found) continue;
    const body = audio.read(organizationId, key, { start: 0, end: found.size });
    yield { name: `recordings/${key}`, size: found.size, body };
  }
}

const CONTENTS = {
  'terms.json': 'the terms of the workspace and the rules it has learned',
  'keys.json': 'the API keys that this service issued, without their secrets',
  'webhooks.json': 'webhooks with their latest deliveries, without their secrets',
  'voices.json': 'the people whose voices the workspace remembers',
  'runs/{runId}/voices.json': 'the voiceprints of its speakers, and whose they are',
  'runs/{runId}/run.json': 'the request and its outcome',
  'runs/{runId}/result.json': 'the result: transcript, captions and report',
  'runs/{runId}/review.json': 'the review that somebody saved',
  'runs/{runId}/versions/{id}.json': 'an earlier version of it; who made each is in versions.json',
  'runs/{runId}/review-state.json': 'whom the review is assigned to, and whether it is approved',
  'runs/{runId}/comments.json': 'the comments on the review',
  'runs/{runId}/measurements/{id}.json':
    'a measurement of how accurate the captions are; the captions it is of are in {id}.srt',
  'runs/{runId}/links.json':
    'the links to the review, without their tokens and the sound of their guests',
  'runs/{runId}/moderation.json': 'the events that moderation logged',
  'runs/{runId}/translations/{id}.json': 'a translation; its result is in {id}.result.json',
  'translations/{id}.json':
    'a translation of captions that were sent, which are in {id}.source.json',
  'translation-memory/{number}.tmx': 'sentences that were translated before',
  'runs/{runId}/video.mp4': 'the small video that stays with a run (or video.webm)',
  'recordings/{key}': 'recordings that are still stored',
};

/** The remembered sentences, some thousand in a file, so that few are in memory. */
async function* memoryFiles(
  database: Database,
  organizationId: string,
): AsyncGenerator<ArchiveFile> {
  let units: string[] = [];
  let number = 0;
  const file = (): ArchiveFile => {
    const body = `${TMX_HEAD}${units.join('')}${TMX_END}`;
    units = [];
    return textFile(`translation-memory/${(number += 1)}.tmx`, body);
  };
  for await (const page of memoryPages(database, organizationId)) {
    units.push(...page.map((entry) => tmxUnit(entry, entry.who)));
    if (units.length >= MEMORY_UNITS) yield file();
  }
  if (units.length > 0) yield file();
}

async function* runFiles(
  sources: ExportSources,
  organizationId: string,
): AsyncGenerator<ArchiveFile> {
  let last: RunSummary | undefined;
  do {
    const after = last ? { createdAt: last.createdAt, id: last.id } : null;
    const page = await sources.runs.list(organizationId, PAGE, after);
    for (const run of page) yield* filesOfRun(sources, run);
    last = page.at(-1);
  } while (last);
}

async function* filesOfRun(sources: ExportSources, run: RunSummary): AsyncGenerator<ArchiveFile> {
  const { database, audio, stored, spool } = sources;
  const folder = `runs/${run.id}`;
  const { whole } = (await database
    .selectFrom('runs')
    .select(WHOLE_PAYLOAD)
    .where('id', '=', run.id)
    .executeTakeFirst()) ?? { whole: 'null' };
  yield textFile(
    `${folder}/run.json`,
    // The payload may be a megabyte, so it is copied as it is.
    `${JSON.stringify(summary(run), null, 2).slice(0, -2)},\n  "payload": ${whole}\n}\n`,
  );
  const result = await stored.result(run.id);
  if (result !== null) yield* spooledFile(spool, textFile(`${folder}/result.json`, result));
  const review = await stored.review(run.id);
  if (review) yield* spooledFile(spool, textFile(`${folder}/review.json`, review.text));
  const versions = await listVersions(database, run.id);
  if (versions.length > 0) yield jsonFile(`${folder}/versions.json`, versions);
  for (const { id, isCurrent } of versions) {
    const version = isCurrent ? null : await stored.version(run.id, id);
    if (version) yield* spooledFile(spool, textFile(`${folder}/versions/${id}.json`, version.text));
  }
  const [state] = await statesOf(database, [run.id]);
  if (state) yield jsonFile(`${folder}/review-state.json`, state);
  const comments = (await Array.fromAsync(createReviewComments(database).pages(run.id))).flat();
  if (comments.length > 0) yield jsonFile(`${folder}/comments.json`, comments);
  const { own: voices } = await createVoiceStore(database).compared(run);
  if (voices.length > 0) {
    const printed = voices.map((voice) => ({ ...voice, print: JSON.parse(voice.print) }));
    yield jsonFile(`${folder}/voices.json`, printed);
  }
  const measurements = createMeasurements(database);
  for (const { id } of (await measurements.list(run.id)).measurements) {
    const [measured, captions] = [
      await measurements.get(run.id, id),
      await measurements.captionsOf(run.id, id),
    ];
    if (measured) yield jsonFile(`${folder}/measurements/${id}.json`, measured);
    if (captions !== null) {
      yield* spooledFile(spool, textFile(`${folder}/measurements/${id}.srt`, captions));
    }
  }
  const links = await database
    .selectFrom('review_links')
    .select([
      'id',
      'name',
      'right',
      'key_id',
      'created_at',
      'expires_at',
      'sound_bytes',
      'opened_at',
    ])
    .where('run_id', '=', run.id)
    .orderBy('created_at')
    .execute();
  if (links.length > 0) yield jsonFile(`${folder}/links.json`, links);
  const events = await database
    .selectFrom('moderation_events')
    .select(['id', 'created_at', 'decision', 'severity', 'reason', 'model', 'flagged'])
    .where('run_id', '=', run.id)
    .execute();
  if (events.length > 0) yield jsonFile(`${folder}/moderation.json`, events);
  yield* translationFiles(sources, run.organizationId, run.id, `${folder}/translations`);
  // The sound is among the recordings.
  for (const media of await mediaOf(database, run)) {
    const found = media.kind === 'video' ? await openMedia(audio, media) : null;
    if (!found) continue;
    const { name, type } = media;
    const body = audio.read(name.organizationId, name.key, { start: 0, end: found.size });
    yield { name: `${folder}/video.${type.slice('video/'.length)}`, size: found.size, body };
  }
}

/** The translations of a run; with null, those of captions that were sent. */
async function* translationFiles(
  { database, translations, stored, spool }: ExportSources,
  organizationId: string,
  runId: string | null,
  folder: string,
): AsyncGenerator<ArchiveFile> {
  for (const row of await translations.list(organizationId, runId)) {
    const name = `${folder}/${row.id}`;
    yield jsonFile(`${name}.json`, translationOf(row));
    const result = await stored.translation(row.id);
    if (result !== null) yield* spooledFile(spool, textFile(`${name}.result.json`, result));
    if (runId !== null) continue;
    const found = await database
      .selectFrom('translations')
      .select('source')
      .where('id', '=', row.id)
      .executeTakeFirst();
    if (found?.source) yield* spooledFile(spool, textFile(`${name}.source.json`, found.source));
  }
}

/** A file that is not held in memory while the client reads it. */
async function* spooledFile(
  spool: Spool,
  { name, body }: ArchiveFile,
): AsyncGenerator<ArchiveFile> {
  const [bytes = new Uint8Array()] = await Array.fromAsync(body);
  const held = await spool.hold(bytes);
  try {
    yield { name, size: held.size, body: held.read() };
  } finally {
    held.drop();
  }
}

const keysOf = (database: Database, organizationId: string) =>
  database
    .selectFrom('api_keys')
    .select([
      'id',
      'obfuscated',
      'name',
      'owner_email',
      'scopes',
      'created_at',
      'last_used_at',
      'revoked_at',
    ])
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .execute();

async function webhooksOf(store: WebhookStore, organizationId: string) {
  const list = await store.list(organizationId);
  return Promise.all(
    list.map(async (webhook) => ({
      ...webhook,
      deliveries: await store.deliveries(organizationId, webhook.id),
    })),
  );
}
