/** Starts registrations within their limits, for any provider. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { type TeamOptions, emailDomain, normalizeEmail } from './email.ts';
import type { RegistrationRequest, StartedRegistration, RemainingLimit } from './provider.ts';
import { clientNetwork, siteNetwork } from './networks.ts';
import { type Limit, countAgainst, secondsUntil } from './rate-limit.ts';
import { isDisabled } from './people.ts';
import type { Hasher } from './secrets.ts';
import { REGISTRATION } from '../contract/limits.ts';
import { hashOfCode } from './claims.ts';

const HOUR_MS = 3_600_000;
/**
 * The time for which registrations are kept, so that a used claim token can be distinguished from an unknown one: a
 * day.
 */
const KEPT_MS = REGISTRATION.keptHours * HOUR_MS;
const SWEEP_EVERY_MS = HOUR_MS / 6;

/** The code of a registration. */
interface MadeCode {
  code: string;
  /** Epoch milliseconds; by default the end of the claim. */
  expiresAt?: number;
  /** With an outside identity provider, its user and its id for the code. */
  userId?: string;
  providerCodeId?: string;
}

interface RegistrationOptions extends TeamOptions {
  database: Database;
  hasher: Hasher;
  /** Registrations an hour from one client. */
  registrationsPerIp: number;
  /** Registrations an hour for all addresses together; default: REGISTRATION.inAll. */
  registrationsPerHour?: number;
  /** The clock, in epoch milliseconds. */
  now(): number;
  /** Other periodic work that is done with each registration; it does not throw. */
  sweep?(): Promise<void>;
}

/** A registration that has started. */
interface Begun {
  started: StartedRegistration;
  /** The normalized address. */
  email: string;
  /** The code to email; null for an address that may not have a key, which gets the same response but no email. */
  code: string | null;
}

/** Creates the function that starts registrations. */
export function createRegistrar(options: RegistrationOptions) {
  const { database, hasher, now, sweep = async () => {} } = options;
  let swept = -Infinity;

  /**
   * Starts a registration.
   * @param makeCode creates the code for the normalised address; if it fails, nothing is counted
   * @returns the response, and the email to send
   * @throws {IdentityError} `rate_limited`
   */
  return async function begin(
    request: RegistrationRequest,
    makeCode: (email: string) => MadeCode | Promise<MadeCode>,
  ): Promise<Begun> {
    const at = now();
    const email = normalizeEmail(request.email);
    if (at - swept >= SWEEP_EVERY_MS) {
      swept = at;
      void sweep();
      await forgetOld(database, at);
    }
    const { ofClient, limits } = registrationLimits(options, email, request.clientAddress);
    const counted = await countAgainst(database, limits, at);
    let made: MadeCode | null = null;
    try {
      const isWelcome = mayClaim(email, options) && !(await isDisabled(database, hasher, email));
      if (isWelcome) made = await makeCode(email);
    } catch (error) {
      await uncount(database, counted);
      throw error;
    }
    const registrationId = `reg_${randomUUID()}`;
    const claimToken = `clm_${randomBytes(32).toString('base64url')}`;
    const {
      code = null,
      expiresAt = at + REGISTRATION.claimMinutes * 60_000,
      userId = null,
      providerCodeId = null,
    } = made ?? {};
    await database
      .insertInto('registrations')
      .values({
        id: registrationId,
        email,
        claim_token_hash: hasher.hash('claim', claimToken),
        code_hash: code === null ? '' : hashOfCode(hasher, registrationId, code),
        scopes: JSON.stringify(request.scopes),
        attempts: 0,
        state: 'open',
        created_at: at,
        expires_at: expiresAt,
        client: hasher.hash('client', siteNetwork(request.clientAddress)),
        provider_user_id: userId,
        provider_code_id: providerCodeId,
      })
      .execute();
    const limit = await remainingOf(database, ofClient, at);
    const started = { registrationId, claimToken, expiresAt, limit };
    return { started, email, code };
  };
}

/**
 * The limits on a registration. Each registration sends an email, so these limit emails too. An address is first
 * limited for each network, so that a stranger who registers it uses up only the stranger's own share. The limits do
 * not depend on whether the address is known or may have a key, and so do not reveal it.
 */
function registrationLimits(
  { hasher, registrationsPerIp, registrationsPerHour = REGISTRATION.inAll }: RegistrationOptions,
  email: string,
  clientAddress: string,
): { ofClient: Limit; limits: Limit[] } {
  const site = siteNetwork(clientAddress);
  const limit = (name: string, quota: number, ...of: string[]): Limit => ({
    name,
    subject: hasher.hash('limit', name, ...of),
    quota,
    windowMs: HOUR_MS,
  });
  const domainQuota = Math.max(1, Math.floor(registrationsPerHour * REGISTRATION.domainShare));
  const client = clientNetwork(clientAddress);
  // The only limit that a response may mention, because it concerns nobody but the client.
  const ofClient = limit('registrations-per-client', registrationsPerIp, client);
  const limits = [
    limit('registrations-per-address', REGISTRATION.perAddress, email, site),
    limit('registrations-per-address-in-all', REGISTRATION.perAddressInAll, email),
    ofClient,
    limit('registrations-per-network', registrationsPerIp * REGISTRATION.clientsPerNetwork, site),
    limit('registrations-per-domain', domainQuota, emailDomain(email)),
    limit('registrations-in-all', registrationsPerHour),
  ];
  return { ofClient, limits };
}

async function forgetOld(database: Database, at: number): Promise<void> {
  await forgetEvents(database, at);
  await database
    .deleteFrom('registrations')
    .where('created_at', '<', at - KEPT_MS)
    .execute();
}

/**
 * Whether a normalised address may have a key: always, unless it is in the team's domain and the team has a list
 * without it.
 */
const mayClaim = (email: string, { teamEmailDomain, teamEmailAllow }: TeamOptions): boolean =>
  teamEmailAllow === null || emailDomain(email) !== teamEmailDomain || teamEmailAllow.has(email);

/** Removes counted events again, because their action did not take place. */
async function uncount(database: Database, ids: readonly string[]): Promise<void> {
  await database.deleteFrom('rate_events').where('id', 'in', ids).execute();
}

/** Removes events that no longer count. */
async function forgetEvents(database: Database, now: number): Promise<void> {
  await database
    .deleteFrom('rate_events')
    .where((where) =>
      where.or([
        where('expires_at', '<=', now),
        where.and([where('expires_at', 'is', null), where('at', '<=', now - LEGACY_WINDOW_MS)]),
      ]),
    )
    .execute();
}

/** The time for which events of an earlier version count, since they have no expiry. */
const LEGACY_WINDOW_MS = 3_600_000;

/** The remaining events of a limit. */
async function remainingOf(
  database: Database,
  { name, subject, quota, windowMs }: Limit,
  now: number,
): Promise<RemainingLimit> {
  const { used, oldest } = await database
    .selectFrom('rate_events')
    .select((eb) => [
      eb.fn.countAll().as('used'),
      eb.fn.min<number | string | null>('at').as('oldest'),
    ])
    .where('subject', '=', subject)
    .where('at', '>', now - windowMs)
    .executeTakeFirstOrThrow();
  return {
    name,
    quota,
    windowSeconds: windowMs / 1000,
    remaining: Math.max(0, quota - Number(used)),
    resetSeconds: secondsUntil(Number(oldest ?? now) + windowMs, now),
  };
}
