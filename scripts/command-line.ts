/** The command line of every command: one parser, one form of help, one exit code for a wrong use. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commandLine } from './places.ts';

/** An option; `value` names what follows it in the help, and without it the option is a switch. */
export interface Option {
  short?: string;
  value?: string;
  says: string;
  /** What the value may be, where it is one of a list. */
  oneOf?: readonly string[];
  default?: string;
}

/** What a command is used for and how; its name is that of the npm script. */
export interface Command<Options extends Record<string, Option> = Record<string, Option>> {
  name: string;
  says: string;
  /** What may follow the name, a line for each way. */
  uses: readonly { line: string; says: string }[];
  options: Options;
  /** Lines under the options. */
  notes?: readonly string[];
}

/** A command line as it was given: the value of each option, and what stands without one. */
export interface Given<Options extends Record<string, Option>> {
  options: { [Name in keyof Options]?: string };
  words: string[];
}

/** What was given to a command that has no options of its own. */
export type GivenWords = Pick<Given<Record<string, Option>>, 'words'>;

/** The command was not used as it can be; its message tells how to. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the person is told is all there is to say: no stack. Exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

const COMMON: Record<string, Option> = {
  help: { short: 'h', says: 'Show this, and do nothing else' },
  version: { short: 'V', says: 'Show the version, and do nothing else' },
};

/**
 * Runs a command: help and version on standard output with exit code 0, a wrong use on standard error
 * with 2, what failed with 1 and without a stack trace. Ends the process.
 */
export async function runCommand<Options extends Record<string, Option>>(
  command: Command<Options>,
  work: (given: Given<Options>) => Promise<void>,
): Promise<never> {
  try {
    const given = readCommandLine(command, process.argv.slice(2));
    if (typeof given === 'string') process.stdout.write(given);
    else await work(given);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message}\n`);
    if (error instanceof UsageError) {
      process.stderr.write(`Help: ${commandLine(command.name, '--help')}\n`);
    }
    process.exit(error instanceof UsageError ? 2 : 1);
  }
  process.exit();
}

/**
 * Reads a command line; a text where only that is asked for: the help or the version.
 * @throws {UsageError} for an option that is unknown, lacks its value or has one that cannot be
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
      throw new UsageError(`--${name} is one of ${oneOf.join(', ')}; it is not ${value}.`);
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
    // Its message names the option; what it adds on positional arguments helps nobody here.
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${first.replace(/\.$/, '')}.`);
  }
}

/** The help of a command: its ways of use, then each option with what it does. */
export function helpOf({ name, says, uses, options, notes = [] }: Command): string {
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

function versionOf(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
