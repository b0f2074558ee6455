/** Which providers there are and which of them a server has, as its documents tell it. */
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
