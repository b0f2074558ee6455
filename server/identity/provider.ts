/** What an identity provider is: it registers addresses, issues keys and knows them again. */
import type { ErrorResponse } from '../contract/errors.ts';
import type { CaptionerScope } from '../contract/scopes.ts';

/** Who sends a request. */
export interface Principal {
  keyId: string;
  ownerType: 'organization' | 'user';
  organizationId: string;
  /** The user who owns the key, where that is not the organisation. */
  userId?: string;
  scopes: CaptionerScope[];
}

/** What is kept of a key where the key itself is not: enough to ask whether it still works. */
export type KeyOwner = Pick<Principal, 'keyId' | 'organizationId' | 'userId'>;

export interface RegistrationRequest {
  /** A valid address, as given. */
  email: string;
  scopes: CaptionerScope[];
  /** For limits, and for the mail to name. */
  clientAddress: string;
  userAgent: string;
}

export interface StartedRegistration {
  registrationId: string;
  /** Handed out once; only its hash is kept. */
  claimToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface Workspace {
  kind: 'personal' | 'team';
  externalId: string;
}

export interface IssuedKey {
  /** Handed out once; only its hash is kept, if anything. */
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

/** A limit that was reached. */
export interface ReachedLimit {
  name: string;
  quota: number;
  windowSeconds: number;
}

export interface IdentityErrorDetails {
  limit?: ReachedLimit;
  /** Whole seconds until the same may be tried again. */
  retryAfter?: number;
  /** What an outside identity provider answered. */
  idp?: NonNullable<ErrorResponse['error']['idp']>;
}

/** A refusal, as the contract's table of registration errors has it (7.1). */
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

export interface IdentityProvider {
  /**
   * Begins a registration: a code goes out by mail.
   * @throws {IdentityError} `rate_limited`, `invalid_email` where the provider knows better, `idp_*`
   */
  start(request: RegistrationRequest): Promise<StartedRegistration>;
  /**
   * Completes it: the key, once.
   * @throws {IdentityError} `invalid_claim_token`, `invalid_otp`, `claim_already_used`,
   *   `claim_expired`, `too_many_attempts`, `user_mismatch`, `rate_limited`, `idp_*`
   */
  complete(claim: { claimToken: string; code: string }): Promise<ClaimedKey>;
  /**
   * Who a key belongs to; null where it was never issued or is revoked.
   * @param fresh not from what was known up to 30 seconds ago: for whatever changes something
   * @throws {IdentityError} `idp_*`: the provider could not say, so the key may well be good
   */
  validate(key: string, options?: { fresh?: boolean }): Promise<Principal | null>;
  /**
   * Whether a key that was good has not been revoked since.
   * @throws {IdentityError} `idp_*`: the provider could not say
   */
  isLive(owner: KeyOwner): Promise<boolean>;
}
