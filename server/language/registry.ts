/** Creates the auditors of the contract that this server has, and chooses the one for a run. */
import { uncounted } from '../base/compute.ts';
import type { ModelLimits, RemoteService } from '../remote/service-settings.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import { type ProviderChoice, providerNotConfigured } from '../contract/suggestions.ts';
import { chatCompletions, type CompletionsService } from '../remote/chat.ts';
import { type WorkersAi, workersAiChat } from '../remote/workers-ai.ts';
import { withQuietCapitals } from '../terminology/names/quiet-capitals.ts';
import { decideByMatcher } from '../terminology/decide/decide-in-rounds.ts';
import { createMatcher } from '../terminology/match/match.ts';
import type { Waiting } from '../base/concurrency.ts';
import { type AnswerCache, type ChosenModel, noCache } from './ask.ts';
import { type Auditor, type AuditOutcome, type AuditRequest, outcomeOf } from './auditor.ts';
import { auditWithModel } from './model-auditor.ts';
import { AUDIT_SERVICES } from './providers.ts';

const [openai, groq] = AUDIT_SERVICES;

type AuditMode = CaptionerRequest['audit']['mode'];

/**
 * The presets of `audit.mode`, which an explicit provider or model overrides. docs/providers.md lists the end-of-life
 * date of each model.
 */
export const AUDIT_PRESETS: Record<AuditMode, { provider: string; model: string }> = {
  publishable: { provider: openai.name, model: openai.model },
  fast: { provider: openai.name, model: 'gpt-6.1-terra' },
  experimental: { provider: groq.name, model: groq.model },
};

/** All possible values of `audit.provider`. */
export const AUDIT_NAMES: readonly string[] = [
  'edge',
  ...AUDIT_SERVICES.map(({ name }) => name),
  'none',
];

/** The model of a provider if neither the payload nor the preset names one. */
const defaultModel = (provider: string): string => {
  if (provider === 'edge') return EDGE_AUDIT_MODEL;
  return AUDIT_SERVICES.find(({ name }) => name === provider)?.model ?? 'none';
};

export interface AuditorRegistry {
  /** The names available here, in the contract's order. */
  readonly configured: readonly string[];
  /** The auditor with that name, or null if it is not configured. */
  auditor(name: string): Auditor | null;
}

/** The language models available to `edge`. */
interface EdgeOptions {
  /** The operator's own model server. */
  edge?: (Wire & { model: string; limits?: ModelLimits }) | null;
  /** Cloudflare's models, used if there is no such server. */
  workersAi?: WorkersAi | null;
  /** The timer for calls to a model. Default: real time. */
  waiting?: Waiting | undefined;
}

export interface AuditorOptions extends EdgeOptions {
  /** Address and key of each service, by name; null or absent without a key. */
  services?: Record<string, (Partial<RemoteService> & { baseUrl: string }) | null>;
  cache?: AnswerCache;
  /** The time-out of one call to a language model, in milliseconds. */
  timeoutMs?: number;
}

type Wire = Omit<CompletionsService, 'provider' | 'waiting'>;

/** The language model of `edge` on Workers AI. */
const WORKERS_AI_AUDIT_MODEL = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';
const TIMEOUT_MS = 30_000;

/** Creates the configured auditors. */
export function createAuditorRegistry(options: AuditorOptions = {}): AuditorRegistry {
  const { edge = null, ...remote } = languageModels(options);
  const auditors = new Map<string, Auditor>([
    ['edge', createEdgeAuditor(edge)],
    ['none', noAuditor],
  ]);
  for (const [name, model] of Object.entries(remote)) {
    if (model) auditors.set(name, createRemoteAuditor(model));
  }
  return {
    configured: AUDIT_NAMES.filter((name) => auditors.has(name)),
    auditor: (name) => auditors.get(name) ?? null,
  };
}

/** The configured language models by provider, each with its default model; `edge` only if the server has one. */
export function languageModels(options: AuditorOptions = {}): Partial<Record<string, ChosenModel>> {
  const { cache = noCache, timeoutMs = TIMEOUT_MS } = options;
  const edge = edgeModel(options);
  const models: Partial<Record<string, ChosenModel>> = {};
  for (const { name: provider, model } of AUDIT_SERVICES) {
    const wire = options.services?.[provider];
    if (!wire) continue;
    const service = chatCompletions({ provider, ...wire, waiting: options.waiting });
    models[provider] = { service, model, cache, timeoutMs };
  }
  if (edge) models['edge'] = { ...edge, cache, timeoutMs };
  return models;
}

/** The model of an auditor on a server; of `edge`, also the engine that runs it. */
export function auditModel(provider: string, options: EdgeOptions) {
  if (provider !== 'edge') return { model: defaultModel(provider) };
  const { model, engine } = edgeModel(options) ?? { model: EDGE_AUDIT_MODEL, engine: 'host' };
  return { model, engine };
}

