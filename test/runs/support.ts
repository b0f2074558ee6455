/** A run, stage by stage, without a service. */
import { type CaptionerPayload, resolvePayload } from '../../server/contract/payload.ts';
import { type AuditorRegistry, createAuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/base/log.ts';
import type { AudioSource } from '../../server/mp3/frames.ts';
import { createRulesModerator } from '../../server/moderation/rules.ts';
import { assertResult } from '../../server/pipeline/result.ts';
import type { RunAudio } from '../../server/pipeline/run.ts';
import { captionRecording } from '../../server/pipeline/captioner-run.ts';
import type { SpeechRegistry } from '../../server/speech/providers/registry.ts';
import type { OwnTerms } from '../../server/terminology/packs/compile.ts';
import { loadPacks, packsFolder } from '../../server/terminology/packs/packs.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import type { Any } from '../support/servers/client.ts';

const packs = await loadPacks(packsFolder);

/** The recognised text, with misheard terms. */
export const talk =
  'welcome to mcp knight tonight we show how off kit protects the model contacts protocol server. thank you all.';

/** The conditions of a run. */
interface Script {
  speech: SpeechRegistry;
  payload?: Partial<CaptionerPayload>;
  /** The number of deletions that fail first. */
  failingDeletions?: number;
  missing?: boolean;
  /** The stored recording; default: one that is never read. */
  recording?: AudioSource;
  /** Seconds. */
  maxDuration?: number;
  auditors?: AuditorRegistry;
  /** The terms of its workspace. */
  own?: OwnTerms;
}

/** The outcome of a run. */
export interface Ran {
  result: Any;
  /** Whether its audio is still stored. */
  there(): boolean;
  /** The stages of the run, in order. */
  stages: string[];
  /** The log entries of moderation. */
  events: unknown[];
  /** The versions of the recording that could not be deleted. */
  undeleted: string[];
}

/** Runs a recording with a script's words. */
export async function run({
  speech,
  payload = {},
  failingDeletions = 0,
  missing = false,
  recording = { size: 1, read: async function* () {} },
  maxDuration,
  auditors = createAuditorRegistry(),
  own,
}: Script): Promise<Ran> {
  let there = !missing;
  let failures = failingDeletions;
  const audio: RunAudio = {
    key: 'talk.mp3',
    open: async () => (there ? { version: '1', source: recording } : null),
    delete: async (version) => {
      if (version !== '1') throw new Error(`there is no version ${version}`);
      if (failures-- > 0) throw new Error('the store is read-only');
      there = false;
      return true;
    },
  };
  const stages: string[] = [];
  const events: unknown[] = [];
  const undeleted: string[] = [];
  const result = await captionRecording(
    {
      ...(maxDuration === undefined ? {} : { maxDuration }),
      packs,
      speech,
      auditors,
      moderator: createRulesModerator(),
      logModeration: async (_runId, summary) => {
        events.push(summary);
        return { status: 'stored', id: 'mod_1' };
      },
    },
    {
      runId: 'run_1',
      createdAt: Date.now(),
      audio,
      request: resolvePayload({ audio: { key: 'talk.mp3' }, ...payload }),
      ...(own && { ownTerms: async () => own }),
    },
    {
      steps: { run: (_name, work) => work() },
      signal: new AbortController().signal,
      log: createLog('silent'),
      waiting: noWaiting(),
      undeleted: (version) => undeleted.push(version),
      report: (stage) => {
        if (stages.at(-1) !== stage) stages.push(stage);
      },
    },
  );
  assertResult(result);
  return { result, there: () => there, stages, events, undeleted };
}
