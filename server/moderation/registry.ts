/** Which moderator this server has: Llama Guard where one is configured, else the rules on the host. */
import type { Config } from '../config.ts';
import { chatCompletions } from '../remote/chat-completions.ts';
import { workersAiChat } from '../remote/workers-ai.ts';
import { createLlamaGuard } from './llama-guard.ts';
import type { Moderator } from './moderator.ts';
import { createRulesModerator, RULES_MODEL } from './rules.ts';

const WORKERS_AI_MODERATION_MODEL = '@cf/meta/llama-guard-3-8b';

export type ModerationConfig = Pick<Config, 'moderation' | 'workersAi' | 'providerTimeoutMs'>;

/** The model that moderates here, and where it runs. */
export function moderationModel({ moderation, workersAi }: ModerationConfig) {
  if (workersAi) return { model: WORKERS_AI_MODERATION_MODEL, engine: 'workers-ai' } as const;
  if (moderation.edge) return { ...moderation.edge, engine: 'openai-compatible' } as const;
  return { model: RULES_MODEL, engine: 'host' } as const;
}

/** Makes it. */
export function createModerator(config: ModerationConfig): Moderator {
  const { moderation, workersAi, providerTimeoutMs: timeoutMs } = config;
  const { model } = moderationModel(config);
  if (workersAi) {
    return createLlamaGuard({ service: workersAiChat('edge', workersAi), model, timeoutMs });
  }
  if (moderation.edge) {
    const service = chatCompletions({ provider: 'edge', ...moderation.edge });
    return createLlamaGuard({ service, model, timeoutMs });
  }
  return createRulesModerator();
}
