/** Creates the identity provider selected by the configuration. */
import { type Config } from '../config/config.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { createEmbeddedIdentity } from './embedded.ts';
import type { Mailer } from './mail.ts';
import type { IdentityProvider } from './provider.ts';
import type { Hasher } from './secrets.ts';
import { ConfigError } from '../base/environment.ts';
import { isEmail, normalizeEmail } from './email.ts';

/** Creates the provider: WorkOS if it is configured, otherwise the embedded one. */
export async function createIdentity(
  config: Config,
  services: { database: Database; hasher: Hasher; mailer: Mailer; log: Log },
): Promise<IdentityProvider> {
  const { workos, teamEmailDomain, registrationsPerIp } = config;
  const teamEmailAllow = allowed(config.teamEmailAllow);
  const { mailer, ...stores } = services;
  const team = { teamEmailDomain, teamEmailAllow };
  const common = { ...stores, ...team, registrationsPerIp };
  if (!workos) return createEmbeddedIdentity({ ...common, mailer });
  // Loaded only if used, since it includes the whole SDK.
  const { createWorkosIdentity } = await import('./workos.ts');
  return createWorkosIdentity({ ...common, workos });
}

/** The team's list with normalised addresses. */
function allowed(addresses: string[] | null): Set<string> | null {
  if (addresses === null) return null;
  const bad = addresses.find((address) => !isEmail(address));
  if (bad !== undefined) throw new ConfigError(`TEAM_EMAIL_ALLOW: ${bad} is not an email address`);
  return new Set(addresses.map(normalizeEmail));
}
