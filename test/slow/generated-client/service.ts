/** The service for generated clients, and the paths of their files. */
import { fileURLToPath } from 'node:url';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { testServer } from '../../support/servers/test-server.ts';

/** The path of a file in this folder. */
export const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Starts the service with the tiny model, for the tests of a file. */
export async function service(more: Record<string, string> = {}) {
  const { env } = await tinyModelEnvironment();
  return testServer({ env: { ...env, ...more } });
}
