/** The command line that all commands share: their options, their help, and how to type them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { helpOf, readCommandLine, UsageError, type Command } from '../../scripts/command-line.ts';
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

  test('a path outside of the current folder is whole', () => {
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
