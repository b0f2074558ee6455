/** The routes of a workspace as an organisation: whose it is, what it uses and keeps, and what was done in it. */
import { Elysia } from 'elysia';
import {
  type Account,
  Account as AccountSchema,
  AuditList,
  AuditQuery,
  Quotas,
  QuotasAnswer,
  Retention,
  RetentionAnswer,
  Usage,
} from '../../contract/members.ts';
import { WORKSPACE_AUDIT } from '../../contract/limits.ts';
import { closed, type Static } from '../../contract/schema.ts';
import { membershipsOf } from '../../identity/members.ts';
import { findEvents } from '../../storage/workspace-audit.ts';
import { retentionOf, setRetention } from '../../runs/retention.ts';
import type { Database } from '../../storage/database.ts';
import { ownerLimit, setOwnerLimit } from '../../storage/owner-limits.ts';
import { allowedQuota, usageOf } from '../../storage/workspace-quotas.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { Problem } from '../problems.ts';
import { wireAnswer, wireInput, wireQuery } from '../wire.ts';

const MAX_BODY_BYTES = 4096;
const DAY_MS = 86_400_000;
const scope = 'captioner:caption:run';

interface OrganisationServices {
  guard: Guard;
  database: Database;
  audioQuota: number | null;
  resultQuota: number | null;
  resultTtlMs: number;
}

