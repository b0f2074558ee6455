/** PEPPER, the secret used to hash keys and codes. */
import { ConfigError, textOf, type Environment } from './environment.ts';

/**
 * The configured pepper; null if the service creates and keeps its own.
 * @throws {ConfigError} if it is too short to be a secret
 */
export function pepper(env: Environment): string | null {
  const value = textOf(env, 'PEPPER');
  if (value !== null && value.length < 32) {
    throw new ConfigError(
      'PEPPER must have at least 32 characters, such as the output of openssl rand -hex 32',
    );
  }
  return value;
}
