/** The routes for the versions of a review, and for whom it is assigned to and whether it is approved. */
import { Elysia } from 'elysia';
import { REVIEW_VERSIONS } from '../../contract/limits.ts';
import { Review } from '../../contract/review.ts';
import {
  ReviewState,
  ReviewStateList,
  ReviewStatePatch,
  ReviewVersion,
  ReviewVersionList,
  ReviewVersionPatch,
} from '../../contract/review-versions.ts';
import { changeState, stateOf, statesOf } from '../../reviews/review-states.ts';
import { findVersion, listVersions, nameVersion } from '../../reviews/review-versions.ts';
import type { Runs } from '../../runs/service.ts';
import type { Database } from '../../storage/database.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, response } from '../openapi/responses.ts';
import { ifMatchHeader, preconditionFailed, preconditionOf } from '../preconditions.ts';
import { Problem } from '../problems.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import {
  captionsNotReady,
  findSummary,
  PageQuery,
  pageOf,
  unknownRun,
} from '../runs/run-representation.ts';
import { sendHeld } from '../runs/run-streams.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import { wireAnswer, wireInput, wireQuery } from '../wire.ts';
import { reviewBytes } from './review-requests.ts';

/** Two names, each character of which may be escaped. */
const MAX_BODY_BYTES = 8 * 1024;

interface VersionServices {
  guard: Guard;
  runs: Runs;
  database: Database;
  texts: RunTexts;
  stored: StoredTexts;
  pool: WorkPool;
}

