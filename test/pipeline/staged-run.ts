/** A run whose provider, auditor, storage and signal are chosen by a test. */
import { type CaptionerPayload, resolvePayload } from '../../server/contract/payload.ts';
import type { StageFailure } from '../../server/contract/failure.ts';
import { type AuditorRegistry, createAuditorRegistry } from '../../server/language/registry.ts';
import { createLog } from '../../server/base/log.ts';
import { createRulesModerator } from '../../server/moderation/rules.ts';
import { captionRecording } from '../../server/pipeline/captioner-run.ts';
import type { TranscriptPart } from '../../server/pipeline/partial-transcript.ts';
import { assertResult } from '../../server/pipeline/result.ts';
import type { CaptionerRun, RunContext, PipelineServices } from '../../server/pipeline/run.ts';
import type { Steps } from '../../server/pipeline/perform.ts';
import type { SpeechProvider } from '../../server/speech/provider.ts';
import type { SpeechRegistry } from '../../server/speech/providers/registry.ts';
import type { Any } from '../support/servers/client.ts';
import { scriptedSpeech } from '../support/doubles/scripted-speech.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

export interface StagedRun {
  text?: string;
  speech?: SpeechRegistry;
  payload?: Partial<CaptionerPayload>;
  run?: Partial<CaptionerRun>;
  services?: Partial<PipelineServices>;
  auditors?: AuditorRegistry;
  /** Aborted by the test to cancel the run. */
  controller?: AbortController;
  /** Replaces the output of steps. */
  steps?: Steps;
  context?: Partial<RunContext>;
  /** The version of the stored recording at each opening; null if it is gone. */
  version?: () => string | null;
}

export interface Staged {
  result: Any;
  reports: [stage: string, progress: number, bytes?: number][];
  heard: TranscriptPart[];
  deleted: string[];
  log: string;
}

/** A step engine that stores outputs as JSON and refuses two steps of one name. */
export function storedSteps(
  change: (output: Any, name: string) => Any = (output) => output,
): Steps {
  const names = new Set<string>();
  return {
    async run(name, work) {
      if (names.has(name)) throw new Error(`two steps are called ${name}`);
      names.add(name);
      return change(JSON.parse(JSON.stringify(await work())), name);
    },
  };
}

/** A registry with the scripted `edge`, changed as a test wishes, beside other configured names. */
export function speechWith(
  changes: Partial<SpeechProvider>,
  text = 'hello there. thank you all.',
  others: Record<string, Partial<SpeechProvider>> = {},
): SpeechRegistry {
  const scripted = scriptedSpeech(text);
  const edge = { ...scripted.provider('edge'), ...changes } as SpeechProvider;
  return {
    configured: ['edge', ...Object.keys(others)] as never,
    provider: (name) =>
      name === 'edge' ? edge : ((others[name] as SpeechProvider | undefined) ?? null),
    close: () => {},
  };
}

/** Runs a recording stage by stage; the result is validated against the contract. */
export async function stagedRun(given: StagedRun = {}): Promise<Staged> {
  const { text = 'hello there. thank you all.', payload = {}, controller } = given;
  const version = given.version ?? (() => 'v7');
  const reports: Staged['reports'] = [];
  const heard: TranscriptPart[] = [];
  const deleted: string[] = [];
  let isGone = false;
  let log = '';
  const result = await captionRecording(
    {
      packs: [],
      speech: given.speech ?? scriptedSpeech(text),
      auditors: given.auditors ?? createAuditorRegistry(),
      moderator: createRulesModerator(),
      logModeration: async () => ({ status: 'stored', id: 'mod_1' }),
      ...given.services,
    },
    {
      runId: 'run_1',
      createdAt: Date.now(),
      audio: {
        key: 'talk.mp3',
        open: async () => {
          const now = isGone ? null : version();
          return now === null
            ? null
            : { version: now, source: { size: 1, read: async function* () {} } };
        },
        delete: async (which) => {
          deleted.push(which);
          isGone = true;
          return true;
        },
      },
      request: resolvePayload({ audio: { key: 'talk.mp3' }, ...payload }),
      ...given.run,
    },
    {
      steps: given.steps ?? storedSteps(),
      signal: (controller ?? new AbortController()).signal,
      log: createLog('debug', (line) => (log += line)),
      waiting: noWaiting(),
      heard: { after: 0, report: (parts) => void heard.push(...parts) },
      report: (stage, progress, bytes) =>
        reports.push(bytes === undefined ? [stage, progress] : [stage, progress, bytes]),
      ...given.context,
    },
  );
  assertResult(result);
  return { result, reports, heard, deleted, log };
}

/** The patches of a failure's suggestions. */
export const patchesOf = ({ suggestions }: StageFailure['failure']): unknown[] =>
  suggestions.flatMap(({ payloadPatch }) => payloadPatch ?? []);