/** The language model of `edge`; null if it has none. */
function edgeModel({ edge, workersAi, waiting }: EdgeOptions) {
  if (edge) {
    const { limits = {}, ...wire } = edge;
    const service = chatCompletions({ provider: 'edge', ...wire, waiting });
    return { service, model: edge.model, engine: 'openai-compatible', limits };
  }
  if (!workersAi) return null;
  const service = workersAiChat('edge', workersAi, waiting);
  return { service, model: WORKERS_AI_AUDIT_MODEL, engine: 'workers-ai' };
}

/** The `audit` section of a request with its defaults. */
interface AuditChoiceRequest {
  mode: AuditMode;
  provider?: string | undefined;
  enabled: boolean;
  model?: string | undefined;
}

/** The auditor of a run. */
export interface ChosenAuditor {
  auditor: Auditor;
  model: string;
  /** The preset's provider, if it is not available on this server. */
  fallbackFrom?: string;
  /** The reason why the preset's provider was not used. */
  reason?: string;
  /** The provider chosen, and the alternatives if it fails. */
  choice: ProviderChoice;
}

/**
 * Chooses the auditor of a run. A provider named by the payload must be configured. One that only the preset names is
 * replaced by `edge` if it is not configured, with a reason in the outcome.
 * @throws {StageFailure} `provider_not_configured`, with patches to the configured providers
 */
export function chooseAuditor(
  registry: AuditorRegistry,
  { mode, provider, enabled, model }: AuditChoiceRequest,
): ChosenAuditor {
  const choose = (name: string): ProviderChoice => ({
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
    const standard = wanted === preset.provider ? preset.model : defaultModel(wanted);
    return { auditor, model: named ?? standard, choice: choose(wanted) };
  }
  const edge = registry.auditor('edge');
  if (provider !== undefined || !edge) throw providerNotConfigured(choose(wanted));
  return {
    auditor: edge,
    // The missing provider's model means nothing to this one.
    model: EDGE_AUDIT_MODEL,
    fallbackFrom: wanted,
    choice: choose('edge'),
    reason: `The audit ran on edge: ${wanted}, the provider of the preset ${mode}, is not configured on this server.`,
  };
}

/** Makes no corrections. Used if a payload turns the audit off. */
const noAuditor: Auditor = {
  name: 'none',
  async audit(_request, { signal, progress }) {
    signal.throwIfAborted();
    progress(1);
    return {
      provider: 'none',
      model: 'none',
      corrections: [],
      observations: [],
      usage: { calls: 0, tokens: 0, cached: 0 },
    };
  },
};

/**
 * Creates the auditor of a chat service.
 * @param preset the service, and the model used if a request names none
 */
const createRemoteAuditor = (preset: ChosenModel): Auditor => ({
  name: preset.service.provider,
  async audit(request, context) {
    const asked = { ...preset, model: request.model ?? preset.model };
    const { outcome, failure } = await auditWithModel(request, asked, context);
    if (failure) throw failure;
    return outcome;
  },
});

/** The version of the matcher; it changes whenever the same transcript and terms may be audited differently. */
const EDGE_AUDIT_MODEL = 'edge-matcher-6';

/**
 * Creates the auditor. The matcher applies the certain corrections from the packs. Ordinary English and sound-alikes go
 * to the model or, without one, to a person. If the model does not respond, the run continues with the matcher's
 * decisions, and the outcome says so.
 */
function createEdgeAuditor(preset: ChosenModel | null = null): Auditor {
  return {
    name: 'edge',
    async audit(request, context) {
      const { signal, compute = uncounted } = context;
      signal.throwIfAborted();
      if (!preset) {
        const outcome = await compute(() => auditWithMatcher(request));
        context.progress(1);
        return outcome;
      }
      const asked = { ...preset, model: otherModel(request) ?? preset.model };
      const { outcome, failure } = await auditWithModel(request, asked, context);
      if (!failure) return outcome;
      return {
        ...(await compute(() => auditWithMatcher(request))),
        usage: outcome.usage,
        note: `The language model of this server failed (${failure.failure.code}): only the matcher audited the transcript.`,
      };
    },
  };
}

/** The model that a request names, if it is not the matcher. */
const otherModel = ({ model }: AuditRequest): string | undefined =>
  model === 'auto' || model === EDGE_AUDIT_MODEL ? undefined : model;

function auditWithMatcher(request: AuditRequest): AuditOutcome {
  const { words, language, minConfidence } = request;
  const terms = withQuietCapitals(request.terms, words);
  const drafts = decideByMatcher(createMatcher(terms, { language }), words, minConfidence);
  const unused = otherModel(request);
  return outcomeOf(drafts, {
    provider: 'edge',
    model: EDGE_AUDIT_MODEL,
    usage: { calls: 0, tokens: 0, cached: 0 },
    ...(unused === undefined
      ? {}
      : {
          note: `The edge audit of this server has one model, ${EDGE_AUDIT_MODEL}; ${unused} was not used.`,
        }),
  });
}
