/** The service with a decoder that crashes on certain recordings. */
import { readConfig } from '../../../../server/config/config.ts';
import { startServer } from '../../../../server/main.ts';

const server = await startServer(
  readConfig(),
  undefined,
  new URL('./deadly-worker.ts', import.meta.url),
);
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
