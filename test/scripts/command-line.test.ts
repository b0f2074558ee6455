/** The command line that all commands share: their options, their help, and how to type them. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  CommandFailure,
  helpOf,
  readCommandLine,
  runCommand,
  UsageError,
  type Command,
} from '../../scripts/command-line.ts';
import { asTyped, commandLine, fromHere, onPath } from '../../scripts/current-folder.ts';
import { version } from '../../package.json';
import { root } from '../support/checkout.ts';

describe('a command line', () => {
  const command = {
    name: 'try',
    says: 'Tries.',
    uses: [{ line: 'A', says: 'Tries A' }],
    options: {
      kind: { short: 'k', value: 'KIND', says: 'What kind', oneOf: ['one', 'two'], default: 'one' },
      loud: { says: 'Loudly' },
    },
    notes: ['A note.'],
  } satisfies Command;
  const read = (...args: string[]) => readCommandLine(command, args);

  test('returns values, switches, defaults, and the rest in order', () => {
    expect(read('a', '-k', 'two', 'b', '--loud')).toEqual({
      options: { kind: 'two', loud: 'loud' },
      words: ['a', 'b'],
    });
    expect(read('--kind=two', '--', '--loud')).toEqual({
      options: { kind: 'two' },
      words: ['--loud'],
    });
    expect(read()).toEqual({ options: { kind: 'one' }, words: [] });
  });
  test('is refused with a sentence', () => {
    expect(() => read('--kind', 'three')).toThrow('--kind must be one of one, two, not three.');
    expect(() => read('--kind')).toThrow(UsageError);
    expect(() => read('--loud=very')).toThrow(UsageError);
    expect(() => read('-x')).toThrow(/^Unknown option '-x'\.$/);
    expect(() => read('--kind=')).toThrow('--kind needs a value.');
  });
  test('may request help along with anything else', () => {
    expect(read('a', '-k', 'two', '-h')).toBe(helpOf(command));
    expect(helpOf(command)).toContain('  -k, --kind KIND  What kind: one, two (default: one)\n');
    expect(helpOf(command)).toEndWith('\nA note.\n');
    expect(read('--version')).toBe(`captioner ${version}\n`);
    expect(() => read('--help', '--nope')).toThrow(UsageError);
  });
  test('has a line for each option in its help, in columns', () => {
    const rows = helpOf(command).split('Options:\n')[1]?.split('\n').slice(0, 4);
    expect(rows).toEqual([
      '  -k, --kind KIND  What kind: one, two (default: one)',
      '      --loud       Loudly',
      '  -h, --help       Show this help and exit',
      '  -V, --version    Show the version and exit',
    ]);
  });
});

describe('a command', () => {
  const { argv } = process;
  const command = { name: 'try', says: 'Tries.', uses: [], options: {} } satisfies Command;
  /** Runs a command; returns its exit code and its output. */
  const run = async (args: string[], work: (given: { words: string[] }) => Promise<void>) => {
    const ended: unknown[] = [];
    const written = { out: '', err: '' };
    const spies = [
      spyOn(process, 'exit').mockImplementation((code) => {
        ended.push(code ?? 0);
        throw new Error('the process has ended');
      }),
      spyOn(process.stdout, 'write').mockImplementation((text) => (written.out += text) !== ''),
      spyOn(process.stderr, 'write').mockImplementation((text) => (written.err += text) !== ''),
    ];
    process.argv = ['bun', 'try.ts', ...args];
    await runCommand(command, work).catch(() => {});
    process.argv = argv;
    for (const spy of spies) spy.mockRestore();
    return { codes: ended, ...written };
  };

  test('ends with 0 after its work, which it waits for', async () => {
    const done: string[][] = [];
    const made = await run(['a', 'b'], async ({ words }) => {
      await nextTurn();
      done.push(words);
    });
    expect(made).toEqual({ codes: [0], out: '', err: '' });
    expect(done).toEqual([['a', 'b']]);
  });

  test('prints its help instead of working', async () => {
    const made = await run(['a', '--help'], async () => {
      throw new Error('not asked for');
    });
    expect(made).toEqual({ codes: [0], out: helpOf(command), err: '' });
    // It has no notes.
    expect(made.out).toEndWith('Show the version and exit\n');
  });

  test.each([
    ['usage', new UsageError('Not like this.'), 2, /^Not like this\.\nHelp: .*try.*--help\n$/],
    ['failure', new CommandFailure('No.'), 1, /^No\.\n$/],
    ['error', new Error('Broken.'), 1, /^Broken\.\n$/],
  ])('says its %s on standard error', async (_, error, code, says) => {
    const { codes, out, err } = await run([], () => Promise.reject(error));
    expect([codes, out]).toEqual([[code], '']);
    expect(err).toMatch(says);
  });
});

describe('what a user can type', () => {
  const { CAPTIONER_COMMAND, PATH } = process.env;
  beforeEach(() => void delete process.env['CAPTIONER_COMMAND']);
  afterEach(() => {
    process.env['PATH'] = PATH;
    if (CAPTIONER_COMMAND !== undefined) process.env['CAPTIONER_COMMAND'] = CAPTIONER_COMMAND;
  });

  test.each([
    ['talk.mp3', 'talk.mp3'],
    ['sub/../talk.mp3', 'talk.mp3'],
    ['sub/talk.mp3', 'sub/talk.mp3'],
    ['', '.'],
    ['-talk.mp3', './-talk.mp3'],
    ['my talk.mp3', "'my talk.mp3'"],
    ["it's.mp3", "'it'\\''s.mp3'"],
    ['$(x).mp3', "'$(x).mp3'"],
    ['a;b', "'a;b'"],
  ])('the path %s is %s', (path, typed) => {
    expect(asTyped(fromHere(path))).toBe(typed);
  });

  test('a path outside the current folder is absolute', () => {
    expect(asTyped(fromHere('../talk.mp3'))).toBe(fromHere('../talk.mp3'));
    expect(asTyped('/dev/null/talk.mp3')).toBe('/dev/null/talk.mp3');
    expect(fromHere('/talk.mp3')).toBe('/talk.mp3');
  });

  test('the commands of captioner are its subcommands, except the one that captions', () => {
    process.env['CAPTIONER_COMMAND'] = 'captioner';
    expect(commandLine('caption', 'talk.mp3')).toBe('captioner talk.mp3');
    expect(commandLine('models', 'fetch NAME')).toBe('captioner models fetch NAME');
    expect(commandLine('models')).toBe('captioner models');
  });

  test('without npm a command runs its file', () => {
    process.env['PATH'] = '/dev/null';
    expect(onPath('npm')).toBe(false);
    const file = asTyped(join(root, 'scripts/models.ts'));
    expect(commandLine('models', 'fetch NAME')).toEndWith(` ${file} fetch NAME`);
    expect(commandLine('models')).toEndWith(` ${file}`);
  });

  test('a program is on the PATH if a folder of it has that file', () => {
    process.env['PATH'] = `:/dev/null:${join(root, 'scripts')}`;
    expect(['models.ts', 'nothing.ts', 'sample'].map(onPath)).toEqual([true, false, false]);
  });
});
