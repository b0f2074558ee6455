/** What each route and tool needs of whoever sends a key: the least role in the workspace. */
import type { Role } from '../../contract/members.ts';
import { routeName } from '../route-table.ts';

/** The operations for each least role, in the contract's notation; tools of the MCP server by their names. */
const OPERATIONS: Record<Role, readonly string[]> = {
  // Reading, commenting, and one's own account.
  reader: [
    'GET /workspace/account',
    'POST /sign-in/end',
    'GET /workspace/keys',
    'DELETE /workspace/keys/{keyId}',
    'GET /workspace/person',
    'POST /workspace/person/disable',
    'DELETE /workspace/person',
    'GET /workspace/library',
    'GET /workspace/evidence',
    'GET /workspace/evidence.csv',
    'GET /workspace/statement.html',
    'GET /workspace/search',
    'GET /workspace/review-states',
    'GET /workspace/voices',
    'GET /workspace/usage',
    'GET /workspace/retention',
    'GET /workspace/quotas',
    'GET /workflows/captioner',
    'GET /workflows/captioner/{runId}',
    'GET /workflows/captioner/{runId}/captions.{format}',
    'GET /workflows/captioner/{runId}/comments',
    'POST /workflows/captioner/{runId}/comments',
    'PATCH /workflows/captioner/{runId}/comments/{commentId}',
    'DELETE /workflows/captioner/{runId}/comments/{commentId}',
    'GET /workflows/captioner/{runId}/comments.csv',
    'GET /workflows/captioner/{runId}/events',
    'GET /workflows/captioner/{runId}/measurements',
    'GET /workflows/captioner/{runId}/measurements/{measurementId}',
    'GET /workflows/captioner/{runId}/measurements/{measurementId}/captions.srt',
    'GET /workflows/captioner/{runId}/media',
    'GET /workflows/captioner/{runId}/partial-transcript',
    'GET /workflows/captioner/{runId}/report.html',
    'GET /workflows/captioner/{runId}/report.json',
    'GET /workflows/captioner/{runId}/report.pdf',
    'GET /workflows/captioner/{runId}/review',
    'GET /workflows/captioner/{runId}/review-state',
    'GET /workflows/captioner/{runId}/versions',
    'GET /workflows/captioner/{runId}/versions/{versionId}',
    'GET /workflows/captioner/{runId}/sound',
    'GET /workflows/captioner/{runId}/speakers',
    'GET /workflows/captioner/{runId}/translations',
    'GET /workflows/captioner/{runId}/translations/{translationId}',
    'GET /workflows/captioner/{runId}/video',
    'GET /translations',
    'GET /translations/{translationId}',
    'GET /translations/{translationId}/captions.{format}',
    'GET /translations/memory.tmx',
    'POST /translations/memory/similar',
    'GET /terminology/learning',
    'GET /terminology/rules',
    'GET /terminology/terms',
    // Changes nothing that is stored.
    'POST /terminology/proposals',
    'POST /captions/convert',
    'GET /v1/models',
    'GET /v1/models/{model}',
    'GET /resumable/{uploadId}',
    'GET /review-link',
    // Each of its tools has a role of its own, or that of the operation that a call is.
    'POST /mcp',
    'tool get_run',
    'tool list_runs',
    'tool get_captions',
    'tool get_review',
    'tool list_evidence',
    'tool search_captions',
    'tool list_terms',
    'tool propose_terms',
    'tool list_rules',
    'tool list_packs',
    'tool tasks/get',
  ],
  editor: [
    'PUT /audio/{key}',
    'DELETE /audio/{key}',
    'POST /resumable',
    'POST /resumable/{uploadId}',
    'PATCH /resumable/{uploadId}',
    'DELETE /resumable/{uploadId}',
    'POST /workflows/captioner',
    'DELETE /workflows/captioner/{runId}',
    'DELETE /workflows/captioner/{runId}/data',
    'PUT /workflows/captioner/{runId}/name',
    'PUT /workflows/captioner/{runId}/review',
    'DELETE /workflows/captioner/{runId}/review',
    'PATCH /workflows/captioner/{runId}/review-state',
    'PATCH /workflows/captioner/{runId}/versions/{versionId}',
    'PUT /workflows/captioner/{runId}/speakers',
    'DELETE /workflows/captioner/{runId}/sound',
    'PUT /workflows/captioner/{runId}/video',
    'DELETE /workflows/captioner/{runId}/video',
    'POST /workflows/captioner/{runId}/measurements',
    'PUT /workflows/captioner/{runId}/measurements/{measurementId}/passages/{number}',
    'DELETE /workflows/captioner/{runId}/measurements/{measurementId}',
    // Whoever has a link to a review may change what the link allows.
    'GET /workflows/captioner/{runId}/links',
    'POST /workflows/captioner/{runId}/links',
    'PATCH /workflows/captioner/{runId}/links/{linkId}',
    'DELETE /workflows/captioner/{runId}/links/{linkId}',
    'GET /workflows/captioner/{runId}/links/{linkId}/report',
    'GET /workflows/captioner/{runId}/links/{linkId}/sound',
    'PUT /workflows/captioner/{runId}/links/{linkId}/sound',
    'DELETE /workflows/captioner/{runId}/links/{linkId}/sound',
    'POST /workflows/captioner/{runId}/translations',
    'PUT /workflows/captioner/{runId}/translations/{translationId}/edits',
    'DELETE /workflows/captioner/{runId}/translations/{translationId}',
    'POST /translations',
    'DELETE /translations/{translationId}',
    'PUT /translations/{translationId}/edits',
    'PUT /translations/memory.tmx',
    'PUT /terminology/terms',
    'PATCH /terminology/terms',
    'DELETE /terminology/terms',
    'PUT /terminology/learning',
    'PATCH /terminology/rules/{ruleId}',
    // The addresses of others' hooks may hold secrets.
    'GET /webhooks',
    'GET /webhooks/{webhookId}/deliveries',
    'POST /webhooks',
    'DELETE /webhooks/{webhookId}',
    'POST /webhooks/{webhookId}/enable',
    'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    'PATCH /workspace/voices/{personId}',
    'DELETE /workspace/voices/{personId}',
    'POST /workspace/addresses',
    'GET /workspace/addresses',
    'DELETE /workspace/addresses/{addressId}',
    'POST /v1/audio/transcriptions',
    'POST /v1/audio/translations',
    'POST /asr',
    'POST /detect-language',
    'tool caption_audio',
    'tool create_upload_link',
    'tool review_captions',
    'tool cancel_run',
    'tool change_terms',
    'tool settle_rule',
    'tool tasks/update',
    'tool tasks/cancel',
  ],
  owner: [
    'GET /workspace/members',
    'PATCH /workspace/members/{memberId}',
    'DELETE /workspace/members/{memberId}',
    'GET /workspace/members/{memberId}/data',
    'GET /workspace/member-keys',
    'DELETE /workspace/member-keys/{keyId}',
    'POST /workspace/invitations',
    'GET /workspace/invitations',
    'DELETE /workspace/invitations/{invitationId}',
    // Whether voices are remembered concerns everybody who is heard.
    'PUT /workspace/voices',
    'PUT /workspace/retention',
    'PUT /workspace/quotas',
    'GET /workspace/audit',
    'GET /workspace/export',
    'DELETE /workspace/data',
  ],
};

