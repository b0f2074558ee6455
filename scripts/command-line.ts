/**
 * The command line of all commands: one parser, one format of help, one exit code for incorrect usage.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commandLine } from './current-folder.ts';

/** An option; `value` names its argument in the help, and without it the option is a switch. */
interface Option {
  short?: string;
  value?: string;
  says: string;
  /** The possible values, if they are limited. */
  oneOf?: readonly string[];
  default?: string;
}

/** The description and usage of a command, which has the name of its npm script. */
export interface Command<Options extends Record<string, Option> = Record<string, Option>> {
  name: string;
  says: string;
  /** The possible arguments, with one line for each usage. */
  uses: readonly { line: string; says: string }[];
  options: Options;
  /** Lines after the options. */
  notes?: readonly string[];
}

/** The parsed command line: the value of each option, and the other words. */
export interface Given<Options extends Record<string, Option>> {
  options: { [Name in keyof Options]?: string };
  words: string[];
}

/** The command line of a command without options of its own. */
export type GivenWords = Pick<Given<Record<string, Option>>, 'words'>;

/** Wrong usage of a command; the message explains the right one. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error fully explained by its message, without a stack trace. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

const COMMON: Record<string, Option> = {
  help: { short: 'h', says: 'Show this help and exit' },
  version: { short: 'V', says: 'Show the version and exit' },
};

/**
 * Runs a command: help and version go to standard output with exit code 0. Ends the process.
 */
export async function runCommand<Options extends Record<string, Option>>(
  command: Command<Options>,
  work: (given: Given<Options>) => Promise<void>,
): Promise<never> {
  return endProcess(command.name, async () => {
    const given = readCommandLine(command, process.argv.slice(2));
    if (typeof given === 'string') process.stdout.write(given);
    else await work(given);
  });
}

/**
 * Does the work of a command, and ends the process: incorrect usage goes to standard error with 2, failures with 1 and
 * without a stack trace.
 * @param name that of its npm script
 */
export async function endProcess(name: string, work: () => Promise<void>): Promise<never> {
  try {
    await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n`);
    if (error instanceof UsageError) {
      process.stderr.write(`Help: ${commandLine(name, '--help')}\n`);
    }
    process.exit(error instanceof UsageError ? 2 : 1);
  }
  process.exit();
}

/**
 * Parses a command line; returns a text if only the help or the version is requested.
 * @throws {UsageError} for an unknown option, and for a missing or invalid value
 */
export function readCommandLine<Options extends Record<string, Option>>(
  command: Command<Options>,
  args: readonly string[],
): Given<Options> | string {
  const all: Record<string, Option> = { ...command.options, ...COMMON };
  const { values, positionals } = parse(all, args);
  if (values['help']) return helpOf(command);
  if (values['version']) return `captioner ${versionOf()}\n`;
  const options: Record<string, string> = {};
  for (const [name, { oneOf, default: otherwise }] of Object.entries(all)) {
    const value = values[name] === true ? name : (values[name] ?? otherwise);
    if (value === undefined) continue;
    if (value === '') throw new UsageError(`--${name} needs a value.`);
    if (oneOf && !oneOf.includes(value)) {
      throw new UsageError(`--${name} must be one of ${oneOf.join(', ')}, not ${value}.`);
    }
    options[name] = value;
  }
  return { options, words: positionals };
}

function parse(options: Record<string, Option>, args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { short, value }]) => [
          name,
          { type: value ? ('string' as const) : ('boolean' as const), ...(short ? { short } : {}) },
        ]),
      ),
    });
    return { values: values as Record<string, string | true | undefined>, positionals };
  } catch (error) {
    // Node's message names the option; its advice on positional arguments does not help here.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${first.replace(/\.$/, '')}.`);
  }
}

/** The help of a command: its usages, then each option with its description. */
function helpOf({ name, says, uses, options, notes = [] }: Command): string {
  const ways = uses.map(({ line, says }) => `  ${commandLine(name, line)}\n      ${says}`);
  const rows = Object.entries({ ...options, ...COMMON }).map(([long, option]) => {
    const { short, value, oneOf, default: otherwise } = option;
    const flag = `${short ? `-${short}, ` : '    '}--${long}${value ? ` ${value}` : ''}`;
    const choice = oneOf ? `: ${oneOf.join(', ')}` : '';
    return [flag, `${option.says}${choice}${otherwise ? ` (default: ${otherwise})` : ''}`] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  const lines = rows.map(([flag, text]) => `  ${flag.padEnd(width)}  ${text}`);
  const after = notes.length > 0 ? `\n${notes.join('\n')}\n` : '';
  return `${says}\n\nUsage:\n${ways.join('\n')}\n\nOptions:\n${lines.join('\n')}\n${after}`;
}

/** The version of the program. */
export function versionOf(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
