/** What the service says about itself: health, metadata of authorization, and what the browser app needs. */
import { CaptionerScope } from './registration.ts';
import { enumeration, open, Type } from './schema.ts';
import type { ProviderSummary } from './providers.ts';

const strings = () => Type.Array(Type.String());

export interface ServerDescription {
  providers: readonly ProviderSummary[];
  packs: readonly { id: string; title: string; description: string; termCount: number }[];
  /** Whether codes are sent by email; otherwise each email is a file in the outbox of the data folder. */
  sendsMail: boolean;
  /** What the provider of single sign-on is called; null if there is none. */
  signOnName: string | null;
  /** The command that makes an MP3 from `input.mp4`, for browsers that cannot. */
  ffmpegCommand: string;
}

/** Instructions for getting and storing a key, part of both documents below. Contract 2.7. */
export const AgentAuthMetadata = open({
  skill: Type.String(),
  auth_md: Type.String(),
  register_uri: Type.String(),
  claim_uri: Type.String(),
  claim_complete_uri: Type.String(),
  flows_supported: strings(),
  identity_types_supported: strings(),
  credential_types_supported: strings(),
  events_supported: strings(),
  identity_assertion: open({
    assertion_types_supported: strings(),
    credential_types_supported: strings(),
  }),
  organization_scoped: Type.Boolean(),
  credential_storage: open({
    order: strings(),
    consent: Type.String(),
    prompt: Type.String(),
    env_var: Type.String(),
    macos_keychain: open({
      service: Type.String(),
      account: Type.String(),
      store_command: Type.String(),
      find_by_email_command: Type.String(),
      find_service_command: Type.String(),
      delete_command: Type.String(),
    }),
  }),
  assertion_types_supported: Type.Optional(strings()),
  unsupported_identity_types: Type.Optional(strings()),
  unsupported_assertion_types: Type.Optional(strings()),
  unsupported_credential_types: Type.Optional(strings()),
  credential_issuer: Type.Optional(Type.String()),
  credential_owner: Type.Optional(Type.String()),
  workos_authkit_issuer: Type.Optional(Type.String()),
  organization_strategy: Type.Optional(open({ personal: Type.String(), team_domains: strings() })),
});

/** `/.well-known/oauth-protected-resource`, RFC 9728. Contract 2.7. */
export const ProtectedResourceMetadata = open({
  resource: Type.String(),
  authorization_servers: strings(),
  scopes_supported: Type.Array(CaptionerScope),
  bearer_methods_supported: Type.Array(Type.String(), { contains: Type.Literal('header') }),
  agent_auth: AgentAuthMetadata,
  resource_name: Type.Optional(Type.String()),
  resource_documentation: Type.Optional(Type.String()),
});

/** `/.well-known/oauth-authorization-server`, RFC 8414. Contract 2.7. */
export const AuthorizationServerMetadata = open({
  issuer: Type.String(),
  agent_auth: AgentAuthMetadata,
  scopes_supported: Type.Optional(Type.Array(CaptionerScope)),
});

/** `/.well-known/agent-skills/index.json`; each digest is that of the skill's bytes. Contract 2.7. */
export const AgentSkillsIndex = open({
  $schema: Type.String(),
  skills: Type.Array(
    open({
      name: Type.String(),
      type: enumeration(['skill-md', 'archive']),
      description: Type.String(),
      url: Type.String({ format: 'uri' }),
      digest: Type.String({ pattern: '^sha256:[a-f0-9]{64}$' }),
    }),
  ),
});

/** `/.well-known/api-catalog`, a linkset as in RFC 9727. Contract 2.7. */
export const ApiCatalog = open({
  linkset: Type.Array(Type.Record(Type.String(), Type.Unknown())),
});

/** `/health`: whether the service can work. Contract 4. */
export const Health = open({ ok: Type.Boolean() });
