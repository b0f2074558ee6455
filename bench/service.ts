/** Starts the service for a section, in a process of its own that ends with the section. */
import { signUp, type Any, type Client } from '../test/support/servers/client.ts';
import {
  removeFolder,
  startServerProcess,
  temporaryFolder,
  type ServerProcess,
} from '../test/support/servers/server-process.ts';
import { instantly, type InstantProvider } from './instant-provider.ts';
import type { Bench } from './section.ts';

/** A folder that is deleted with the section. */
export async function folderOf(bench: Bench): Promise<string> {
  const folder = await temporaryFolder();
  bench.after(() => removeFolder(folder));
  return folder;
}

/** Starts the service, by default with a new data folder. */
export async function startService(
  bench: Bench,
  env: Record<string, string> = {},
  dataDir?: string,
  program?: string,
): Promise<ServerProcess> {
  const server = await startServerProcess({
    ...(program !== undefined && { program }),
    dataDir: dataDir ?? (await folderOf(bench)),
    env: { NODE_ENV: 'production', ...env },
  });
  bench.after(() => server.stop());
  return server;
}

/** A signed-up client with a key. */
export const somebody = (server: ServerProcess, name = 'bench'): Promise<Client> =>
  signUp(server, `${name}@example.com`);

/** A stand-in for Deepgram, and the environment that makes the service use only it. */
export function provided(bench: Bench): {
  provider: InstantProvider;
  env: Record<string, string>;
} {
  const provider = instantly();
  bench.after(provider.stop);
  return { provider, env: { DEEPGRAM_API_KEY: 'key', DEEPGRAM_BASE_URL: provider.url } };
}

/** The payload of a run with the stand-in for Deepgram; the recording is kept for the next run. */
export const payload = (key: string): Any => ({
  audio: { key },
  transcription: { provider: 'deepgram' },
  audit: { provider: 'edge' },
  storage: { retainSourceAudio: true },
});

/** The same with the terms of some packs. */
export const payloadWithTerms = (key: string): Any => ({
  ...payload(key),
  terminology: { packs: ['protocols/mcp', 'identity-auth', 'vendors/workos'] },
});
