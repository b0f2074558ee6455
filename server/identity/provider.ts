/** The interface of identity providers, which register addresses, issue keys and validate them. */
import type { Static } from '../contract/schema.ts';
import type { ErrorResponse } from '../contract/failure.ts';
import type { CaptionerScope } from '../contract/registration.ts';

/** The sender of a request. */
export interface Principal {
  keyId: string;
  ownerType: 'organization' | 'user';
  organizationId: string;
  /** The user who owns the key, if it is not owned by the organisation. */
  userId?: string;
  scopes: CaptionerScope[];
}

/** The part of a key that may be stored instead of the key: enough to check whether it is still valid. */
export type KeyOwner = Pick<Principal, 'keyId' | 'organizationId' | 'userId'>;

/** A valid key as its owner sees it, which is not enough to use it. */
export interface OwnKey {
  id: string;
  /** The part that can be shown. */
  obfuscated: string;
  name: string;
  scopes: CaptionerScope[];
  /** Epoch milliseconds, as is `lastUsedAt`. */
  createdAt: number;
  /** Null if it was never used, or if an outside provider validates it. */
  lastUsedAt: number | null;
}

export interface RegistrationRequest {
  /** A valid address, as entered. */
  email: string;
  scopes: CaptionerScope[];
  /** For rate limits, and shown in the mail. */
  clientAddress: string;
  userAgent: string;
  /** That of the mail, BCP 47. Default: English. */
  language?: string;
}

export interface StartedRegistration {
  registrationId: string;
  /** Returned only once; only its hash is stored. */
  claimToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** The client's remaining limit after this registration. */
  limit: RemainingLimit;
}

export interface Workspace {
  kind: 'personal' | 'team';
  externalId: string;
}

export interface IssuedKey {
  /** Returned only once; at most its hash is stored. */
  key: string;
  scopes: CaptionerScope[];
  organizationId: string;
  workspace: Workspace;
  metadata: {
    id: string;
    owner: { type: string; id: string };
    name: string;
    obfuscated_value: string;
  };
}

/** The key of a registration that was completed. */
export type ClaimedKey = IssuedKey & { registrationId: string };

/** A limit that has not been reached. */
export interface RemainingLimit extends ReachedLimit {
  /** How many more events are allowed now. */
  remaining: number;
  /** Whole seconds until one more event is allowed than now. */
  resetSeconds: number;
}

/** A limit that has been reached. */
export interface ReachedLimit {
  name: string;
  quota: number;
  windowSeconds: number;
}

interface IdentityErrorDetails {
  limit?: ReachedLimit;
  /** Whole seconds until the same request may be tried again. */
  retryAfter?: number;
  /** The response of an outside identity provider. */
  idp?: NonNullable<Static<typeof ErrorResponse>['error']['idp']>;
}

/** A refusal, as listed in the contract's table of registration errors (7.1). */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly status: number;
  readonly code: string;
  readonly details: IdentityErrorDetails;

  constructor(status: number, code: string, message: string, details: IdentityErrorDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** A claim of a key. */
export interface Claim {
  claimToken: string;
  code: string;
  /** The workspace to issue it in, of which the address has to be a member; default: that of the address itself. */
  organizationId?: string;
  /** That of a further mail, BCP 47. Default: English. */
  language?: string;
}

export interface IdentityProvider {
  /**
   * Starts a registration and emails a code.
   * @throws {IdentityError} `rate_limited`, `invalid_email` if the provider rejects the address, `idp_*`
   */
  start(request: RegistrationRequest): Promise<StartedRegistration>;
  /**
   * Completes a registration and returns the key, once.
   * @throws {IdentityError} `invalid_claim_token`, `invalid_otp`, `claim_already_used`,
   *   `claim_expired`, `too_many_attempts`, `user_mismatch`, `rate_limited`, `not_a_member`, `idp_*`
   */
  complete(claim: Claim): Promise<ClaimedKey>;
  /**
   * The owner of a key; null if it was never issued or is revoked.
   * @param fresh whether to bypass cached answers of up to 30 seconds ago, for requests that change something
   * @throws {IdentityError} `idp_*`: the provider gave no answer, so the key may be valid
   */
  validate(key: string, options?: { fresh?: boolean }): Promise<Principal | null>;
  /**
   * Whether a key that was valid has not been revoked since.
   * @throws {IdentityError} `idp_*`: the provider gave no answer
   */
  isLive(owner: KeyOwner): Promise<boolean>;
  /**
   * The valid keys of whoever owns a key: those that the same address claimed in the same workspace, newest first. None
   * if that key was not issued here.
   * @throws {IdentityError} `idp_*`: the provider gave no answer
   */
  keysOf(owner: KeyOwner): Promise<OwnKey[]>;
  /**
   * Revokes one of these keys at once. Absent where an outside provider manages them, in its own pages.
   * @returns false if there is no such key
   */
  revoke?(owner: KeyOwner, id: string): Promise<boolean>;
}
