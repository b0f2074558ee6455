/** The options of the caption command: formats, glossary, profile and payload. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  formatsOf,
  glossaryOf,
  OPTIONS,
  payloadOf,
  profileOptions,
  type Options,
} from '../../scripts/caption-options.ts';
import { CommandFailure, readCommandLine, UsageError } from '../../scripts/command-line.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const file = (name: string) => join(folder, name);

describe('the formats', () => {
  test.each([
    [{}, ['srt']],
    [{ output: 'made/' }, ['srt']],
    [{ output: 'made.v2/' }, ['srt']],
    [{ output: 'talk.VTT' }, ['vtt']],
    [{ output: 'made/talk.vtt' }, ['vtt']],
    [{ output: 'talk.json' }, ['json']],
    [{ output: 'talk.txt', format: 'srt' }, ['srt']],
    [{ format: ' SRT, vtt,,srt ' }, ['srt', 'vtt']],
  ])('of %j are %j', (options, formats) => {
    expect(formatsOf(options)).toEqual(formats);
  });

  test.each([
    [{ format: 'srt,doc' }, 'not doc.'],
    [{ format: ',' }, 'not ,.'],
    [{ output: 'talk.doc' }, '.doc is not a caption format'],
  ])('of %j are refused: %s', (options, says) => {
    expect(() => formatsOf(options)).toThrow(UsageError);
    expect(() => formatsOf(options)).toThrow(says);
  });
});

describe('a glossary', () => {
  test('is the text itself, or that of a file', async () => {
    await writeFile(file('terms.txt'), 'AuthKit\nSCIM\n');
    expect(await glossaryOf({})).toBeUndefined();
    expect(await glossaryOf({ glossary: 'AuthKit, ann@example.com' })).toBe(
      'AuthKit, ann@example.com',
    );
    expect(await glossaryOf({ glossary: `@${file('terms.txt')}` })).toBe('AuthKit\nSCIM\n');
  });

  test('is missed if its file is missing', async () => {
    const none = glossaryOf({ glossary: `@${file('none.txt')}` });
    await expect(none).rejects.toThrow(CommandFailure);
    await expect(none).rejects.toThrow(`The glossary ${file('none.txt')} cannot be read.`);
  });
});

describe('a profile', () => {
  beforeAll(async () => {
    const house = { format: 'captioner-profile-1', name: 'Narrow', base: 'bbc', maxLineChars: 18 };
    await writeFile(file('narrow.json'), JSON.stringify(house));
    await writeFile(file('broken.json'), '{');
    await writeFile(file('shots.txt'), '2\n3.5, 4\n');
  });

  test('is none by default', async () => {
    expect(await profileOptions({})).toEqual({ query: {} });
  });

  test('is named, with the frame rate and the shots of a list or a file', async () => {
    expect(await profileOptions({ profile: 'netflix' })).toEqual({ query: { profile: 'netflix' } });
    expect(
      await profileOptions({ profile: 'netflix', 'frame-rate': '25', shots: ' 1.5,2  3,' }),
    ).toEqual({ query: { profile: 'netflix', frameRate: '25', shots: '1.5,2,3' } });
    const { query } = await profileOptions({ profile: 'bbc', shots: `@${file('shots.txt')}` });
    expect(query.shots).toBe('2,3.5,4');
  });

  test('may be a file, with the frame rate of the video', async () => {
    const { query, house } = await profileOptions({
      profile: file('narrow.json'),
      'frame-rate': '25',
    });
    expect(query as unknown).toEqual({ frameRate: '25' });
    expect(house).toMatchObject({ name: 'Narrow' });
  });

  test.each<[Options, string]>([
    [{ 'frame-rate': '25' }, '--frame-rate and --shots need --profile.'],
    [{ shots: '1' }, '--frame-rate and --shots need --profile.'],
    [{ profile: 'netflix', shots: 'one' }, '--shots must be seconds'],
    [{ profile: 'netflix', shots: ' , ' }, '--shots must be seconds'],
    [{ profile: 'netflix', shots: '1,-2' }, '--shots must be seconds'],
    [{ profile: 'netflix', shots: '1,2s' }, '--shots must be seconds'],
    [{ profile: file('none.json') }, `or a file that can be read, not ${file('none.json')}.`],
    [{ profile: file('broken.json') }, `The profile ${file('broken.json')} cannot be used:\n`],
  ])('%j is incorrect usage: %s', async (options, says) => {
    await expect(profileOptions(options)).rejects.toThrow(UsageError);
    await expect(profileOptions(options)).rejects.toThrow(says);
  });

  test('is not used if its list of shots cannot be read', async () => {
    const none = profileOptions({ profile: 'bbc', shots: `@${file('none.txt')}` });
    await expect(none).rejects.toThrow(`The list of shots ${file('none.txt')} cannot be read.`);
  });
});

describe('the payload', () => {
  const command = { name: 'caption', says: '', uses: [], options: OPTIONS };
  const payload = (args: string[], glossary?: string, path = '/talks/Talk.mp3') => {
    const given = readCommandLine(command, args);
    if (typeof given === 'string') throw new Error(given);
    return payloadOf(path, given.options, glossary) as unknown;
  };

  test('leaves to the service what was not given', () => {
    expect(payload([])).toEqual({
      audio: { key: 'Talk.mp3', filename: 'Talk.mp3' },
      language: 'en',
      transcription: { provider: 'edge' },
    });
  });

  test('names other recordings as MP3s, because they are converted before the run', () => {
    expect(payload([], undefined, '/talks/Talk.mov')).toMatchObject({
      audio: { key: 'Talk.mov.mp3', filename: 'Talk.mov' },
    });
  });

  test('has what was given', () => {
    const args = ['-l', 'pt-BR', '-t', 'MCP', '-w', '32', '--lines', '1', '-p', 'deepgram'];
    expect(payload([...args, '-m', 'nova-3'], 'AuthKit, SCIM')).toEqual({
      audio: { key: 'Talk.mp3', filename: 'Talk.mp3' },
      language: 'pt-BR',
      topic: 'MCP',
      glossary: 'AuthKit, SCIM',
      captions: { maxLineChars: 32, maxLines: 1 },
      transcription: { provider: 'deepgram', model: 'nova-3' },
    });
    expect(payload(['--lines', '3'])).toMatchObject({ captions: { maxLines: 3 } });
  });

  test.each([
    [['-w', '7'], /^captions\.maxLineChars: /],
    [['--lines', 'two'], /^captions\.maxLines: /],
    [['-t', 't'.repeat(10_000)], /^topic: /],
    [['--packs', ' a , b'], /^terminology\.packs/],
  ])('%j is incorrect usage', (args, says) => {
    expect(() => payload(args)).toThrow(UsageError);
    expect(() => payload(args)).toThrow(says);
  });
});
