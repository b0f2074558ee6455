/** The routes of a workspace as a whole: its export as one archive, and its erasure. */
import { Elysia } from 'elysia';
import { WorkspaceErasure } from '../../contract/runs.ts';
import { closed, Type } from '../../contract/schema.ts';
import {
  eraseWorkspace,
  type RunErasures,
  TranslationNotEnded,
  type WorkspaceParts,
} from '../../runs/run-erasure.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { streamed } from '../streamed.ts';
import { TRAFFIC } from '../../contract/limits.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { writeTarGz } from './tar-archive.ts';
import { voiceRoutes } from './voices.ts';
import { type ExportSources, exportedFiles } from './workspace-export.ts';

/** The number of exports that a process writes at the same time, each with at most one result, in a file. */
const EXPORTS_AT_ONCE = 32;
/** The longest time for an export, so that slow readers do not keep others from theirs. */
const LONGEST_EXPORT_MS = TRAFFIC.exportHours * 3_600_000;
const RETRY_AFTER_SECONDS = 30;

interface WorkspaceRouteServices extends ExportSources {
  guard: Guard;
  erasure: RunErasures;
}

/** The routes of a workspace, and of the voices that it remembers. */
export function workspaceRoutes({ guard, erasure, ...sources }: WorkspaceRouteServices) {
  const exporting = new Set<string>();
  const scope = 'captioner:caption:run';
  return new Elysia()
    .use(guard)
    .use(voiceRoutes({ guard, database: sources.database }))
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
export async function erasedWorkspace(parts: WorkspaceParts, organizationId: string) {
  const erased = await eraseWorkspace(parts, organizationId).catch((error: unknown) => {
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
