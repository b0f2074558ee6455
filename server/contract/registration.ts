/** The messages of registration and claim. Contract 2.6. */
import { WorkspaceErasure } from './runs.ts';
import { closed, dateTime, enumeration, freeObject, open, Type, type Static } from './schema.ts';

/** The permissions that a key can have. */
export const SCOPES = [
  'captioner:audio:upload',
  'captioner:caption:run',
  'captioner:terminology:read',
] as const;

/** One of SCOPES. Contract 2.1. */
export const CaptionerScope = enumeration(SCOPES);
export type CaptionerScope = Static<typeof CaptionerScope>;

/**
 * Whether a value is a scope, spelled exactly.
 * @example
 * isScope('captioner:caption:run'); // => true
 * isScope('admin'); // => false
 */
export const isScope = (value: unknown): value is CaptionerScope =>
  SCOPES.some((scope) => scope === value);

/** The request for a one-time code, emailed to `assertion`. Contract 2.6. */
export const AgentAuthRequest = open({
  type: Type.Literal('identity_assertion'),
  assertion_type: Type.Literal('verified_email'),
  assertion: Type.String({ format: 'email' }),
  requested_credential_type: Type.Literal('api_key'),
  requested_scopes: Type.Optional(Type.Array(CaptionerScope)),
});

/** The delivery method of the one-time code; it is the same for every identity provider. */
export const CODE_DELIVERY_METHOD = 'workos_magic_auth_email';

/** The response to AgentAuthRequest, with the claim token, which is shown only once. Contract 2.6. */
export const AgentAuthStarted = closed({
  registration_id: Type.String(),
  registration_type: Type.Literal('email-verification'),
  status: Type.Literal('claim_required'),
  flow: Type.Literal('user-claimed-email-required'),
  credential_type: Type.Literal('api_key'),
  claim_token: Type.String(),
  claim_token_expires: dateTime(),
  claim_token_expires_at: dateTime(),
  claim_url: Type.Optional(Type.String()),
  claim_complete_url: Type.String(),
  delivery: closed({
    method: Type.Literal(CODE_DELIVERY_METHOD),
    email: Type.String({ description: 'the address, masked' }),
  }),
  requested_scopes: Type.Array(CaptionerScope),
  post_claim_scopes: Type.Array(CaptionerScope),
});

/** The claim: its token, and the six digits from the email as `otp` or `code`. Contract 2.6. */
export const AgentAuthCompleteRequest = open({
  claim_token: Type.String(),
  otp: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
  organization_id: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'a workspace of which the address is a member; default: that of the address itself',
    }),
  ),
});

/** The response to AgentAuthCompleteRequest, with the API key, which is shown only once. Contract 2.6. */
export const AgentAuthCompleted = closed({
  registration_id: Type.String(),
  registration_type: Type.Literal('email-verification'),
  status: Type.Literal('claimed'),
  credential_type: Type.Literal('api_key'),
  credential: Type.String({ description: 'the API key, returned exactly once' }),
  credential_expires: Type.Null(),
  api_key: Type.String({ description: 'the same value as credential' }),
  token_type: Type.Literal('Bearer'),
  scopes: Type.Array(CaptionerScope),
  organization_id: Type.String(),
  workspace: closed({
    kind: enumeration(['personal', 'team']),
    external_id: Type.String(),
  }),
  api_key_metadata: open({
    id: Type.String(),
    owner: Type.Record(Type.String(), Type.Unknown()),
    name: Type.Optional(Type.String()),
    obfuscated_value: Type.Optional(Type.String()),
  }),
});

/** A valid key of the account, without its secret. Times are ISO 8601. */
const AccountKey = closed({
  id: Type.String(),
  obfuscated: Type.String({ description: 'the part of the key that can be shown' }),
  name: Type.String(),
  scopes: Type.Array(CaptionerScope),
  createdAt: dateTime(),
  lastUsedAt: Type.Union([dateTime(), Type.Null()], {
    description: 'to the minute; null if the key has not been used, or if that is not known',
  }),
  current: Type.Boolean({ description: 'whether the request was sent with this key' }),
});

/** The account of a key: its workspace, and the keys that the same address claimed there. */
export const AccountKeys = closed({
  organizationId: Type.String(),
  workspace: enumeration(['personal', 'team', 'unknown'], {
    description: 'whose workspace it is; `unknown` for a key that was not issued by this service',
  }),
  keys: Type.Array(AccountKey, { description: 'the newest 100, newest first' }),
  revocable: Type.Boolean({
    description: 'whether people may revoke them in the settings of the app',
  }),
  total: Type.Integer({ minimum: 0, description: 'the number of all valid keys of this address' }),
});
export type AccountKeys = Static<typeof AccountKeys>;

/** What the service stores under the address of a key. Times are epoch milliseconds. */
export const PersonData = open({
  address: Type.String({ format: 'email' }),
  disabled: Type.Boolean({ description: 'whether the address is refused' }),
  keys: Type.Array(freeObject(), {
    description: 'its keys, including revoked ones, without their secrets',
  }),
  registrations: Type.Array(freeObject()),
  runs: Type.Array(freeObject(), { description: 'the runs that its keys have started' }),
  webhooks: Type.Array(freeObject()),
  links: Type.Array(freeObject(), { description: 'the links to reviews that its keys have made' }),
  comments: Type.Array(freeObject(), { description: 'comments made under the address as a name' }),
  memberships: Type.Array(freeObject(), { description: 'the workspaces that the address may use' }),
  auditEvents: Type.Array(freeObject(), {
    description: 'what the address did, on the records of its workspaces',
  }),
  operatorActions: Type.Array(freeObject(), { description: 'what operators did to the address' }),
});

/** What was erased of a person. */
export const PersonErasure = closed({
  erased: closed({
    keys: Type.Integer({ minimum: 0 }),
    registrations: Type.Integer({ minimum: 0 }),
    mails: Type.Integer({ minimum: 0, description: 'emails that were written to the outbox' }),
    comments: Type.Integer({ minimum: 0, description: 'comments that now have a pseudonym' }),
    operatorActions: Type.Integer({ minimum: 0, description: 'entries that now have a pseudonym' }),
  }),
  workspace: Type.Union([WorkspaceErasure, Type.Null()], {
    description:
      'what was erased with a personal workspace that nobody else uses; null for others, whose data stays',
  }),
});

/** The answer to a refusal of one's own address. */
export const PersonDisabled = closed({
  address: Type.String({ format: 'email' }),
  keysRevoked: Type.Integer({ minimum: 0 }),
});
