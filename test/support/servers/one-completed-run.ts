/** A mounted app with one key and one completed run in its workspace. */
import { completedRun, spoken } from './completed-run.ts';
import { mountedApp } from './mounted.ts';

const WORDS = spoken('We signed in with AuthKit and then we uploaded the talk. '.repeat(20));

/** Mounts the app, and creates the key and the run. */
export async function oneCompletedRun() {
  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const done = await completedRun(app.services.database, ann.organizationId, WORDS);
  return {
    app,
    ann,
    done,
    /** A path of the run. */
    at: (path: string) => `/workflows/captioner/${done.runId}${path}`,
    get: (path: string, headers: Record<string, string> = {}) =>
      app.ask(path, { key: ann.key, headers }),
  };
}
