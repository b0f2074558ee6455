/** The secret that hashes of keys and codes are made with: PEPPER. */
import { ConfigError, textOf, type Environment } from './environment.ts';

/**
 * The pepper that is configured; null where the service makes and keeps its own.
 * @throws {ConfigError} for one that is too short to be a secret
 */
export function pepper(env: Environment): string | null {
  const value = textOf(env, 'PEPPER');
  if (value !== null && value.length < 32) {
    throw new ConfigError(
      'PEPPER must have at least 32 characters, such as openssl rand -hex 32 makes',
    );
  }
  return value;
}
