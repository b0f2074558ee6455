/** Every auditor of the contract, which of them this server has, and which one a run gets. */
import { AUDIT_PROVIDERS, type AuditMode, type AuditProviderName } from '../contract/payload.ts';
import { providerNotConfigured, type ProviderChoice } from '../contract/suggestions.ts';
import type { ChatService } from '../remote/chat.ts';
import { chatCompletions, type CompletionsService } from '../remote/chat-completions.ts';
import { workersAiChat, type WorkersAi } from '../remote/workers-ai.ts';
import { noCache, type AnswerCache } from './answer-cache.ts';
import type { Auditor } from './auditor.ts';
import { createEdgeAuditor, EDGE_AUDIT_MODEL } from './edge.ts';
import { noAuditor } from './none.ts';
import { createRemoteAuditor } from './remote.ts';
import type { AskedModel } from './verdicts.ts';

/** What `audit.mode` stands for. An explicit provider or model wins over it. */
export const AUDIT_PRESETS: Record<AuditMode, { provider: AuditProviderName; model: string }> = {
  publishable: { provider: 'openai', model: 'gpt-5.1' },
  fast: { provider: 'openai', model: 'gpt-5-mini' },
  experimental: { provider: 'groq', model: 'openai/gpt-oss-120b' },
};

/** The model of a provider where neither the payload nor the preset names one of its own. */
export const AUDIT_DEFAULT_MODELS: Record<AuditProviderName, string> = {
  edge: EDGE_AUDIT_MODEL,
  openai: AUDIT_PRESETS.publishable.model,
  groq: AUDIT_PRESETS.experimental.model,
  none: 'none',
};

export interface AuditorRegistry {
  /** The names that can be used here, in the contract's order. */
  readonly configured: readonly AuditProviderName[];
  /** The auditor of that name, or null where it is not configured. */
  auditor(name: AuditProviderName): Auditor | null;
}

export interface AuditorOptions {
  /** Each with its key; null where it has none. */
  openai?: Wire | null;
  groq?: Wire | null;
  /** A model server of one's own, for `edge`. */
  edge?: (Wire & { model: string }) | null;
  /** Cloudflare's models, for `edge` where there is no such server. */
  workersAi?: WorkersAi | null;
  cache?: AnswerCache;
  /** For one call to a language model. */
  timeoutMs?: number;
}

type Wire = Omit<CompletionsService, 'provider'>;

/** The language model of `edge` on Workers AI. */
const WORKERS_AI_AUDIT_MODEL = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';
const TIMEOUT_MS = 30_000;

/** Makes the auditors that are configured. */
export function createAuditorRegistry(options: AuditorOptions = {}): AuditorRegistry {
  const { cache = noCache, timeoutMs = TIMEOUT_MS } = options;
  const asked = (service: ChatService, model: string) => ({ service, model, cache, timeoutMs });
  const auditors = new Map<AuditProviderName, Auditor>([
    ['edge', createEdgeAuditor(edgeModel(options, asked))],
    ['none', noAuditor],
  ]);
  for (const provider of ['openai', 'groq'] as const) {
    const wire = options[provider];
    if (!wire) continue;
    const service = chatCompletions({ provider, ...wire });
    const preset = asked(service, AUDIT_DEFAULT_MODELS[provider]);
    auditors.set(provider, createRemoteAuditor(preset));
  }
  return {
    configured: AUDIT_PROVIDERS.filter((name) => auditors.has(name)),
    auditor: (name) => auditors.get(name) ?? null,
  };
}

function edgeModel(
  options: AuditorOptions,
  asked: (service: ChatService, model: string) => AskedModel,
): AskedModel | null {
  const { edge, workersAi } = options;
  const { model } = edgeAuditModel(options);
  if (edge) return asked(chatCompletions({ provider: 'edge', ...edge }), model);
  return workersAi ? asked(workersAiChat('edge', workersAi), model) : null;
}

/** What `edge` judges with on a server, and what runs it. */
export function edgeAuditModel({ edge, workersAi }: Pick<AuditorOptions, 'edge' | 'workersAi'>) {
  if (edge) return { model: edge.model, engine: 'openai-compatible' };
  if (workersAi) return { model: WORKERS_AI_AUDIT_MODEL, engine: 'workers-ai' };
  return { model: EDGE_AUDIT_MODEL, engine: 'host' };
}

/** `audit` of a request, as resolved. */
export interface AuditChoiceRequest {
  mode: AuditMode;
  provider?: AuditProviderName | undefined;
  enabled: boolean;
  model?: string | undefined;
}

/** The auditor of a run. */
export interface ChosenAuditor {
  auditor: Auditor;
  model: string;
  /** The provider that the preset stands for and this server lacks. */
  fallbackFrom?: AuditProviderName;
  /** Why the audit is not the one the preset stands for. */
  reason?: string;
  /** What was chosen and what may be had where this one fails. */
  choice: ProviderChoice;
}

/**
 * Chooses the auditor of a run. A provider that the payload names must be there; one that only the
 * preset stands for is replaced by `edge` where it is not, and the answer says so.
 * @throws {StageFailure} `provider_not_configured`, with patches to those that are
 */
export function chooseAuditor(
  registry: AuditorRegistry,
  { mode, provider, enabled, model }: AuditChoiceRequest,
): ChosenAuditor {
  const choose = (name: AuditProviderName): ProviderChoice => ({
    section: 'audit',
    provider: name,
    model,
    configured: registry.configured,
  });
  if (!enabled || provider === 'none') {
    return { auditor: noAuditor, model: 'none', choice: choose('none') };
  }
  const preset = AUDIT_PRESETS[mode];
  const wanted = provider ?? preset.provider;
  const named = model === 'auto' ? undefined : model;
  const auditor = registry.auditor(wanted);
  if (auditor) {
    const standard = wanted === preset.provider ? preset.model : AUDIT_DEFAULT_MODELS[wanted];
    return { auditor, model: named ?? standard, choice: choose(wanted) };
  }
  const edge = registry.auditor('edge');
  if (provider !== undefined || !edge) throw providerNotConfigured(choose(wanted));
  return {
    auditor: edge,
    // A model of the provider that is missing would mean nothing to this one.
    model: AUDIT_DEFAULT_MODELS.edge,
    fallbackFrom: wanted,
    choice: choose('edge'),
    reason: `The audit ran on edge: ${wanted}, the provider of the preset ${mode}, is not configured on this server.`,
  };
}
