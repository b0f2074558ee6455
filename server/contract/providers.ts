/** The providers of a server, as its documents list them and payloads name them. */
import { CaptionerPayload } from './payload.ts';
import { closed, enumeration, Type } from './schema.ts';

/** The payload section that names a provider. */
export type ProviderSection = 'transcription' | 'audit';

export interface ProviderSummary {
  stage: ProviderSection | 'translation' | 'moderation';
  /** The name in the contract. */
  name: string;
  /** Whether a run on this server can name it. */
  configured: boolean;
  /** Whether it is used if a payload does not name a provider. */
  isDefault: boolean;
  /** The model used if a payload does not name one. */
  model: string;
  /**
   * The engine that runs it: Workers AI, the operator's own server or this host; absent if the service is named like
   * the provider.
   */
  engine?: string;
  /** Its limits in a sentence; empty if there are none to mention. */
  limits: string;
  /** Whether it detects the language of a recording (`language: "auto"`). */
  detectsLanguage?: boolean;
  /** The only directions in which it translates, such as `en>es`; absent if they are not known here. */
  directions?: readonly string[];
  /** The page of its own documentation that states these limits, if there is one. */
  page?: string;
}

/**
 * Describes the providers of a stage in a sentence.
 * @example
 * const audit = { stage: 'audit', configured: true, isDefault: true, limits: '' } as const;
 * const edge = { ...audit, name: 'edge', model: 'matcher' };
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
 * The provider that a server uses if a payload does not name one; undefined if unknown.
 * @example
 * const audit = { stage: 'audit', configured: true, isDefault: true, limits: '' } as const;
 * const edge = { ...audit, name: 'edge', model: 'matcher' };
 * defaultProvider([edge], 'audit'); // => 'edge'
 */
export const defaultProvider = (
  providers: readonly ProviderSummary[],
  stage: ProviderSummary['stage'],
): string | undefined =>
  providers.find((provider) => provider.stage === stage && provider.isDefault)?.name;

/** The possible names of `provider` in each section, and its default. */
type ProviderFields = Record<
  ProviderSection,
  { names: readonly string[]; default: string; description?: string }
>;

/**
 * The schema of the payload with the given providers instead of the contract's.
 * @example
 * const schema = payloadNaming({
 *   transcription: { names: ['edge'], default: 'edge' },
 *   audit: { names: ['edge', 'none'], default: 'edge' },
 * });
 * schema.properties.audit.properties.provider.enum; // => ['edge', 'none']
 */
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
 * The schema of the payload with this server's providers and defaults, which depend on its keys.
 * @example
 * const audit = { stage: 'audit', configured: true, isDefault: true, limits: '' } as const;
 * const edge = { ...audit, name: 'edge', model: 'matcher' };
 * payloadFor([edge]).properties.audit.properties.provider.enum; // => ['edge']
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
 * The names that a payload can use in a section, including providers without a key.
 * @example
 * const audit = { stage: 'audit', configured: true, isDefault: true, limits: '' } as const;
 * providerNames([{ ...audit, name: 'edge', model: 'matcher' }], 'audit');
 * // => ['edge']
 */
export const providerNames = (
  providers: readonly ProviderSummary[],
  stage: ProviderSection,
): string[] => providers.filter((provider) => provider.stage === stage).map(({ name }) => name);
