/** Where an agent may keep its key, and with which commands. Stated in the metadata and in auth.md alike. */
import type { AgentAuthMetadata } from '../../contract/discovery.ts';

/** The variable a secret manager gives the key to a process in. */
export const KEY_VARIABLE = 'CAPTIONER_API_KEY';

/**
 * The storage rules. The commands are of macOS; `-w` comes last and bare, so that the key is asked
 * for and never stands in a command line or a shell's history.
 * @param baseUrl names the entry, so that keys of two services are not mixed up
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