/** The routes. */
export function organisationRoutes({ guard, ...services }: OrganisationServices) {
  const { database, audioQuota, resultQuota, resultTtlMs } = services;
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const retention = async (organizationId: string) => ({
    runDays: await retentionOf(database, organizationId),
    mediaDays: await ownerLimit(database, organizationId, 'mediaDays'),
    serviceDays: resultTtlMs / DAY_MS,
  });
  const usual = { recordings: audioQuota, results: resultQuota };
  const quotaFor = async (organizationId: string, kind: keyof typeof usual) => ({
    owner: await ownerLimit(database, organizationId, kind),
    service: await allowedQuota(database, organizationId, kind, usual[kind]),
  });
  const quotas = async (organizationId: string) => ({
    recordings: await quotaFor(organizationId, 'recordings'),
    results: await quotaFor(organizationId, 'results'),
  });
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      '/workspace/account',
      async ({ sender: { organizationId, person, role } }) => {
        const workspace = await database
          .selectFrom('organizations')
          .select('kind')
          .where('id', '=', organizationId)
          .executeTakeFirst();
        const memberships = person === null ? [] : await membershipsOf(database, person);
        return Response.json({
          organizationId,
          workspace: workspace?.kind ?? 'unknown',
          email: person,
          role,
          memberships: memberships.map((each) => ({
            ...each,
            current: each.organizationId === organizationId,
          })),
        } satisfies Account);
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(AccountSchema) },
        detail: detail({
          operationId: 'getAccount',
          summary: 'Say who you are: your workspace, your role, your other workspaces',
          tags: ['Members'],
          responses: { 200: answer('The account of the key.') },
        }),
      },
    )
    .get(
      '/workspace/usage',
      async ({ sender: { organizationId } }) => {
        const { used, quota } = await usageOf(database, organizationId, usual);
        const states = await database
          .selectFrom('runs')
          .select((eb) => ['state', eb.fn.countAll<number | string>().as('count')])
          .where('organization_id', '=', organizationId)
          .groupBy('state')
          .execute();
        const { members } = await database
          .selectFrom('members')
          .select((eb) => eb.fn.countAll<number | string>().as('members'))
          .where('organization_id', '=', organizationId)
          .where('disabled_at', 'is', null)
          .executeTakeFirstOrThrow();
        const { keys } = await database
          .selectFrom('api_keys')
          .select((eb) => eb.fn.countAll<number | string>().as('keys'))
          .where('organization_id', '=', organizationId)
          .where('revoked_at', 'is', null)
          .executeTakeFirstOrThrow();
        return Response.json({
          recordings: { bytes: used.recordings, quota: quota.recordings },
          results: { bytes: used.results, quota: quota.results },
          runs: Object.fromEntries(states.map(({ state, count }) => [state, Number(count)])),
          members: Number(members),
          keys: Number(keys),
        } satisfies Usage);
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(Usage) },
        detail: detail({
          operationId: 'getUsage',
          summary: 'Say what your workspace stores, and may store',
          tags: ['Members'],
          responses: { 200: answer('Bytes, quotas and counts.') },
        }),
      },
    )
    .get(
      '/workspace/retention',
      async ({ sender }) => Response.json(await retention(sender.organizationId)),
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(RetentionAnswer) },
        detail: detail({
          operationId: 'getRetention',
          summary: 'Say how long your workspace keeps runs',
          tags: ['Members'],
          responses: {
            200: answer('The days; the shorter time holds.', {
              runDays: 14,
              mediaDays: 3,
              serviceDays: 30,
            }),
          },
        }),
      },
    )
    .put(
      '/workspace/retention',
      async ({ body, sender }) => {
        await setRetention(database, sender.organizationId, body.runDays);
        if (body.mediaDays !== undefined) {
          await setOwnerLimit(database, sender.organizationId, 'mediaDays', body.mediaDays);
        }
        const set = [
          body.runDays === null ? 'as the service' : `${body.runDays} days`,
          ...(body.mediaDays === undefined
            ? []
            : [`media ${body.mediaDays === null ? 'as the run' : `${body.mediaDays} days`}`]),
        ];
        sender.subject.of = set.join(', ');
        return Response.json(await retention(sender.organizationId));
      },
      {
        scope,
        json,
        body: wireInput(Retention),
        response: { 200: wireAnswer(RetentionAnswer) },
        detail: detail({
          operationId: 'setRetention',
          summary: 'Set how long your workspace keeps runs',
          description:
            'Runs that ended longer ago are erased within the hour, with everything that belongs to them; with `mediaDays`, the sound and the video that stay with a run are deleted earlier than the run, and recordings without a run earlier than the service would. Without `mediaDays`, that stays as it is. The time of the service itself is never exceeded. Needs the role owner.',
          tags: ['Members'],
          requestBody: bodyExample({ runDays: 14, mediaDays: 3 }),
          responses: {
            200: answer('The days.', { runDays: 14, mediaDays: 3, serviceDays: 30 }),
          },
        }),
      },
    )
    .get(
      '/workspace/quotas',
      async ({ sender }) => Response.json(await quotas(sender.organizationId)),
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(QuotasAnswer) },
        detail: detail({
          operationId: 'getQuotas',
          summary: 'Say what owners and the service let your workspace store',
          tags: ['Members'],
          responses: { 200: answer('Bytes; the lower quota holds.') },
        }),
      },
    )
    .put(
      '/workspace/quotas',
      async ({ body, sender: { organizationId, subject } }) => {
        const { recordings, results } = await quotas(organizationId);
        const above = [
          ...aboveAllowed('recordings', body.recordings, recordings.service),
          ...aboveAllowed('results', body.results, results.service),
        ];
        if (above.length > 0) {
          throw Problem.invalidPayload('A quota is more than the service allows.', above);
        }
        await setOwnerLimit(database, organizationId, 'recordings', body.recordings);
        await setOwnerLimit(database, organizationId, 'results', body.results);
        subject.of = (['recordings', 'results'] as const)
          .map(
            (kind) => `${kind} ${body[kind] === null ? 'as the service' : `${body[kind]} bytes`}`,
          )
          .join(', ');
        return Response.json(await quotas(organizationId));
      },
      {
        scope,
        json,
        body: wireInput(Quotas),
        response: { 200: wireAnswer(QuotasAnswer) },
        detail: detail({
          operationId: 'setQuotas',
          summary: 'Set what your workspace may store, below what the service allows',
          description:
            'In bytes, from the next request on; what is stored already stays. More than the service allows is 422. Needs the role owner.',
          tags: ['Members'],
          requestBody: bodyExample({ recordings: 2_000_000_000, results: null }),
          responses: { 200: answer('Bytes; the lower quota holds.') },
        }),
      },
    )
    .get(
      '/workspace/audit',
      async ({ query, sender }) => {
        const { q, limit = WORKSPACE_AUDIT.page, cursor } = query;
        const found = await findEvents(database, sender.organizationId, {
          ...(q !== undefined && { text: q }),
          ...(query.from !== undefined && { from: Date.parse(query.from) }),
          ...(query.to !== undefined && { to: Date.parse(query.to) }),
          limit: limit + 1,
          after: cursor === undefined ? null : readCursor(cursor),
        });
        const page = found.slice(0, limit);
        const last = page.at(-1);
        return Response.json({
          entries: page.map((row) => ({
            id: row.id,
            at: new Date(row.at).toISOString(),
            person: row.person,
            keyId: row.key_id,
            action: row.action,
            subject: row.subject,
          })),
          nextCursor: found.length > limit && last ? `${last.at}.${last.id}` : null,
        } satisfies Static<typeof AuditList>);
      },
      {
        scope,
        query: wireQuery(AuditQuery),
        response: { 200: wireAnswer(AuditList) },
        detail: detail({
          operationId: 'searchAudit',
          summary: 'Search what was done in your workspace',
          description: `Changes to people, keys, links, webhooks, terms and settings, and what was erased or exported, newest first; the newest ${WORKSPACE_AUDIT.kept.toLocaleString('en')} entries of ${WORKSPACE_AUDIT.days} days. Needs the role owner.`,
          tags: ['Members'],
          responses: { 200: answer('A page of the record.') },
        }),
      },
    );
}

/** The fault of a quota that is more than the service allows, if it is. */
function aboveAllowed(path: string, bytes: number | null, allowed: number | null) {
  if (bytes === null || allowed === null || bytes <= allowed) return [];
  return [{ path, message: `must be at most ${allowed}, which the service allows` }];
}

/** The entry after which a page begins. @throws {Problem} 422 */
function readCursor(cursor: string): { at: number; id: string } {
  const [, at, id = ''] = /^(\d{1,15})\.(evt_[0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (at !== undefined) return { at: Number(at), id };
  const message = 'must be the nextCursor of a page';
  throw Problem.invalidPayload(`The query parameter cursor ${message}.`, [
    { path: 'cursor', message },
  ]);
}
