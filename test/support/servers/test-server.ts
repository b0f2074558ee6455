/** The service for the tests of a file. */
import { afterAll } from 'bun:test';
import {
  removeFolder,
  startServerProcess,
  type ServerOptions,
  type ServerProcess,
} from './server-process.ts';

/** Starts the service; after the tests of the file it is stopped and its folder deleted. */
export async function testServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServerProcess(options);
  afterAll(async () => {
    await server.stop();
    await removeFolder(server.dataDir);
  });
  return server;
}
