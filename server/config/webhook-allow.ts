/** The private hosts that webhooks may reach. */
import ipaddr from 'ipaddr.js';
import { ConfigError, textOf, type Environment } from './environment.ts';

/**
 * WEBHOOK_ALLOW: host names, addresses and networks in CIDR form, separated by commas.
 * @throws {ConfigError} for anything else
 */
export function webhookAllow(env: Environment): string[] {
  const entries = (textOf(env, 'WEBHOOK_ALLOW') ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    const known = ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry) || /^[a-z\d.-]+$/.test(entry);
    if (!known) {
      throw new ConfigError(
        'WEBHOOK_ALLOW must be hosts, addresses or networks, such as hooks.internal, 10.0.0.0/8',
      );
    }
  }
  return entries;
}