const LEAST = new Map(
  (['reader', 'editor', 'owner'] as const).flatMap((role) =>
    OPERATIONS[role].map((operation) => [operation, role] as const),
  ),
);

/**
 * The least role for an operation. One that is not in the table needs an owner, so that forgetting it opens nothing.
 * @example
 * leastRole('GET /workspace/search'); // => 'reader'
 */
export const leastRole = (operation: string): Role => LEAST.get(operation) ?? 'owner';

/** What owners find in the record of their workspace; the work on captions itself is in the runs. */
const RECORDED = new Set([
  'DELETE /workspace/keys/{keyId}',
  'DELETE /workspace/person',
  'POST /workspace/person/disable',
  'DELETE /audio/{key}',
  'DELETE /workflows/captioner/{runId}/data',
  'DELETE /workflows/captioner/{runId}/review',
  'POST /workflows/captioner/{runId}/links',
  'PATCH /workflows/captioner/{runId}/links/{linkId}',
  'DELETE /workflows/captioner/{runId}/links/{linkId}',
  'PUT /terminology/terms',
  'DELETE /terminology/terms',
  'PUT /terminology/learning',
  'PUT /translations/memory.tmx',
  'POST /webhooks',
  'DELETE /webhooks/{webhookId}',
  'POST /webhooks/{webhookId}/enable',
  'POST /workspace/addresses',
  'DELETE /workspace/addresses/{addressId}',
  ...OPERATIONS.owner.filter((operation) => !operation.startsWith('GET')),
  'GET /workspace/members/{memberId}/data',
  'GET /workspace/export',
]);

/** Whether an operation goes on the record of a workspace. */
export const isRecorded = (operation: string): boolean => RECORDED.has(operation);

interface GuardedRoute {
  method: string;
  path: string;
  hooks: object;
}

/** Checks that each route that needs a key is in the table. @throws {Error} one is not */
export function requireRoles(routes: readonly GuardedRoute[]): void {
  for (const { method, path, hooks } of routes) {
    const { detail } = hooks as { detail?: { security?: object[] } };
    const isGuarded = detail?.security?.some((way) => 'bearer' in way) === true;
    const operation = routeName(method, path);
    if (isGuarded && !LEAST.has(operation)) throw new Error(`${operation} has no least role`);
  }
}

/** The operations of the table, with their least roles. */
export const listedOperations = (): [string, Role][] => [...LEAST];
