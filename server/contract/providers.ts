/** The providers of a server, as its documents list them and its payloads name them. */
import { CaptionerPayload } from './payload.ts';
import { closed, enumeration, Type } from './schema.ts';
import type { ProviderSection } from './suggestions.ts';

export interface ProviderSummary {
  stage: ProviderSection | 'moderation';
  /** Name in the contract. */
  name: string;
  /** Whether a run on this server can name it. */
  configured: boolean;
  /** Whether it is used if a payload names none. */
  isDefault: boolean;
  /** The model used if a payload names none. */
  model: string;
  /**
   * The engine that runs it: Workers AI, the operator's own server, this host; absent for a service
   * named like the provider.
   */
  engine?: string;
  /** Its limits in a sentence; empty if there are none to mention. */
  limits: string;
  /** The page of its own documentation with these limits; absent for what has none. */
  page?: string;
}

/**
 * Describes the providers of a stage in a sentence.
 * @example
 * const edge = { stage: 'audit', name: 'edge', configured: true, isDefault: true, model: 'matcher', limits: '' } as const;
 * describeProviders([edge], 'audit'); // => 'edge, the default here: matcher.'
 */
export const describeProviders = (
  providers: readonly ProviderSummary[],
  stage: ProviderSummary['stage'],
): string =>
  providers
    .filter((provider) => provider.stage === stage)
    .map(({ name, configured, isDefault, model, engine }) => {
      if (!configured) return `${name}: not configured on this server.`;
      const by = engine === undefined ? '' : ` (${engine})`;
      return `${name}${isDefault ? ', the default here' : ''}: ${model}${by}.`;
    })
    .join(' ');

/**
 * The provider that a server uses if a payload names none; undefined if unknown.
 * @example
 * const edge = { stage: 'audit', name: 'edge', configured: true, isDefault: true, model: 'matcher', limits: '' } as const;
 * defaultProvider([edge], 'audit'); // => 'edge'
 */
export const defaultProvider = (
  providers: readonly ProviderSummary[],
  stage: ProviderSummary['stage'],
): string | undefined =>
  providers.find((provider) => provider.stage === stage && provider.isDefault)?.name;

/** The names that `provider` can have in each section, and its default. */
type ProviderFields = Record<
  ProviderSection,
  { names: readonly string[]; default: string; description?: string }
>;

/** The schema of the payload with the given providers in place of the contract's own. */
export function payloadNaming(fields: ProviderFields): typeof CaptionerPayload {
  const { transcription, audit, ...rest } = CaptionerPayload.properties;
  const provider = ({ names, ...options }: ProviderFields[ProviderSection]) =>
    Type.Optional(enumeration<string[]>(names, options));
  return closed({
    ...rest,
    transcription: Type.Optional(
      closed({ ...transcription.properties, provider: provider(fields.transcription) }),
    ),
    audit: Type.Optional(closed({ ...audit.properties, provider: provider(fields.audit) })),
  });
}

/**
 * The schema of the payload with this server's providers and defaults: `audit.provider` defaults to what its
 * keys allow.
 */
export function payloadFor(providers: readonly ProviderSummary[]): typeof CaptionerPayload {
  if (providers.length === 0) return CaptionerPayload;
  const field = (stage: ProviderSection) => ({
    names: providerNames(providers, stage),
    default: defaultProvider(providers, stage) ?? 'edge',
  });
  return payloadNaming({
    transcription: field('transcription'),
    audit: { ...field('audit'), description: describeProviders(providers, 'audit') },
  });
}

/**
 * The names that a payload can use in a section, those of providers without a key included.
 * @example
 * providerNames([{ stage: 'audit', name: 'edge', configured: true, isDefault: true, model: 'm', limits: '' }], 'audit');
 * // => ['edge']
 */
export const providerNames = (
  providers: readonly ProviderSummary[],
  stage: ProviderSection,
): string[] => providers.filter((provider) => provider.stage === stage).map(({ name }) => name);
