/** Which providers there are and which of them a server has, as its documents tell it. */
import { AUDIT_PROVIDERS, CaptionerPayload } from './payload.ts';
import { closed, enumeration, Type } from './schema.ts';
import type { ProviderSection } from './suggestions.ts';

export interface ProviderSummary {
  stage: ProviderSection | 'moderation';
  /** Name on the wire. */
  name: string;
  /** Whether a run on this server may name it. */
  configured: boolean;
  /** Whether it is taken where a payload names none. */
  isDefault: boolean;
  /** The model it takes where a payload names none. */
  model: string;
  /** What runs it: Workers AI, a server of one's own, this host; absent for a service of that name. */
  engine?: string;
  /** What it takes and what not, in a sentence; empty where there is nothing to say. */
  limits: string;
}

/** The providers of a stage in a sentence. */
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

/** The provider a server takes where a payload names none; undefined where nothing is known of it. */
export const defaultProvider = (
  providers: readonly ProviderSummary[],
  stage: ProviderSummary['stage'],
): string | undefined =>
  providers.find((provider) => provider.stage === stage && provider.isDefault)?.name;

/** The payload of the contract as a server takes it: `audit.provider` has the default of its keys. */
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