/** The routes. */
export function reviewVersionRoutes(services: VersionServices) {
  const { guard, runs, database, texts, stored, pool } = services;
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const scope = 'captioner:caption:run' as const;
  const path = '/workflows/captioner/:runId/versions';
  const statePath = '/workflows/captioner/:runId/review-state';
  return new Elysia()
    .use(jsonBodies)
    .use(guard)
    .get(
      path,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        return Response.json({ versions: await listVersions(database, run.id) });
      },
      {
        scope,
        response: { 200: wireAnswer(ReviewVersionList) },
        detail: detail({
          operationId: 'listReviewVersions',
          summary: 'List the versions of the review of a run',
          description: `One for each session of a person’s work: it ends after a pause of ${REVIEW_VERSIONS.pauseSeconds / 60} minutes, or when somebody else saves, the version is named, or the review approved. At most ${REVIEW_VERSIONS.most} are kept: the oldest without a name is deleted first. They are deleted with the review.`,
          tags: ['Captioning'],
          responses: {
            200: answer('The versions, newest first.', { versions: [example] }),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .get(
      `${path}/:versionId`,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const { versionId: id } = params;
        const found = await findVersion(database, run.id, id);
        if (!found) throw unknownVersion();
        const held = await texts.hold(run, `version ${id} ${found.tag}`, async () => {
          const version = await stored.version(run.id, id);
          if (!version) throw unknownVersion();
          const load = { workspace: run.organizationId, size: version.text.length };
          return pool.do(reviewBytes, { ...version, runId: run.id }, load);
        });
        return sendHeld({ type: 'application/json; charset=utf-8' }, held);
      },
      {
        scope,
        response: { 200: wireAnswer(Review) },
        detail: detail({
          operationId: 'getReviewVersion',
          summary: 'Get a version of the review of a run',
          description:
            'In the form of the review itself. To bring it back, save it as the review, with `If-Match`.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'The review as it was.' },
            404: failing('There is no such run or version.', 'version_not_found', NO_VERSION),
          },
        }),
      },
    )
    .patch(
      `${path}/:versionId`,
      async ({ params, body: { name }, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        storesDocument();
        const named = await nameVersion(database, id, params.versionId, name);
        if (named === null) throw unknownVersion();
        if (named === 'too-many') throw new Problem(409, 'too_many_versions', TOO_MANY);
        return Response.json(named);
      },
      {
        scope,
        json,
        body: wireInput(ReviewVersionPatch),
        response: { 200: wireAnswer(ReviewVersion) },
        detail: detail({
          operationId: 'nameReviewVersion',
          summary: 'Name a version of the review of a run',
          description: 'A version with a name is kept. Null takes the name away.',
          tags: ['Captioning'],
          requestBody: bodyExample({ name: 'Sent to the speaker' }),
          responses: {
            200: answer('The version.', { ...example, name: 'Sent to the speaker' }),
            404: failing('There is no such run or version.', 'version_not_found', NO_VERSION),
            409: failing('Too many versions have names.', 'too_many_versions', TOO_MANY),
          },
        }),
      },
    )
    .get(
      statePath,
      async ({ params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        return Response.json(await stateOf(database, id));
      },
      {
        scope: { key: scope, link: 'view' },
        response: { 200: wireAnswer(ReviewState) },
        detail: detail({
          operationId: 'getReviewState',
          summary: 'Get whom a review is assigned to, and whether it is approved',
          description:
            'An approval says whether the review has been changed since: compare the version of that time with the present one.',
          tags: ['Captioning'],
          responses: {
            200: answer('The state.', stateExample),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .patch(
      statePath,
      async ({ request, params, body, sender }) => {
        if ((body.state === 'approved') !== (body.name !== undefined)) {
          const message = 'is required with the state `approved`, and only then';
          throw Problem.invalidPayload('The state is invalid.', [{ path: 'name', message }]);
        }
        const run = await findSummary(runs, sender.organizationId, params.runId);
        if (run.state !== 'completed') throw captionsNotReady(run);
        storesDocument();
        const changed = await changeState(database, run, body, preconditionOf(request.headers));
        if (changed.outcome === 'no-run') throw unknownRun();
        if (changed.outcome === 'stale') throw preconditionFailed(CHANGED, changed.tag);
        return Response.json(await stateOf(database, run.id));
      },
      {
        scope,
        json,
        body: wireInput(ReviewStatePatch),
        response: { 200: wireAnswer(ReviewState) },
        detail: detail({
          operationId: 'changeReviewState',
          summary: 'Assign a review, or approve it',
          description:
            'Only what is sent changes; null takes an assignee or a day away. Whoever approves says who they are, and with `If-Match` which version they have seen. Webhooks receive `review.assigned` and `review.approved`.',
          tags: ['Captioning'],
          parameters: [ifMatchHeader],
          requestBody: bodyExample({ state: 'approved', name: 'Ada' }),
          responses: {
            200: answer('The state.', stateExample),
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
            412: response('PreconditionFailed'),
          },
        }),
      },
    )
    .get(
      '/workspace/review-states',
      async ({ query, sender }) => {
        const { page, nextCursor } = await pageOf(runs, sender.organizationId, query);
        const ids = page.map(({ id }) => id);
        return Response.json({ states: await statesOf(database, ids), nextCursor });
      },
      {
        scope,
        query: wireQuery(PageQuery),
        response: { 200: wireAnswer(ReviewStateList) },
        detail: detail({
          operationId: 'listReviewStates',
          summary: 'List which reviews are assigned, in review or approved',
          description:
            'Pages and cursors are those of the list of runs; runs that nobody has assigned or approved are left out.',
          tags: ['Captioning'],
          responses: {
            200: answer('The states on this page.', { states: [stateExample], nextCursor: null }),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

const NO_VERSION = 'There is no such version of the review.';
const TOO_MANY = `A review has at most ${REVIEW_VERSIONS.mostNamed} versions with names, of ${REVIEW_VERSIONS.maxBytes / 2 ** 20} MiB together. Take the name of another one away first.`;
const CHANGED = 'Somebody has saved another review of this run. Look at it, then approve that.';

const unknownVersion = (): Problem => new Problem(404, 'version_not_found', NO_VERSION);

const RUN_ID = 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11';
const example: ReviewVersion = {
  id: 'ver_5f0f6d0e-6f55-4f43-8f4e-7a8d3a0e9b21',
  runId: RUN_ID,
  person: 'ada@captions.example',
  guest: false,
  name: null,
  isCurrent: false,
  startedAt: '2026-11-21T17:20:00.000Z',
  savedAt: '2026-11-21T18:00:00.000Z',
};
const stateExample: ReviewState = {
  runId: RUN_ID,
  state: 'approved',
  assignee: 'ada@captions.example',
  due: '2026-12-01',
  approval: { name: 'Ada', at: '2026-11-22T09:00:00.000Z', changedSince: false },
};
