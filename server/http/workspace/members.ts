/** The routes for whoever manages a workspace: its people, their invitations and their keys. */
import type { Static } from '../../contract/schema.ts';
import { Elysia } from 'elysia';
import { MEMBERS } from '../../contract/limits.ts';
import {
  Invitation,
  InvitationAccepted,
  InvitationCode,
  InvitationInput,
  InvitationList,
  Member,
  MemberChange,
  MemberKeyList,
  MemberList,
  MemberQuery,
  MemberRemovalQuery,
} from '../../contract/members.ts';
import { closed, freeObject, open, Type } from '../../contract/schema.ts';
import { isEmail, normalizeEmail } from '../../identity/email.ts';
import { createInvitations, type StoredInvitation } from '../../identity/invitations.ts';
import { invitationMail } from '../../identity/mail-texts.ts';
import type { Mailer } from '../../identity/mail.ts';
import {
  changeMember,
  LastOwner,
  listMembers,
  type MemberOrder,
  memberOf,
  OwnWorkspace,
  revokeWorkspaceKey,
  type StoredMember,
  workspaceKeys,
} from '../../identity/members.ts';
import { eraseMember, memberData } from '../../identity/people.ts';
import type { IdentityProvider } from '../../identity/provider.ts';
import type { Hasher } from '../../identity/secrets.ts';
import type { Database } from '../../storage/database.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import { asProblem, type Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { readerLanguage } from '../reader-language.ts';
import type { PublicAddress } from '../request.ts';
import { wireAnswer, wireInput, wireQuery } from '../wire.ts';

const MAX_BODY_BYTES = 4096;
const scope = 'captioner:caption:run';

interface MemberServices {
  address: PublicAddress;
  /** Whether BASE_URL is set, so that emails can name the service. */
  baseUrlIsSet: boolean;
  guard: Guard;
  identity: IdentityProvider;
  database: Database;
  hasher: Hasher;
  mailer: Pick<Mailer, 'deliver'>;
  clientAddress(request: Request): string;
}

/** The routes. */
export function memberRoutes({ guard, ...services }: MemberServices) {
  return new Elysia()
    .use(peopleRoutes(guard, services))
    .use(invitationRoutes(guard, services))
    .use(keyRoutes(guard, services));
}

type Services = Omit<MemberServices, 'guard'>;

const instant = (ms: number): string => new Date(ms).toISOString();

const shownMember = (member: StoredMember, person: string | null): Member => ({
  id: member.id,
  email: member.email,
  role: member.role,
  state: member.disabledAt === null ? 'active' : 'disabled',
  joinedAt: instant(member.joinedAt),
  lastUsedAt: member.lastUsedAt === null ? null : instant(member.lastUsedAt),
  keys: member.keys,
  current: member.email === person,
});

const EXAMPLE = {
  id: 'mem_3kQ9vTnX2bLaR',
  email: 'ann@example.com',
  role: 'owner',
  state: 'active',
  joinedAt: '2026-11-21T18:00:00.000Z',
  lastUsedAt: '2026-11-22T09:30:00.000Z',
  keys: 2,
  current: true,
} as const;

