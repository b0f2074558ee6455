/** The environment of child processes, without the service's secrets. */

const NEEDED = [
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'TEMP',
  'SystemRoot',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'DENO_DIR',
];

/** The environment variables that are passed to a child process. */
export const childEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    NEEDED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
