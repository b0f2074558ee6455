/** Creates this server's moderator: Llama Guard if it is configured, otherwise the rules on this host. */
import type { ModelServer, WorkersAi } from '../config/services.ts';
import type { Waiting } from '../waiting.ts';
import { chatCompletions } from '../remote/chat-completions.ts';
import { workersAiChat } from '../remote/workers-ai.ts';
import { createLlamaGuard } from './llama-guard.ts';
import type { Moderator } from './moderator.ts';
import { createRulesModerator, RULES_MODEL } from './rules.ts';

/** The moderation model on Workers AI. */
export const WORKERS_AI_MODERATION_MODEL = '@cf/meta/llama-guard-3-8b';

interface ModerationConfig {
  moderation: { edge: ModelServer | null };
  workersAi: WorkersAi | null;
  /** The time-out of one call to a model, in milliseconds. */
  providerTimeoutMs: number;
}

/** The moderation model of this server, and its engine. */
export function moderationModel(config: ModerationConfig): { model: string; engine: string } {
  const { model, engine } = guardOf(config) ?? { model: RULES_MODEL, engine: 'host' };
  return { model, engine };
}

/**
 * Creates the moderator.
 * @param waiting the timer for calls to a model; default: real time
 */
export function createModerator(config: ModerationConfig, waiting?: Waiting): Moderator {
  const guard = guardOf(config, waiting);
  return guard
    ? createLlamaGuard({ ...guard, timeoutMs: config.providerTimeoutMs })
    : createRulesModerator();
}

/** The Llama Guard moderator of a server; null if it has none. */
function guardOf({ moderation, workersAi }: ModerationConfig, waiting?: Waiting) {
  if (workersAi) {
    const service = workersAiChat('edge', workersAi, waiting);
    return { service, model: WORKERS_AI_MODERATION_MODEL, engine: 'workers-ai' };
  }
  if (!moderation.edge) return null;
  const service = chatCompletions({ provider: 'edge', ...moderation.edge, waiting });
  return { service, model: moderation.edge.model, engine: 'openai-compatible' };
}