function peopleRoutes(guard: Guard, { database, hasher }: Services) {
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const change = (organizationId: string, id: string, order: MemberOrder) =>
    changeMember(database, hasher, { organizationId, id }, order, Date.now()).catch(refuseChange);
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      '/workspace/members',
      async ({ query, sender }) => {
        const { limit = MEMBERS.page, cursor } = query;
        const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString();
        const page = await listMembers(database, sender.organizationId, {
          limit: limit + 1,
          after,
        });
        const members = page.members.slice(0, limit);
        const last = members.at(-1);
        const isMore = page.members.length > limit && last !== undefined;
        return Response.json({
          members: members.map((member) => shownMember(member, sender.person)),
          nextCursor: isMore ? Buffer.from(last.email).toString('base64url') : null,
          total: page.total,
        } satisfies Static<typeof MemberList>);
      },
      {
        scope,
        query: wireQuery(MemberQuery),
        response: { 200: wireAnswer(MemberList) },
        detail: detail({
          operationId: 'listMembers',
          summary: 'List the people of your workspace',
          description: 'By their addresses. Needs the role owner, as do all operations on people.',
          tags: ['Members'],
          responses: {
            200: answer('The people.', { members: [EXAMPLE], nextCursor: null, total: 1 }),
          },
        }),
      },
    )
    .patch(
      '/workspace/members/:memberId',
      async ({ params, body, sender }) => {
        const { organizationId } = sender;
        const isDisabled = body.state === undefined ? undefined : body.state === 'disabled';
        const order = {
          ...(body.role && { role: body.role }),
          ...(isDisabled !== undefined && { isDisabled }),
        };
        const email = await change(organizationId, params.memberId, order);
        if (email === null) throw unknownMember();
        sender.subject.of = [email, body.role, body.state].filter(Boolean).join(' ');
        const { members } = await listMembers(database, organizationId, { limit: 1, only: email });
        const [member] = members;
        if (!member) throw unknownMember();
        return Response.json(shownMember(member, sender.person));
      },
      {
        scope,
        json,
        body: wireInput(MemberChange),
        response: { 200: wireAnswer(Member) },
        detail: detail({
          operationId: 'changeMember',
          summary: 'Change the role of a person, or disable the person',
          description:
            'The keys of a person who is disabled are revoked in the same moment, and no new one is issued until the person is enabled again. The last owner keeps the role, and so does the person whose personal workspace it is.',
          tags: ['Members'],
          requestBody: bodyExample({ role: 'reader' }),
          responses: {
            200: answer('The person.', { ...EXAMPLE, role: 'reader' }),
            404: response('Problem'),
            409: failing(
              '`last_owner`, `own_workspace`',
              'last_owner',
              'A workspace needs an owner. Make somebody else an owner first.',
            ),
          },
        }),
      },
    )
    .delete(
      '/workspace/members/:memberId',
      async ({ params, query, sender }) => {
        const { organizationId } = sender;
        const email = await change(organizationId, params.memberId, 'remove');
        if (email === null) throw unknownMember();
        // An erased address does not go on the record.
        const isErased = query.data === 'erase';
        sender.subject.of = isErased ? params.memberId : email;
        if (isErased) await eraseMember(database, hasher, { organizationId, email }, Date.now());
        return new Response(null, { status: 204 });
      },
      {
        scope,
        query: wireQuery(MemberRemovalQuery),
        detail: detail({
          operationId: 'removeMember',
          summary: 'Remove a person from your workspace',
          description:
            'The keys of the person are revoked in the same moment; what the person made stays. Whoever has an address of the domain of a team can register again: disable the person to prevent that.',
          tags: ['Members'],
          responses: {
            204: { description: 'The person is removed.' },
            404: response('Problem'),
            409: response('Problem'),
          },
        }),
      },
    )
    .get(
      '/workspace/members/:memberId/data',
      async ({ params, sender }) => {
        const { organizationId } = sender;
        const member = await memberOf(database, organizationId, params.memberId);
        if (!member) throw unknownMember();
        sender.subject.of = member.email;
        return Response.json(await memberData(database, organizationId, member.email));
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(MemberData) },
        detail: detail({
          operationId: 'exportMember',
          summary: 'Export what your workspace stores under the address of a person',
          tags: ['Members'],
          responses: { 200: answer('What is stored.'), 404: response('Problem') },
        }),
      },
    );
}

const many = Type.Array(freeObject());

const MemberData = open({
  address: Type.String(),
  memberships: many,
  keys: many,
  runs: many,
  webhooks: many,
  links: many,
  comments: many,
  auditEvents: many,
});

const unknownMember = (): Problem =>
  new Problem(404, 'member_not_found', 'Your workspace has no such person.');

/** Refuses what would leave a workspace to nobody. */
function refuseChange(error: unknown): never {
  if (error instanceof LastOwner) {
    const message = 'A workspace needs an owner. Make somebody else an owner first.';
    throw new Problem(409, 'last_owner', message);
  }
  if (error instanceof OwnWorkspace) {
    const message = 'A personal workspace stays with the person whose it is.';
    throw new Problem(409, 'own_workspace', message);
  }
  throw error;
}

const shownInvitation = (invitation: StoredInvitation): Invitation => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  invitedBy: invitation.invitedBy,
  createdAt: instant(invitation.createdAt),
  expiresAt: instant(invitation.expiresAt),
});

