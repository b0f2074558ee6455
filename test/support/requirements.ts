/**
 * Requirements of tests beyond this repository: if one is missing, a test is skipped and its reason
 * printed; in CI that is a failure.
 */
import { test } from 'bun:test';
import { appendFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The folder of shared test material next to the repository: real audio, payloads, human captions.
 */
export const sharedFolder = fileURLToPath(new URL('../../../shared', import.meta.url));

/** The path of a file of the shared material. */
export const shared = (path: string): string => `${sharedFolder}/${path}`;

/**
 * `test` if the condition holds, otherwise `test.skip` with the reason printed (a failure in CI).
 */
export function needs(condition: boolean, reason: string): typeof test {
  if (condition) return test;
  if (process.env['CI']) throw new Error(`CI lacks what a test needs: ${reason}`);
  const list = process.env['SKIP_REASONS_FILE'];
  if (list) appendFileSync(list, `${reason}\n`);
  else console.warn(`skipped: ${reason}`);
  return test.skip;
}

/** `test` if a file of the shared material exists. */
export const needsShared = (path: string): typeof test =>
  needs(existsSync(shared(path)), `${path} of the shared test material is not here`);
