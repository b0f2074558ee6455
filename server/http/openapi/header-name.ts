/**
 * The name of a header in its usual spelling; schemas have it in lower case.
 * @example
 * headerName('idempotency-key'); // => 'Idempotency-Key'
 */
export const headerName = (name: string): string =>
  name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
