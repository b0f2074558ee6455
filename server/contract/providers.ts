/** The providers and their availability on a server, as documents describe them. */
import { AUDIT_PROVIDERS, CaptionerPayload } from './payload.ts';
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

/**
 * The schema of the payload with this server's defaults: `audit.provider` defaults to what its keys
 * allow.
 */
export function payloadFor(providers: readonly ProviderSummary[]): typeof CaptionerPayload {
  const standard = defaultProvider(providers, 'audit');
  if (standard === undefined) return CaptionerPayload;
  const { audit, ...rest } = CaptionerPayload.properties;
  return closed({
    ...rest,
    audit: Type.Optional(
      closed({
        ...audit.properties,
        provider: Type.Optional(
          enumeration(AUDIT_PROVIDERS, {
            default: standard,
            description: describeProviders(providers, 'audit'),
          }),
        ),
      }),
    ),
  });
}
