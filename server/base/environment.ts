/** Reads and checks environment variables one by one. */

/** An invalid setting, which the message names. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Record<string, string | undefined>;

/** The value of a variable; null if it is not set or blank. */
export const textSetting = (env: Environment, name: string): string | null =>
  env[name]?.trim() || null;

/**
 * A whole number from `low` to `high`; `preset` if it is not set.
 * @throws {ConfigError} for anything else
 */
export function integerSetting(
  env: Environment,
  name: string,
  preset: number,
  low: number,
  high: number,
): number {
  const value = textSetting(env, name);
  if (value === null) return preset;
  const number = Number(value);
  if (!Number.isInteger(number) || number < low || number > high) {
    throw new ConfigError(`${name} must be a whole number from ${low} to ${high}`);
  }
  return number;
}

/**
 * One of `values`, case-sensitive; `preset` if it is not set.
 * @throws {ConfigError} for anything else
 */
export function choiceSetting<const T extends string>(
  env: Environment,
  name: string,
  values: readonly T[],
  preset: T,
): T {
  const value = textSetting(env, name);
  if (value === null) return preset;
  const known = values.find((candidate) => candidate === value);
  if (known === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}`);
  return known;
}

/**
 * Whether an address can be used unchanged in headers, pages, documents and shell commands. URLs allow more: quotes in
 * a host, and line breaks anywhere, which are dropped.
 */
const isPlain = (value: string, { hostname, pathname, search, hash }: URL): boolean =>
  !/\s/.test(value) &&
  /^[\w.:[\]-]+$/.test(hostname) &&
  /^[\w.~%/:@+,=-]*$/.test(pathname) &&
  search === '' &&
  hash === '';

/** The address in a variable, without a trailing slash; empty if it is not set. */
export function addressSetting(env: Environment, name: string, example: string): string {
  const value = textSetting(env, name);
  if (value === null) return '';
  const url = URL.parse(value);
  if (url?.username || url?.password) {
    // User names and passwords would become public, because addresses are published, logged and shown to clients.
    throw new ConfigError(`${name} must not contain a user name or password; example: ${example}`);
  }
  if (!url || !isPlain(value, url) || !['http:', 'https:'].includes(url.protocol)) {
    throw new ConfigError(`${name} must be an http or https address, such as ${example}`);
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

const SIZES: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/**
 * A number of bytes: `500M`, `5G`, `5GiB` (all binary), or a plain number.
 * @throws {ConfigError} for anything else
 */
export function bytesSetting(env: Environment, name: string, preset: string): number {
  const value = (textSetting(env, name) ?? preset).toLowerCase();
  const [, number, unit = ''] = /^(\d{1,12})\s*([kmgt]?)(?:i?b)?$/.exec(value) ?? [];
  const size = Number(number) * Number(SIZES[unit]);
  if (Number.isNaN(size)) {
    throw new ConfigError(`${name} must be a number of bytes, such as ${preset}, 500M or 2G`);
  }
  return size;
}

/** The same, or null if it is `off`. */
export const bytesOrOffSetting = (env: Environment, name: string, preset: string): number | null =>
  textSetting(env, name)?.toLowerCase() === 'off' ? null : bytesSetting(env, name, preset);
