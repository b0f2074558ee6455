/** The identity provider that the configuration names. */
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { createEmbeddedIdentity } from './embedded.ts';
import type { Mailer } from './mailer.ts';
import type { IdentityProvider } from './provider.ts';
import type { Hasher } from './secrets.ts';

/** Makes the provider: WorkOS where it is configured, otherwise the embedded one. */
export async function createIdentity(
  config: Config,
  services: { database: Database; hasher: Hasher; mailer: Mailer; log: Log },
): Promise<IdentityProvider> {
  const { workos, teamEmailDomain, registrationsPerIp } = config;
  const { mailer, ...stores } = services;
  const common = { ...stores, teamEmailDomain, registrationsPerIp };
  if (!workos) return createEmbeddedIdentity({ ...common, mailer });
  // Loaded where it is used alone: it brings the whole SDK.
  const { createWorkosIdentity } = await import('./workos.ts');
  return createWorkosIdentity({ ...common, workos });
}
