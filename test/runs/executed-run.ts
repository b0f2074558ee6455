/** A worker with one run, for tests of its execution. */
import { createTranslators } from '../../server/translation/model-translator.ts';
import { honest } from '../support/doubles/translators.ts';
import { createAuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/log.ts';
import { createRulesModerator } from '../../server/moderation/rules.ts';
import type { Steps } from '../../server/pipeline/perform.ts';
import { createComputations } from '../../server/runs/threads/computing.ts';
import type { FromWorker } from '../../server/runs/threads/messages.ts';
import { executeRun } from '../../server/runs/threads/run-execution.ts';
import type { StoredRun } from '../../server/runs/store/run-store.ts';
import type { AudioStore } from '../../server/storage/audio.ts';
import { NO_OWN_TERMS } from '../../server/terminology/packs/compile.ts';
import { scriptedSpeech } from '../support/doubles/scripted-speech.ts';
import type { Any } from '../support/servers/client.ts';

/** A worker with one run, and the records of what happened to it. */
/** Takes back the count of a run as soon as its computation is over. */
export const AT_ONCE = (work: () => Promise<void>): Promise<void> => work();

export function worker(row: Partial<StoredRun> = {}) {
  const lines: Any[] = [];
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line)));
  const stored = {
    id: 'run_1',
    organizationId: 'org',
    payload: { audio: { key: 'talk.mp3' } },
    stage: null,
    progress: 0,
    createdAt: Date.now(),
    cancelRequested: false,
    updatedAt: 0,
    attempts: 0,
    ...row,
  } as StoredRun;
  const told: FromWorker[] = [];
  const finished: Any[] = [];
  const counts: number[] = [];
  const heard: string[] = [];
  let count = stored.attempts;
  let taken = 0;
  let deleted: unknown[] | null = null;
  let storeFails = false;
  const attempts = {
    count: async () => void counts.push((count += 1)),
    uncount: async () => void counts.push((count -= 1)),
  };
  const audio = {
    stat: async () => (deleted ? null : { size: 1, version: 'v1' }),
    read: async function* () {},
    delete: async (...what: unknown[]) => {
      if (storeFails) throw new Error('it is away');
      deleted = what;
      return true;
    },
  } as unknown as AudioStore;
  const parts: Parameters<typeof executeRun>[0] = {
    store: {
      markRunning: async () => {
        taken += 1;
        return finished.length > 0 ? null : stored;
      },
      report: async () => {},
      finish: async (...what) => void finished.push(what),
    },
    partial: {
      last: async () => ({ position: 0, end: 0 }),
      add: async (_run, _after, parts) => void heard.push(...parts.map(({ text }) => text)),
      read: async () => [],
    },
    audio,
    pipeline: {
      packs: [],
      speech: scriptedSpeech('hello there. thank you all.'),
      auditors: createAuditorRegistry(),
      moderator: createRulesModerator(),
      logModeration: async () => ({ status: 'skipped' }),
    } as never,
    database: null as never,
    translators: createTranslators({}, honest(String)),
    workspace: { ownTerms: async () => NO_OWN_TERMS, noteRuleChanges: async () => {} },
    computations: createComputations(attempts, (message) => told.push(message), log, AT_ONCE),
    active: new Map(),
    checksResults: true,
    log,
    post: (message) => told.push(message),
  };
  const kept = new Map<string, unknown>();
  const steps: Steps = {
    async run(name, work) {
      if (!kept.has(name)) kept.set(name, JSON.parse(JSON.stringify(await work())));
      return kept.get(name) as never;
    },
  };
  return {
    parts,
    told,
    lines,
    finished,
    counts,
    heard,
    kept,
    execute: (entry = 'e1') => executeRun(parts, { runId: 'run_1', entry }, steps),
    taken: () => taken,
    deleted: () => deleted,
    failStore: () => (storeFails = true),
  };
}
