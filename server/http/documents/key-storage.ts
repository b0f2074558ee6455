/** The rules by which an agent stores its key, with commands; used in the metadata and in auth.md. */
import type { AgentAuthMetadata } from '../../contract/discovery.ts';

/** The environment variable in which a secret manager passes the key to a process. */
export const KEY_VARIABLE = 'CAPTIONER_API_KEY';

/**
 * The storage rules. The commands are for macOS. `-w` comes last and without a value, so that the key is prompted for
 * and never appears in a command line or a shell history.
 * @param baseUrl the name of the entry, which distinguishes keys of different services
 */
export function keyStorage(baseUrl: string): AgentAuthMetadata['credential_storage'] {
  const service = `captioner ${new URL(baseUrl).host}`;
  return {
    order: ['agent_vault', 'platform_secret_store', 'secret_manager', 'session_memory'],
    consent:
      'Store the key only after the user has agreed to it. Without consent, keep it in memory.',
    prompt: 'May I store your Captioner API key, and where?',
    env_var: KEY_VARIABLE,
    macos_keychain: {
      service,
      account: '<email>',
      store_command: `security add-generic-password -U -s "${service}" -a "<email>" -w`,
      find_by_email_command: `security find-generic-password -s "${service}" -a "<email>" -w`,
      find_service_command: `security find-generic-password -s "${service}" -w`,
      delete_command: `security delete-generic-password -s "${service}" -a "<email>"`,
    },
  };
}
