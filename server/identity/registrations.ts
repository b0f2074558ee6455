/** How a registration begins: within limits, whoever makes its code. */
import { randomBytes, randomUUID } from 'node:crypto';
import { REGISTRATION_KEPT_HOURS, REGISTRATIONS_PER_ADDRESS } from '../contract/limits.ts';
import type { Database } from '../storage/database.ts';
import { hashOfCode } from './claims.ts';
import { clientNetwork } from './client-network.ts';
import { normalizeEmail } from './email.ts';
import type { RegistrationRequest, StartedRegistration } from './provider.ts';
import { countAgainst, uncount } from './rate-limit.ts';
import type { Hasher } from './secrets.ts';

const HOUR_MS = 3_600_000;
/** Registrations are forgotten a day after they were made: until then a used claim token is told apart from an unknown one. */
const KEPT_MS = REGISTRATION_KEPT_HOURS * HOUR_MS;
const SWEEP_EVERY_MS = HOUR_MS / 6;

/** A code that was made for a registration. */
export interface MadeCode {
  code: string;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** Of an outside identity provider. */
  userId?: string;
}

export interface RegistrationOptions {
  database: Database;
  hasher: Hasher;
  /** Registrations an hour from one client. */
  registrationsPerIp: number;
  /** The clock, in epoch milliseconds. */
  now(): number;
}

/** Makes the function that begins registrations. */
export function createRegistrar({
  database,
  hasher,
  registrationsPerIp,
  now,
}: RegistrationOptions) {
  let swept = 0;
  const limits = (email: string, clientAddress: string) => [
    {
      name: 'registrations-per-address',
      subject: hasher.hash('limit', 'address', email),
      quota: REGISTRATIONS_PER_ADDRESS,
      windowMs: HOUR_MS,
    },
    {
      name: 'registrations-per-client',
      subject: hasher.hash('limit', 'client', clientNetwork(clientAddress)),
      quota: registrationsPerIp,
      windowMs: HOUR_MS,
    },
  ];

  /**
   * Begins a registration.
   * @param makeCode makes the code for the normalized address; where it fails nothing is counted
   * @returns what is handed out, and what is mailed to whom
   * @throws {IdentityError} `rate_limited`
   */
  return async function begin(
    request: RegistrationRequest,
    makeCode: (email: string) => MadeCode | Promise<MadeCode>,
  ): Promise<{ started: StartedRegistration; email: string; code: string }> {
    const at = now();
    const email = normalizeEmail(request.email);
    if (at - swept >= SWEEP_EVERY_MS) {
      swept = at;
      await forgetOld(database, at);
    }
    const counted = await countAgainst(database, limits(email, request.clientAddress), at);
    let made: MadeCode;
    try {
      made = await makeCode(email);
    } catch (error) {
      await uncount(database, counted);
      throw error;
    }
    const registrationId = `reg_${randomUUID()}`;
    const claimToken = `clm_${randomBytes(32).toString('base64url')}`;
    const { code, expiresAt, userId = null } = made;
    await database
      .insertInto('registrations')
      .values({
        id: registrationId,
        email,
        claim_token_hash: hasher.hash('claim', claimToken),
        code_hash: hashOfCode(hasher, registrationId, code),
        scopes: JSON.stringify(request.scopes),
        attempts: 0,
        state: 'open',
        created_at: at,
        expires_at: expiresAt,
        provider_user_id: userId,
        lease_until: null,
      })
      .execute();
    return { started: { registrationId, claimToken, expiresAt }, email, code };
  };
}

async function forgetOld(database: Database, at: number): Promise<void> {
  await database
    .deleteFrom('rate_events')
    .where('at', '<=', at - HOUR_MS)
    .execute();
  await database
    .deleteFrom('registrations')
    .where('created_at', '<', at - KEPT_MS)
    .execute();
}
