/** The service with worker threads that hang on certain words. */
import { readConfig } from '../../../../server/config/config.ts';
import { startServer } from '../../../../server/main.ts';

const server = await startServer(
  readConfig(),
  undefined,
  new URL('./poisoned-worker.ts', import.meta.url),
);
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)));
