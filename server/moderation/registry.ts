/** Creates this server's moderator: Llama Guard if it is configured, otherwise the rules on this host. */
import type { ModelServer, WorkersAi } from '../remote/service-settings.ts';
import type { Waiting } from '../base/concurrency.ts';
import { workersAiChat } from '../remote/workers-ai.ts';
import {
  type Moderator,
  moderateChunks,
  type ChunkFinding,
  moderationChunks,
} from './moderator.ts';
import { createRulesModerator, RULES_MODEL } from './rules.ts';
import { uncounted } from '../base/compute.ts';
import { Type, validator } from '../contract/schema.ts';
import { type ChatService, chatCompletions } from '../remote/chat.ts';
import { unexpectedAnswer } from '../remote/call-failure.ts';

/** The moderation model on Workers AI. */
const WORKERS_AI_MODERATION_MODEL = '@cf/meta/llama-guard-3-8b';

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

/** The words in a chunk: twice as many as for the rules, since each chunk is a call. */
const CHUNK_WORDS = 400;
const CHUNKS_AT_ONCE = 4;

/**
 * The categories of high severity (MLCommons hazards, with Llama Guard 3's numbers): violent crimes, sex crimes, child
 * exploitation, indiscriminate weapons, hate. The rest are of medium severity.
 */
const HIGH = new Set(['S1', 'S3', 'S4', 'S9', 'S10']);

interface LlamaGuardOptions {
  service: ChatService;
  model: string;
  /** The time-out of one call, in milliseconds. */
  timeoutMs: number;
}

/** Creates the moderator. If a chunk cannot be judged, the moderation fails, so that nothing passes unchecked. */
const createLlamaGuard = ({ service, model, timeoutMs }: LlamaGuardOptions): Moderator => ({
  model,
  async moderate({ words }, context) {
    const { compute = uncounted } = context;
    const chunks = await compute(() => moderationChunks(words, CHUNK_WORDS));
    return moderateChunks(
      {
        model,
        chunks,
        atOnce: CHUNKS_AT_ONCE,
        async check({ text: content }, signal) {
          const messages = [{ role: 'user' as const, content }];
          // So that the same words always get the same verdict; the default of Workers AI is 0.6.
          const temperature = 0;
          const { text } = await service.chat({ model, messages, temperature, timeoutMs, signal });
          const finding = readVerdict(text);
          if (finding === undefined) {
            throw unexpectedAnswer({ provider: service.provider, model });
          }
          return finding;
        },
      },
      context,
    );
  },
});

/**
 * The verdict in a model's text: "safe", "unsafe" with its categories on the next line, or JSON with `safe` and
 * `categories`. Undefined for anything else, which is not a verdict.
 */
function readVerdict(text: string): ChunkFinding | undefined {
  const answer = text.trim();
  const verdict = answer.startsWith('{') ? jsonVerdict(answer) : lineVerdict(answer);
  if (!verdict) return undefined;
  if (verdict.safe) return null;
  const categories = verdict.categories.match(/\bS\d{1,2}\b/g) ?? [];
  return { severity: categories.some((category) => HIGH.has(category)) ? 'high' : 'medium' };
}

/** A verdict; the text of its categories is still to be searched. */
type Verdict = { safe: boolean; categories: string } | null;

function lineVerdict(answer: string): Verdict {
  const first = /^(un)?safe\b/i.exec(answer);
  return first && { safe: first[1] === undefined, categories: answer };
}

const JsonVerdict = Type.Object({
  safe: Type.Boolean(),
  categories: Type.Optional(Type.Unknown()),
});

function jsonVerdict(answer: string): Verdict {
  try {
    const value: unknown = JSON.parse(answer);
    if (!validator(JsonVerdict).check(value)) return null;
    return { safe: value.safe, categories: JSON.stringify(value.categories ?? []) };
  } catch {
    return null;
  }
}
