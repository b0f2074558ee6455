/** Searches files and logs for secrets. */
import { expect } from 'bun:test';

/** Whether a text contains a secret. A code of six digits must be a whole number in the text. */
const holds = (text: string, secret: string): boolean =>
  /^\d{6}$/.test(secret)
    ? new RegExp(`(?<![0-9A-Za-z])${secret}(?![0-9A-Za-z])`).test(text)
    : text.includes(secret);

/**
 * Expects a text to contain none of the secrets.
 * @param name describes the text in a failure, because the text itself is not printed
 */
export function expectNoSecrets(text: string, secrets: readonly string[], name = 'it'): void {
  expect([name, secrets.filter((secret) => holds(text, secret))]).toEqual([name, []]);
}
