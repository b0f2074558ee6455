/**
 * The routes of a workspace as a whole: its export as one archive, and its erasure.
 *
 * Exports everything that a workspace has stored, as a .tar.gz that is written while it is read.
 */
import { Elysia } from 'elysia';
import { WorkspaceErasure } from '../../contract/runs.ts';
import { closed, Type } from '../../contract/schema.ts';
import { type RunErasures, TranslationNotEnded, eraseWorkspace } from '../../runs/run-erasure.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { streamed } from '../streamed.ts';
import { TRAFFIC } from '../../contract/limits.ts';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { mediaOf, openMedia } from '../../storage/run-media.ts';
import { recordingsOf } from '../../storage/audio-usage.ts';
import type { Runs } from '../../runs/service.ts';
import { createReviewComments } from '../../reviews/review-comments.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import type { TerminologyStore } from '../../learning/terminology-store.ts';
import type { WebhookStore } from '../../webhooks/webhook-store.ts';
import type { Translations } from '../../runs/translations.ts';
import { memoryPages } from '../../runs/translation-memory.ts';
import { TMX_END, TMX_HEAD, tmxUnit } from '../../translation/tmx.ts';
import { translationOf } from '../../runs/store/stored-translation.ts';
import { summary } from '../runs/run-representation.ts';
import type { Spool } from '../../storage/spool.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { WHOLE_PAYLOAD } from '../../storage/run-texts.ts';

/** The number of runs read at a time, without their results. */
const PAGE = 100;
/** The remembered sentences in a file. */
const MEMORY_UNITS = 5000;

