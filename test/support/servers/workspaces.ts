/** The service with the tiny model, and two users in different workspaces. */
import { signUp, type Client } from './client.ts';
import type { ServerOptions, ServerProcess } from './server-process.ts';
import { testServer } from './test-server.ts';
import { tinyModelEnvironment } from '../doubles/tiny-model-environment.ts';

/** Starts the service for the tests of a file. */
export async function twoWorkspaces(
  options: ServerOptions = {},
): Promise<{ server: ServerProcess; ann: Client; bob: Client }> {
  const { env } = await tinyModelEnvironment();
  const server = await testServer({ ...options, env: { ...env, ...options.env } });
  const ann = await signUp(server, 'ann@example.com');
  const bob = await signUp(server, 'bob@example.org');
  return { server, ann, bob };
}
