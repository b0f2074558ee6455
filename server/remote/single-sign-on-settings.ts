/** Reads the settings of single sign-on with an OpenID Connect provider. */
import { ROLES, type Role } from '../contract/members.ts';
import { ConfigError, type Environment, textSetting } from '../base/environment.ts';

export interface SingleSignOnSettings {
  /** As the provider itself writes it. */
  issuer: string;
  clientId: string;
  /** Null for a public client, which proves itself by PKCE alone. */
  clientSecret: string | null;
  /** What the app calls the provider. */
  name: string;
  scopes: string;
  /** The claim with the address; by default `email`, which the provider has to call verified. */
  emailClaim: string | null;
  /** The only domains whose addresses come in, in lower case; null for all. */
  domains: readonly string[] | null;
  groupsClaim: string;
  /** The groups that give each role; a person with none of them is refused if any is set. */
  groups: Readonly<Record<Role, readonly string[]>>;
}

/** This machine, for providers that are tried out. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** Providers at which anybody can have an account. */
const OF_EVERYBODY = /^(accounts\.google\.com|login\.microsoftonline\.com|appleid\.apple\.com)$/;

/** The entries of a variable that are divided by commas. */
const list = (env: Environment, name: string): string[] =>
  (textSetting(env, name) ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/**
 * The settings; null if there is no OIDC_ISSUER.
 * @throws {ConfigError} they are incomplete, or would let in the whole world
 */
export function singleSignOnSettings(
  env: Environment,
  { baseUrl, isOutside }: { baseUrl: string; isOutside: boolean },
): SingleSignOnSettings | null {
  const { issuer, clientId, domains, ...named } = {
    issuer: textSetting(env, 'OIDC_ISSUER'),
    clientId: textSetting(env, 'OIDC_CLIENT_ID'),
    clientSecret: textSetting(env, 'OIDC_CLIENT_SECRET'),
    name: textSetting(env, 'OIDC_NAME'),
    scopes: textSetting(env, 'OIDC_SCOPES') ?? 'openid email profile',
    emailClaim: textSetting(env, 'OIDC_EMAIL_CLAIM'),
    domains: list(env, 'OIDC_EMAIL_DOMAINS').map((each) => each.toLowerCase()),
    groupsClaim: textSetting(env, 'OIDC_GROUPS_CLAIM') ?? 'groups',
    groups: {
      reader: list(env, 'OIDC_READERS'),
      editor: list(env, 'OIDC_EDITORS'),
      owner: list(env, 'OIDC_OWNERS'),
    },
  };
  if (issuer === null) return null;
  const url = URL.parse(issuer);
  const isLocal = url?.protocol === 'http:' && LOCAL.test(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.username !== '' || url.search !== '') {
    throw new ConfigError(
      'OIDC_ISSUER must be an https address, such as https://id.example/realms/a',
    );
  }
  if (clientId === null) throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID');
  if (baseUrl === '') {
    throw new ConfigError(
      'OIDC_ISSUER needs BASE_URL, because the provider sends people back to it',
    );
  }
  if (isOutside) throw new ConfigError('OIDC_ISSUER and WORKOS_API_KEY exclude each other');
  const hasGroups = ROLES.some((role) => named.groups[role].length > 0);
  if (OF_EVERYBODY.test(url.hostname) && domains.length === 0 && !hasGroups) {
    throw new ConfigError(
      `Anybody can have an account at ${url.hostname}: set OIDC_EMAIL_DOMAINS to the domains of your people`,
    );
  }
  return {
    ...named,
    issuer,
    clientId,
    name: named.name ?? url.hostname,
    domains: domains.length > 0 ? domains : null,
  };
}