interface ExportSources {
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
  'runs/{runId}/run.json': 'the request and its outcome',
  'runs/{runId}/result.json': 'the result: transcript, captions and report',
  'runs/{runId}/review.json': 'the review that somebody saved',
  'runs/{runId}/comments.json': 'the comments on the review',
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
  const comments = (await Array.fromAsync(createReviewComments(database).pages(run.id))).flat();
  if (comments.length > 0) yield jsonFile(`${folder}/comments.json`, comments);
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

/** A file of an archive. */
interface ArchiveFile {
  name: string;
  /** In bytes; the body must have exactly this many. */
  size: number;
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A file that contains a JSON document. */
function jsonFile(name: string, value: unknown): ArchiveFile {
  return textFile(name, `${JSON.stringify(value, null, 2)}\n`);
}

/** A file that contains a text, given as a string or in UTF-8. */
export function textFile(name: string, text: string | Uint8Array): ArchiveFile {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { name, size: bytes.byteLength, body: [bytes] };
}

/**
 * Writes an archive. Each file is taken when the previous one is written.
 * @param write resolves when more can be written
 * @throws {Error} an error of a file or of `write`; the archive is then incomplete, which gzip detects
 */
export async function writeTarGz(
  files: AsyncIterable<ArchiveFile>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const archive = pack();
  const gzip = createGzip();
  /** The first failure; any others are caused by it. */
  let cause: unknown;
  // An entry that the archive destroys emits neither an error nor `drain`, so this signal ends the waits for it.
  const failed = new AbortController();
  const give = (error: Error): void => {
    cause ??= error;
    archive.destroy(error);
    failed.abort();
  };
  const filling = (async () => {
    for await (const file of files) {
      const entry = archive.entry({ name: file.name, size: file.size, mtime: new Date() });
      // Keeps an error between two writes from ending the process; the next wait reports it.
      entry.on('error', give);
      for await (const chunk of file.body) {
        if (cause) throw cause;
        if (!entry.write(chunk)) await once(entry, 'drain', failed);
      }
      const finished = once(entry, 'close', failed);
      entry.end(undefined);
      await finished;
    }
    archive.finalize();
  })();
  const writing = (async () => {
    for await (const chunk of gzip) await write(chunk as Uint8Array);
  })();
  const parts = [filling, writing, pipeline(archive, gzip)];
  for (const part of parts) part.catch(give);
  await Promise.allSettled(parts);
  if (cause) throw cause;
}

/** The number of exports that a process writes at the same time, each with at most one result, in a file. */
const EXPORTS_AT_ONCE = 32;
/** The longest time for an export, so that slow readers do not keep others from theirs. */
const LONGEST_EXPORT_MS = TRAFFIC.exportHours * 3_600_000;
const RETRY_AFTER_SECONDS = 30;

interface WorkspaceRouteServices extends ExportSources {
  guard: Guard;
  erasure: RunErasures;
}

/** The routes of a workspace. */
export function workspaceRoutes({ guard, erasure, ...sources }: WorkspaceRouteServices) {
  const exporting = new Set<string>();
  const scope = 'captioner:caption:run';
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/export',
      ({ sender }) => {
        const { organizationId, stillAllowed } = sender;
        if (exporting.has(organizationId)) throw alreadyExporting();
        if (exporting.size >= EXPORTS_AT_ONCE) {
          throw Problem.unavailable('Too many workspaces are being exported.', RETRY_AFTER_SECONDS);
        }
        exporting.add(organizationId);
        const options = {
          type: 'application/gzip',
          stillAllowed,
          longestMs: LONGEST_EXPORT_MS,
        };
        const archive = streamed(options, async ({ write }) => {
          try {
            await writeTarGz(exportedFiles(sources, organizationId), write);
          } finally {
            exporting.delete(organizationId);
          }
        });
        archive.headers.set(
          'content-disposition',
          'attachment; filename="captioner-export.tar.gz"',
        );
        return archive;
      },
      {
        scope,
        query: wireQuery(closed({})),
        detail: detail({
          operationId: 'exportWorkspace',
          summary: 'Export everything that your workspace has stored',
          description: `One .tar.gz, written while it is read: runs with their results and reviews, terms and learned rules, recordings that are still stored, webhooks and keys without their secrets. \`export.json\` lists the files. If the export fails midway, takes more than ${TRAFFIC.exportHours} hours or is read too slowly, the archive ends early, which gzip reports as an error.`,
          tags: ['Captioning'],
          responses: {
            200: {
              description: 'The archive.',
              content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
            },
            429: response('Problem'),
          },
        }),
      },
    )
    .delete(
      '/workspace/data',
      async ({ query, sender }) => {
        const { organizationId } = sender;
        if (query.confirm !== organizationId) throw unconfirmed();
        return Response.json(await erasedWorkspace({ ...sources, erasure }, organizationId));
      },
      {
        scope,
        query: wireQuery(EraseQuery),
        response: { 200: wireAnswer(WorkspaceErasure) },
        detail: detail({
          operationId: 'eraseWorkspace',
          summary: 'Erase everything that your workspace has stored',
          description:
            'Erases all runs and everything they produced, recordings, terms, learned rules and webhooks, for every key of the workspace, immediately and permanently. Keys stay valid. Export what you need first.',
          tags: ['Captioning'],
          responses: {
            200: answer('What was erased.', {
              erased: { runs: 12, recordings: 1, webhooks: 1, terms: true },
              recordingsLeft: 0,
            }),
            409: response('Problem'),
          },
        }),
      },
    );
}

const EraseQuery = closed({
  confirm: Type.String({
    description: 'the `organization_id` of your workspace, so that nothing is erased by accident',
    maxLength: 200,
  }),
});

const unconfirmed = (): Problem => {
  const message = 'must be the organization_id of the workspace of this key';
  return Problem.invalidPayload(`The query parameter confirm ${message}.`, [
    { path: 'confirm', message },
  ]);
};

/** Erases a workspace. @throws {Problem} 409 while it has runs in progress */
export async function erasedWorkspace(...given: Parameters<typeof eraseWorkspace>) {
  const erased = await eraseWorkspace(...given).catch((error: unknown) => {
    if (error instanceof TranslationNotEnded) return null;
    throw error;
  });
  if (!erased) throw runsInProgress();
  return erased;
}

const runsInProgress = (): Problem =>
  new Problem(
    409,
    'runs_in_progress',
    'Runs of this workspace have not ended. Cancel them, or wait, then erase the workspace.',
    { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  );

const alreadyExporting = (): Problem =>
  new Problem(
    429,
    'rate_limited',
    'This workspace is already being exported. Wait until that has ended.',
    {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    },
  );
