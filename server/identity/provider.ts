/** What an identity provider is: it registers addresses, issues keys and knows them again. */
import type { CaptionerScope } from '../contract/scopes.ts';

/** Who sends a request. */
export interface Principal {
  keyId: string;
  ownerType: 'organization' | 'user';
  organizationId: string;
  scopes: CaptionerScope[];
}

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

export interface ClaimedKey {
  registrationId: string;
  /** Handed out once; only its hash is kept. */
  key: string;
  scopes: CaptionerScope[];
  organizationId: string;
  workspace: { kind: 'personal' | 'team'; externalId: string };
  metadata: {
    id: string;
    owner: { type: string; id: string };
    name: string;
    obfuscated_value: string;
  };
}

/** A limit that was reached. */
export interface ReachedLimit {
  name: string;
  quota: number;
  windowSeconds: number;
  /** Whole seconds until a request passes again. */
  retryAfter: number;
}

/** A refusal, as the contract's table of registration errors has it (7.1). */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly status: number;
  readonly code: string;
  readonly limit: ReachedLimit | undefined;

  constructor(status: number, code: string, message: string, limit?: ReachedLimit) {
    super(message);
    this.status = status;
    this.code = code;
    this.limit = limit;
  }
}

export interface IdentityProvider {
  /**
   * Begins a registration: a code goes out by mail.
   * @throws {IdentityError} `rate_limited`
   */
  start(request: RegistrationRequest): Promise<StartedRegistration>;
  /**
   * Completes it: the key, once.
   * @throws {IdentityError} `invalid_claim_token`, `invalid_otp`, `claim_already_used`,
   *   `claim_expired`, `too_many_attempts`
   */
  complete(claim: { claimToken: string; code: string }): Promise<ClaimedKey>;
  /** Who a key belongs to; null where it was never issued or is revoked. */
  validate(key: string): Promise<Principal | null>;
}
