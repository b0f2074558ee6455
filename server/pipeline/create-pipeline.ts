/** Creates the pipeline's services from the configuration, for a worker thread or the shell command. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Log } from '../base/log.ts';
import { noCache } from '../language/ask.ts';
import { createAuditorRegistry } from '../language/registry.ts';
import { createModerator } from '../moderation/registry.ts';
import { createTranslators, type Translators } from '../translation/model-translator.ts';
import { createApertium, installedDirections } from '../translation/engines/apertium.ts';
import { createHostTranslator } from '../translation/on-host.ts';
import type { PipelineServices } from './run.ts';
import { createSpeechRegistry } from '../speech/providers/registry.ts';
import { createAuditAnswers } from '../storage/audit-answers.ts';
import type { Database } from '../storage/database.ts';
import type { Waiting } from '../base/concurrency.ts';
import { loadTermPacks } from '../terminology/packs/packs.ts';

interface PipelineOptions {
  /** The database for moderation events; null to discard them. */
  database: Database | null;
  log: Log;
  /** The number of recogniser processes. */
  slots: number;
  /** The folder for temporary files, which the caller cleans up. */
  tempDir: string;
  /** The timer for calls to providers. Default: real time. */
  waiting?: Waiting | undefined;
}

/** Creates the services; `close` ends the processes they started. */
export async function createPipeline(
  config: Config,
  { database, log, slots, tempDir, waiting }: PipelineOptions,
): Promise<{ pipeline: PipelineServices; translators: Translators; close(): void }> {
  const speech = createSpeechRegistry({
    ...config,
    slots,
    tempDir,
    log,
    waiting,
  });
  const models = {
    ...config.language,
    workersAi: config.workersAi,
    waiting,
    timeoutMs: config.providerTimeoutMs,
    cache: database ? createAuditAnswers(database, { ttlMs: config.resultTtlMs, log }) : noCache,
  };
  const pipeline: PipelineServices = {
    // A shell command runs for its own user, who needs no protection from long recordings.
    ...(database ? { maxDuration: config.maxDurationMs / 1000 } : {}),
    packs: await loadTermPacks(),
    speech,
    auditors: createAuditorRegistry(models),
    moderator: createModerator(config, waiting),
    async logModeration(runId, summary) {
      if (!database) return { status: 'skipped', reason: 'No event store is available.' };
      const id = `mod_${randomUUID()}`;
      try {
        await database
          .insertInto('moderation_events')
          .values({
            id,
            run_id: runId,
            created_at: Date.now(),
            decision: summary.decision,
            severity: summary.severity,
            reason: summary.reason,
            model: summary.model,
            flagged: summary.flaggedChunk ? JSON.stringify(summary.flaggedChunk) : null,
          })
          .execute();
        return { status: 'stored', id };
      } catch (error) {
        log.error('moderation_event_lost', { runId, error });
        return { status: 'failed', error: 'The event could not be stored.' };
      }
    },
  };
  const host = createHostTranslator(config.speech);
  const directions = installedDirections();
  return {
    pipeline,
    translators: createTranslators(models, host, {
      apertium: directions.length > 0 ? createApertium(directions) : null,
      services: config.translation.services,
    }),
    close() {
      speech.close();
      host.close();
    },
  };
}
