/**
 * The routes of a person: what is stored under the address of a key, refusing that address, and erasing it. A key reaches
 * the address that claimed it and no other, also in a team; the operator reaches all (`captioner admin people`).
 */
import { Elysia } from 'elysia';
import { PersonData, PersonDisabled, PersonErasure } from '../../contract/registration.ts';
import { closed, Type } from '../../contract/schema.ts';
import { isEmail, normalizeEmail } from '../../identity/email.ts';
import { isAlone, soleOwnershipOf } from '../../identity/members.ts';
import { disablePerson, erasePerson, personData } from '../../identity/people.ts';
import type { Hasher } from '../../identity/secrets.ts';
import type { Log } from '../../base/log.ts';
import type { RunErasures } from '../../runs/run-erasure.ts';
import type { Runs } from '../../runs/service.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { erasedWorkspace } from './workspace.ts';

interface PersonServices {
  guard: Guard;
  database: Database;
  hasher: Hasher;
  audio: AudioStore;
  runs: Runs;
  erasure: RunErasures;
  dataDir: string;
  log: Log;
}

/** The routes. */
export function personRoutes({ guard, ...services }: PersonServices) {
  const { database, hasher, dataDir, log } = services;
  const scope = 'captioner:caption:run';
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/person',
      async ({ sender }) => {
        const { email } = await ownerOf(database, sender.keyId);
        return Response.json(await personData(database, hasher, email));
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(PersonData) },
        detail: detail({
          operationId: 'exportPerson',
          summary: 'Export what is stored under your email address',
          description:
            'The address that claimed the key: its keys and registrations, the runs, webhooks and links of its keys, and what operators did to it. GET /workspace/export has the data of the workspace itself.',
          tags: ['Registration'],
          responses: {
            200: answer('What is stored.', { ...NOTHING, address: 'ann@example.com' }),
            404: response('Problem'),
          },
        }),
      },
    )
    .post(
      '/workspace/person/disable',
      async ({ query, sender }) => {
        const { email } = await ownerOf(database, sender.keyId);
        refuseOther(query.confirm, email);
        await refuseSoleOwner(database, email);
        const keysRevoked = await disablePerson(database, hasher, email, Date.now());
        log.audit('person_disabled', { keyId: sender.keyId, keysRevoked });
        return Response.json({ address: email, keysRevoked });
      },
      {
        scope,
        query: wireQuery(ConfirmQuery),
        response: { 200: wireAnswer(PersonDisabled) },
        detail: detail({
          operationId: 'disablePerson',
          summary: 'Revoke all keys of your email address, and refuse it from now on',
          description:
            'For when others can read your email, or a key was stolen: codes that were sent are no longer valid, and no more are sent. Only the operator can admit the address again. Your data stays.',
          tags: ['Registration'],
          responses: {
            200: answer('The address is refused from now on.', {
              address: 'ann@example.com',
              keysRevoked: 2,
            }),
            404: response('Problem'),
            409: response('Problem'),
          },
        }),
      },
    )
    .delete(
      '/workspace/person',
      async ({ query, sender }) => {
        const { organizationId, keyId } = sender;
        const { email } = await ownerOf(database, keyId);
        refuseOther(query.confirm, email);
        await refuseSoleOwner(database, email);
        const isOwn = await isAlone(database, organizationId, email);
        const workspace = isOwn ? await erasedWorkspace(services, organizationId) : null;
        const erased = await erasePerson(database, hasher, email, { dataDir, at: Date.now() });
        log.audit('person_erased', { keyId });
        return Response.json({ erased, workspace });
      },
      {
        scope,
        query: wireQuery(ConfirmQuery),
        response: { 200: wireAnswer(PersonErasure) },
        detail: detail({
          operationId: 'erasePerson',
          summary: 'Erase your email address, its keys and your personal workspace',
          description:
            'Erases the address wherever it is stored, immediately and permanently: keys, registrations, and emails in an outbox. A personal workspace is erased with everything it has stored, as DELETE /workspace/data does; what a team has stored stays. The record of what operators did to the address is kept under a pseudonym.',
          tags: ['Registration'],
          responses: {
            200: answer('What was erased.', {
              erased: { keys: 2, registrations: 1, mails: 0, comments: 0, operatorActions: 0 },
              workspace: {
                erased: { runs: 12, recordings: 1, webhooks: 1, terms: true },
                recordingsLeft: 0,
              },
            }),
            404: response('Problem'),
            409: response('Problem'),
          },
        }),
      },
    );
}

const ConfirmQuery = closed({
  confirm: Type.String({
    description: 'your email address, so that nothing is done by accident',
    maxLength: 320,
  }),
});

const NOTHING = {
  disabled: false,
  keys: [],
  registrations: [],
  runs: [],
  webhooks: [],
  links: [],
  comments: [],
  memberships: [],
  auditEvents: [],
  operatorActions: [],
};

/** Refuses to leave a workspace with people whom nobody could manage. */
async function refuseSoleOwner(database: Database, email: string): Promise<void> {
  const sole = await soleOwnershipOf(database, email);
  if (!sole) return;
  throw new Problem(
    409,
    'last_owner',
    `You are the only owner of ${sole.organizationId}, which has other people. Make one of them an owner first, or remove them.`,
  );
}

/** The address that claimed a key. */
async function ownerOf(database: Database, keyId: string) {
  const row = await database
    .selectFrom('api_keys')
    .select('owner_email as email')
    .where('api_keys.id', '=', keyId)
    .executeTakeFirst();
  if (row) return row;
  throw new Problem(404, 'person_unknown', 'No email address claimed this key here.');
}

function refuseOther(confirm: string, email: string): void {
  if (isEmail(confirm) && normalizeEmail(confirm) === email) return;
  const message = 'must be the email address that claimed this key';
  throw Problem.invalidPayload(`The query parameter confirm ${message}.`, [
    { path: 'confirm', message },
  ]);
}