function invitationRoutes(guard: Guard, services: Services) {
  const { address, identity, mailer, baseUrlIsSet, clientAddress } = services;
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const invitations = createInvitations(services);
  return new Elysia()
    .use(jsonBodies)
    .post(
      '/workspace/invitations/accept',
      async ({ request, body }) => {
        const { key, email, role, organizationId, scopes } = await asProblem(() =>
          invitations.accept(body.code, clientAddress(request)),
        );
        return Response.json({
          credential: key,
          email,
          role,
          organizationId,
          scopes,
        } satisfies InvitationAccepted);
      },
      {
        json,
        body: wireInput(InvitationCode),
        response: { 200: wireAnswer(InvitationAccepted) },
        detail: detail({
          operationId: 'acceptInvitation',
          summary: 'Accept an invitation with the code from its email',
          description: 'Returns a key of the workspace, once. Needs no key.',
          tags: ['Members'],
          requestBody: bodyExample({ code: '7Q2MX-4R9TB-KD83W-ZP5HN' }),
          responses: {
            200: answer('The key, returned exactly once.'),
            401: failing(
              '`invalid_invitation`',
              'invalid_invitation',
              'This invitation is not valid: it was used or taken back, or has expired.',
            ),
            429: response('TooManyRequests'),
          },
        }),
      },
    )
    .use(guard)
    .post(
      '/workspace/invitations',
      async ({ request, body, sender }) => {
        if (!identity.revoke) throw managedElsewhere();
        if (!isEmail(body.email)) throw notAnAddress();
        const email = normalizeEmail(body.email);
        const made = await asProblem(() =>
          invitations.invite(sender.organizationId, {
            email,
            role: body.role,
            invitedBy: sender.person,
          }),
        );
        sender.subject.of = `${email} ${body.role}`;
        const place = baseUrlIsSet ? address.of(request) : null;
        await mailer.deliver(invitationMail(made, place, readerLanguage(request)));
        return Response.json(shownInvitation(made), { status: 201 });
      },
      {
        scope,
        json,
        body: wireInput(InvitationInput),
        response: { 201: wireAnswer(Invitation) },
        detail: detail({
          operationId: 'inviteMember',
          summary: 'Invite a person to your workspace by email',
          description:
            'The email has a code that is valid once, for seven days, and until the invitation is taken back. A new invitation of the same address replaces the older one.',
          tags: ['Members'],
          requestBody: bodyExample({ email: 'bob@example.org', role: 'editor' }),
          responses: {
            201: answer('The invitation, without its code.'),
            409: failing(
              '`already_member`, `too_many_invitations`, or `managed_elsewhere` where an outside provider manages people',
              'already_member',
              'This person is in the workspace already.',
            ),
            429: response('TooManyRequests'),
          },
        }),
      },
    )
    .get(
      '/workspace/invitations',
      async ({ sender }) =>
        Response.json({
          invitations: (await invitations.list(sender.organizationId)).map(shownInvitation),
        }),
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(InvitationList) },
        detail: detail({
          operationId: 'listInvitations',
          summary: 'List the invitations that nobody has accepted yet',
          tags: ['Members'],
          responses: { 200: answer('The invitations, newest first.') },
        }),
      },
    )
    .delete(
      '/workspace/invitations/:invitationId',
      async ({ params, sender }) => {
        const email = await invitations.revoke(sender.organizationId, params.invitationId);
        if (email === null) {
          throw new Problem(404, 'invitation_not_found', 'There is no such invitation.');
        }
        sender.subject.of = email;
        return new Response(null, { status: 204 });
      },
      {
        scope,
        detail: detail({
          operationId: 'revokeInvitation',
          summary: 'Take an invitation back',
          tags: ['Members'],
          responses: {
            204: { description: 'Its code is no longer valid.' },
            404: response('Problem'),
          },
        }),
      },
    );
}

const managedElsewhere = (): Problem =>
  new Problem(
    409,
    'managed_elsewhere',
    'The identity provider of this service manages people and keys. Use its own pages.',
  );

const notAnAddress = (): Problem => {
  const message = 'must be an email address';
  return Problem.invalidPayload(`email ${message}.`, [{ path: 'email', message }]);
};

function keyRoutes(guard: Guard, { identity, database }: Services) {
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/member-keys',
      async ({ sender }) => {
        const { organizationId, keyId } = sender;
        const { keys, total } = await workspaceKeys(database, organizationId, MEMBERS.keys);
        return Response.json({
          keys: keys.map((key) => ({
            ...key,
            createdAt: instant(key.createdAt),
            lastUsedAt: key.lastUsedAt === null ? null : instant(key.lastUsedAt),
            current: key.id === keyId,
          })),
          total,
          revocable: identity.revoke !== undefined,
        } satisfies Static<typeof MemberKeyList>);
      },
      {
        scope,
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(MemberKeyList) },
        detail: detail({
          operationId: 'listMemberKeys',
          summary: 'List the valid keys of all people of your workspace',
          tags: ['Members'],
          responses: { 200: answer('The keys, without their secrets.') },
        }),
      },
    )
    .delete(
      '/workspace/member-keys/:keyId',
      async ({ params, sender }) => {
        if (!identity.revoke) throw managedElsewhere();
        const { organizationId } = sender;
        const email = await revokeWorkspaceKey(database, organizationId, params.keyId, Date.now());
        if (email === null) {
          throw new Problem(404, 'key_not_found', 'Your workspace has no such key.');
        }
        sender.subject.of = `${email} ${params.keyId}`;
        return new Response(null, { status: 204 });
      },
      {
        scope,
        detail: detail({
          operationId: 'revokeMemberKey',
          summary: 'Revoke a key of your workspace',
          tags: ['Members'],
          responses: {
            204: { description: 'It is no longer valid.' },
            404: response('Problem'),
            409: response('Problem'),
          },
        }),
      },
    );
}
