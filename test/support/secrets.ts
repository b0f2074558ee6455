/** Searches files and logs for secrets. */
import { expect } from 'bun:test';

/** Whether a text holds a secret. A code is six digits among many: only whole numbers count. */
const holds = (text: string, secret: string): boolean =>
  /^\d{6}$/.test(secret)
    ? new RegExp(`(?<![0-9A-Za-z])${secret}(?![0-9A-Za-z])`).test(text)
    : text.includes(secret);

/**
 * None of the secrets stands in the text.
 * @param name what the text is, for a test that fails: it is not printed itself
 */
export function expectNoSecrets(text: string, secrets: readonly string[], name = 'it'): void {
  expect([name, secrets.filter((secret) => holds(text, secret))]).toEqual([name, []]);
}
