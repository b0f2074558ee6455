/** The address at which people reach the operator of the service. */
import { address, ConfigError, textOf, type Environment } from './environment.ts';

const EMAIL = /^[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}$/i;

/**
 * OPERATOR_CONTACT: an email address or the address of a page, as a link for documents; null if it
 * is not set.
 * @throws {ConfigError} for anything else
 */
export function operatorContact(env: Environment): string | null {
  const value = textOf(env, 'OPERATOR_CONTACT');
  if (value === null) return null;
  if (EMAIL.test(value)) return `mailto:${value}`;
  if (value.includes('@') && !value.includes('/')) {
    throw new ConfigError('OPERATOR_CONTACT must be an email address or the address of a page');
  }
  return address(env, 'OPERATOR_CONTACT', 'help@captions.example or https://captions.example/help');
}
