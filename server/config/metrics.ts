/** Where operators read metrics: on a port of their own, or with a token. */
import { ConfigError, integer, textOf, type Environment } from './environment.ts';

/** METRICS_PORT; null where it is not set. */
export function metricsPort(env: Environment): number | null {
  if (textOf(env, 'METRICS_PORT') === null) return null;
  const port = integer(env, 'METRICS_PORT', 0, 0, 65_535);
  if (port !== 0 && String(port) === (textOf(env, 'PORT') ?? '3000')) {
    throw new ConfigError('METRICS_PORT must be another port than PORT');
  }
  return port;
}

/** METRICS_TOKEN; null where it is not set. */
export function metricsToken(env: Environment): string | null {
  const token = textOf(env, 'METRICS_TOKEN');
  if (token !== null && !/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new ConfigError(
      'METRICS_TOKEN must have at least 16 visible ASCII characters, such as openssl rand -hex 16 makes',
    );
  }
  return token;
}
