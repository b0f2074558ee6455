/** The messages about people of a workspace: their roles, invitations, keys, and what was done in it. */
import { INVITATION, MEMBERS, RETENTION, WORKSPACE_AUDIT } from './limits.ts';
import { CaptionerScope } from './registration.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** What a person may do in a workspace, each more than the one before. */
export const ROLES = ['reader', 'editor', 'owner'] as const;

/** One of ROLES. */
export const Role = enumeration(ROLES, {
  description:
    'reader: reads and comments; editor: also changes captions, runs and terms; owner: also manages people',
});
export type Role = Static<typeof Role>;

/** Whether a role includes another. */
export const includesRole = (role: Role, least: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(least);

const Kind = enumeration(['personal', 'team', 'unknown'], {
  description: 'whose workspace it is; `unknown` for a key that was not issued by this service',
});

/** The sender of a request, as the service knows it. */
export const Account = closed({
  organizationId: Type.String(),
  workspace: Kind,
  email: Type.Union([Type.String(), Type.Null()], {
    description: 'the address that claimed the key; null if nobody claimed it here',
  }),
  role: Role,
  memberships: Type.Array(
    closed({
      organizationId: Type.String(),
      name: Type.String({
        description:
          'the domain of a team, or the address of whoever has had the workspace longest',
      }),
      role: Role,
      current: Type.Boolean(),
    }),
    {
      description:
        'the workspaces of the same address; `organization_id` in POST /agent/auth/claim/complete gets a key for one of them',
    },
  ),
});
export type Account = Static<typeof Account>;

/** A person in a workspace. */
export const Member = closed({
  id: Type.String(),
  email: Type.String(),
  role: Role,
  state: enumeration(['active', 'disabled']),
  joinedAt: dateTime(),
  lastUsedAt: Type.Union([dateTime(), Type.Null()], {
    description: 'when a key of the person was last used, to the minute',
  }),
  keys: Type.Integer({ minimum: 0, description: 'valid keys' }),
  current: Type.Boolean({ description: 'whether the request was sent with a key of this person' }),
});
export type Member = Static<typeof Member>;

/** A page of the people of a workspace. */
export const MemberList = closed({
  members: Type.Array(Member),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
  total: Type.Integer({ minimum: 0 }),
});

/** Which page of it. */
export const MemberQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MEMBERS.page, default: MEMBERS.page })),
  cursor: Type.Optional(Type.String({ maxLength: 600 })),
});

/** A change to a person in a workspace. */
export const MemberChange = closed({
  role: Type.Optional(Role),
  state: Type.Optional(enumeration(['active', 'disabled'])),
});

/** What happens to the traces of a person who is removed. */
export const MemberRemovalQuery = closed({
  data: Type.Optional(
    enumeration(['keep', 'erase'], {
      default: 'keep',
      description: 'erase: a pseudonym replaces the address everywhere in the workspace',
    }),
  ),
});

const Address = Type.String({ format: 'email', maxLength: 320 });

/** An invitation to make. */
export const InvitationInput = closed({ email: Address, role: Role });

/** An invitation that has not been accepted. */
export const Invitation = closed({
  id: Type.String(),
  email: Type.String(),
  role: Role,
  invitedBy: Type.Union([Type.String(), Type.Null()]),
  createdAt: dateTime(),
  expiresAt: dateTime(),
});
export type Invitation = Static<typeof Invitation>;

/** The invitations of a workspace. */
export const InvitationList = closed({ invitations: Type.Array(Invitation) });

/** The code of an invitation, from its email. */
export const InvitationCode = closed({
  code: Type.String({ minLength: 1, maxLength: INVITATION.maxCodeChars }),
});

/** The key of a person who has accepted an invitation, shown only once. */
export const InvitationAccepted = closed({
  credential: Type.String({ description: 'the API key, returned exactly once' }),
  email: Type.String(),
  role: Role,
  organizationId: Type.String(),
  scopes: Type.Array(CaptionerScope),
});
export type InvitationAccepted = Static<typeof InvitationAccepted>;

/** A valid key of a workspace, and whose it is. */
const MemberKey = closed({
  id: Type.String(),
  obfuscated: Type.String(),
  name: Type.String(),
  email: Type.String(),
  scopes: Type.Array(CaptionerScope),
  createdAt: dateTime(),
  lastUsedAt: Type.Union([dateTime(), Type.Null()]),
  current: Type.Boolean(),
});

/** The valid keys of a workspace. */
export const MemberKeyList = closed({
  keys: Type.Array(MemberKey, { description: `the newest ${MEMBERS.keys}, newest first` }),
  total: Type.Integer({ minimum: 0 }),
  revocable: Type.Boolean({ description: 'false where an outside provider manages keys' }),
});

const quota = closed({
  bytes: Type.Integer({ minimum: 0 }),
  quota: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'null: none' }),
});

/** What a workspace stores and may store. */
export const Usage = closed({
  recordings: quota,
  results: quota,
  runs: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'how many runs are in each state',
  }),
  members: Type.Integer({ minimum: 0 }),
  keys: Type.Integer({ minimum: 0 }),
});
export type Usage = Static<typeof Usage>;

const OwnerQuota = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
  description: 'bytes; null: as the service allows',
});

/** What owners let their workspace store, which is never more than the service allows. */
export const Quotas = closed({ recordings: OwnerQuota, results: OwnerQuota });

const bothQuotas = closed({
  owner: OwnerQuota,
  service: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'bytes that the service allows; null: no limit',
  }),
});

/** That, and what the service allows. */
export const QuotasAnswer = closed({ recordings: bothQuotas, results: bothQuotas });

const Days = Type.Union(
  [Type.Integer({ minimum: RETENTION.minimum, maximum: RETENTION.maximum }), Type.Null()],
  { description: 'days after the end of a run; null: as long as the service keeps results' },
);

const MediaDays = Type.Union(
  [Type.Integer({ minimum: RETENTION.minimum, maximum: RETENTION.maximum }), Type.Null()],
  {
    description:
      'days for which sound and video are kept: those that stay with a run, after its end; recordings without one, after they were stored. null: as long as the run, and as long as the service',
  },
);

/** How long runs with everything that belongs to them are kept, and how long what can be played of them. */
export const Retention = closed({ runDays: Days, mediaDays: Type.Optional(MediaDays) });

/** The retention of a workspace, and that of the service, which is never exceeded. */
export const RetentionAnswer = closed({
  runDays: Days,
  mediaDays: MediaDays,
  serviceDays: Type.Number({ minimum: 0 }),
});

const shortText = Type.String({ maxLength: 200 });

/** Which entries of the record of a workspace. */
export const AuditQuery = closed({
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'a part of the person, the action or what it was done to, in any case',
    }),
  ),
  from: Type.Optional(Type.String({ format: 'date-time' })),
  to: Type.Optional(Type.String({ format: 'date-time' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: WORKSPACE_AUDIT.page, default: WORKSPACE_AUDIT.page }),
  ),
  cursor: Type.Optional(shortText),
});

/** Something that was done in a workspace. */
const AuditEntry = closed({
  id: Type.String(),
  at: dateTime(),
  person: Type.Union([Type.String(), Type.Null()], {
    description: 'the address of whoever did it; null if nobody claimed the key here',
  }),
  keyId: Type.Union([Type.String(), Type.Null()]),
  action: Type.String({ description: 'the operation, as in this document: `POST /webhooks`' }),
  subject: Type.String({ description: 'what it was done to' }),
});

/** A page of the record, newest first. */
export const AuditList = closed({
  entries: Type.Array(AuditEntry),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
});
