/**
 * Writes logs to standard error, one JSON object per line. They never contain a key, code, claim token, audio or
 * transcript.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** LOG_LEVEL, from the most verbose to none. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'audit', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  debug(event: string, fields?: Record<string, unknown>): void;
  info(event: string, fields?: Record<string, unknown>): void;
  warn(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
  /** Records a request for a protected resource, at every level except `silent`. */
  audit(event: string, fields?: Record<string, unknown>): void;
  /** A log that adds these fields to every line. */
  with(fields: Record<string, unknown>): Log;
}

/** Fields of the work in progress, such as the id of a request, which are in every line logged during it. */
const current = new AsyncLocalStorage<Record<string, unknown>>();

/** Does work whose log lines contain these fields, whichever log writes them. */
export const withLogFields = <T>(fields: Record<string, unknown>, work: () => T): T =>
  current.run(fields, work);

/** Creates a log that writes events at or above a level. */
export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => void process.stderr.write(line),
  base: Record<string, unknown> = {},
): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at =
    (name: LogLevel) =>
    (event: string, fields: Record<string, unknown> = {}) => {
      if (LOG_LEVELS.indexOf(name) < threshold) return;
      const line = {
        time: new Date().toISOString(),
        level: name,
        event,
        ...base,
        ...current.getStore(),
        ...fields,
      };
      write(`${JSON.stringify(line, plainErrors)}\n`);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    audit: at('audit'),
    with: (fields) => createLog(level, write, { ...base, ...fields }),
  };
}

/** Makes errors serialisable, which they are not by default; operators need the name, message and stack. */
const plainErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;

/** Longer messages are cut. */
const LONGEST = 300;

/** The text with absolute paths reduced to their last part; web addresses stay. */
export const redactPaths = (text: string): string =>
  text
    .slice(0, 10 * LONGEST)
    .replace(/(?<![\w:/.-])(?:[a-z]:)?(?:[/\\][^\s/\\'"`]+)*[/\\](?=[^\s/\\'"`])/gi, '')
    .slice(0, LONGEST);

/** The message of an error, in the same form. */
export const reasonOf = (error: unknown): string =>
  redactPaths(error instanceof Error ? error.message : String(error));
