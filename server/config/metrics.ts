/** Configures operators' access to metrics: on a separate port, or with a token. */
import { ConfigError, integer, textOf, type Environment } from './environment.ts';

/** METRICS_PORT; null if it is not set. */
export function metricsPort(env: Environment): number | null {
  if (textOf(env, 'METRICS_PORT') === null) return null;
  const port = integer(env, 'METRICS_PORT', 0, 0, 65_535);
  if (port !== 0 && String(port) === (textOf(env, 'PORT') ?? '3000')) {
    throw new ConfigError('METRICS_PORT must differ from PORT');
  }
  return port;
}

/** METRICS_TOKEN; null if it is not set. */
export function metricsToken(env: Environment): string | null {
  const token = textOf(env, 'METRICS_TOKEN');
  if (token !== null && !/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new ConfigError(
      'METRICS_TOKEN must have at least 16 visible ASCII characters, such as the output of openssl rand -hex 16',
    );
  }
  return token;
}
