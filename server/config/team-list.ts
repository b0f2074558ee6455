/** TEAM_EMAIL_ALLOW, the addresses of the team's domain that may have a key. */
import { readFileSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import { ConfigError, textOf, type Environment } from './environment.ts';
import { emailDomain } from './services.ts';

/** The team: its domain, and the addresses that may have a key. */
export function team(env: Environment) {
  const teamEmailDomain = emailDomain(env, 'TEAM_EMAIL_DOMAIN');
  const teamEmailAllow = emailList(env, 'TEAM_EMAIL_ALLOW', teamEmailDomain);
  return { teamEmailDomain, teamEmailAllow };
}

/**
 * The addresses in a variable, separated by commas, spaces or line breaks, or the path of a file that contains them, in
 * which `#` begins a comment. Null if it is not set.
 * @param teamEmailDomain the domain to which they must belong
 * @throws {ConfigError} for an unreadable file, an empty list, or an address of another domain
 */
function emailList(
  env: Environment,
  name: string,
  teamEmailDomain: string | null,
): string[] | null {
  const value = textOf(env, name);
  if (value === null) return null;
  if (teamEmailDomain === null) throw new ConfigError(`${name} needs TEAM_EMAIL_DOMAIN`);
  const addresses = (value.includes('@') ? value : textIn(name, value))
    .replaceAll(/#.*/g, '')
    .split(/[\s,;]+/)
    .filter((text) => text !== '');
  const other = addresses.find((address) => !belongsTo(address, teamEmailDomain));
  if (addresses.length === 0 || other !== undefined) {
    const what = other === undefined ? 'names nobody' : `has ${other}`;
    throw new ConfigError(`${name} ${what}; it must list addresses of ${teamEmailDomain}`);
  }
  return addresses;
}

function textIn(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(
      `${name} must list addresses, or be a file with them: ${path} cannot be read`,
    );
  }
}

function belongsTo(address: string, domain: string): boolean {
  const at = address.lastIndexOf('@');
  return at > 0 && domainToASCII(address.slice(at + 1)).toLowerCase() === domain;
}
