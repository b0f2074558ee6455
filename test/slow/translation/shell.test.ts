/** `captioner talk.mp3 --translate de,he --server …`: the real program and a server, with a language model that errs. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { spawned } from '../../scripts/support.ts';
import { SHORT_TALK } from '../../support/browser/review.ts';
import { root } from '../../support/checkout.ts';
import { dictionaryOf } from '../../support/doubles/translators.ts';
import { sample } from '../../support/sample.ts';
import { type Any, signUp } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { LEFT, translatingServer } from '../../support/servers/translating-server.ts';

setDefaultTimeout(300_000);

const { model, server } = await translatingServer();
const folder = await temporaryFolder();
await Bun.write(join(folder, 'talk.mp3'), Bun.file(sample));
afterAll(() => removeFolder(folder));

test('a server translates for the shell, which writes the files and says what is in doubt', async () => {
  const ann = await signUp(server, 'ann@example.com');
  const captioner = (...args: string[]) =>
    spawned(
      [Bun.which('node') ?? 'node', join(root, 'scripts/captioner.mjs'), 'talk.mp3', ...args],
      folder,
      { PATH: '/usr/bin:/bin', HOME: folder, CAPTIONER_API_KEY: ann.key },
    );
  const asked = ['--server', server.url, '-p', 'deepgram', '-o', 'talk.srt', '--translate'];
  const { code, out, err } = await captioner(...asked, 'de,he', '--profile', 'netflix');
  // One sentence stays in English, which the names of the files and the exit code say.
  expect([code, out]).toEqual([1, '']);
  for (const language of ['de', 'he']) {
    const text = await readFile(join(folder, `talk.${language}.incomplete.srt`), 'utf8');
    const shown = text.split('\n').filter((line) => line !== '' && !/^\d+$|-->/.test(line));
    const letters = (line: string) => line.replaceAll(/[\s‏‎‫‬]/g, '');
    const translate = dictionaryOf(language);
    const expected = SHORT_TALK.map(([sentence]) =>
      sentence === LEFT ? sentence : translate(sentence),
    );
    // Terms are corrected before, so only sentences without them are known.
    for (const sentence of expected.filter((_, at) => !/off kit|m c p/.test(SHORT_TALK[at]![0]))) {
      expect(letters(shown.join(''))).toContain(letters(sentence));
    }
    expect(err).toContain(`${language}: ${SHORT_TALK.length} sentences, 1 doubt,`);
    expect(err).toContain(`${SHORT_TALK.length - 1} of ${SHORT_TALK.length} sentences`);
  }
  expect(err).toContain(LEFT);
  const { runs } = await (await ann.get('/workflows/captioner')).json();
  const { translations } = await (
    await ann.get(`/workflows/captioner/${runs[0].runId}/translations`)
  ).json();
  expect(translations.map(({ language, profile }: Any) => [language, profile]).sort()).toEqual([
    ['de', 'netflix'],
    ['he', 'netflix'],
  ]);
});

test('translations of a server follow a profile of one’s own, which it does not know', async () => {
  const ann = await signUp(server, 'eve@example.net');
  const ours = { format: 'captioner-profile-1', name: 'Ours', base: 'bbc', maxLineChars: 20 };
  await Bun.write(join(folder, 'ours.json'), JSON.stringify(ours));
  const command = [Bun.which('node') ?? 'node', join(root, 'scripts/captioner.mjs'), 'talk.mp3'];
  const asked = ['--server', server.url, '-p', 'deepgram', '--translate', 'de'];
  const { code, err } = await spawned(
    [...command, ...asked, '--profile', 'ours.json', '-o', 'ours.vtt'],
    folder,
    { PATH: '/usr/bin:/bin', HOME: folder, CAPTIONER_API_KEY: ann.key },
  );
  expect([code, err]).toEqual([1, expect.stringContaining(`de: ${SHORT_TALK.length} sentences`)]);
  for (const name of ['ours.vtt', 'ours.de.incomplete.vtt']) {
    const shown = (await readFile(join(folder, name), 'utf8'))
      .split('\n')
      .filter((line) => /\p{L}/u.test(line) && !/-->|^WEBVTT/.test(line));
    expect(shown.length).toBeGreaterThan(SHORT_TALK.length);
    expect(shown.filter((line) => line.replaceAll(/<[^>]*>/g, '').length > 20)).toEqual([]);
  }
});

test('caption files are translated without their sound, alone and in a folder', async () => {
  const ann = await signUp(server, 'sub@example.org');
  const captions = join(folder, 'captions');
  const srt = (text: string) => `1\n00:00:00,000 --> 00:00:04,000\n${text}\n`;
  await Bun.write(join(captions, 'one.srt'), srt('Bridges answer questions.'));
  await Bun.write(
    join(captions, 'two.vtt'),
    `WEBVTT\n\n${srt('Rivers wait.').replaceAll(',', '.')}`,
  );
  await Bun.write(join(captions, 'left.srt'), srt(LEFT));
  const run = (...args: string[]) =>
    spawned(
      [
        Bun.which('node') ?? 'node',
        join(root, 'scripts/captioner.mjs'),
        ...args,
        '--server',
        server.url,
      ],
      captions,
      { PATH: '/usr/bin:/bin', HOME: folder, CAPTIONER_API_KEY: ann.key },
    );
  const one = ['one.srt', '--translate', 'de', '-o', 'german.srt', '--language', 'en'];
  const refused = await run(...one, '--translator', 'deepl');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('deepl')]);
  const alone = await run(...one, '--translator', 'edge');
  expect(alone.code).toBe(0);
  const german = dictionaryOf('de')('Bridges answer questions.');
  expect(await readFile(join(captions, 'german.srt'), 'utf8')).toContain(german);
  await rm(join(captions, 'german.srt'));
  const all = await run('.', '--translate', 'de,fr', '--json', '--language', 'en');
  expect(all.code).toBe(1);
  const events = all.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const files = events.flatMap(({ files: written = [] }) =>
    written.map((path: string) => basename(path)),
  );
  expect(new Set(files)).toEqual(new Set(['one.de.srt', 'one.fr.srt', 'two.de.vtt', 'two.fr.vtt']));
  expect(events.filter(({ event }) => event === 'failed')).toMatchObject([
    { message: expect.stringContaining('none of the sentences') },
  ]);
  // What is translated is not translated again.
  const again = await run('.', '--translate', 'de', '--overwrite');
  expect((await readdir(captions)).filter((name) => name.includes('.de.de.'))).toEqual([]);
  expect(again.err).not.toContain('one.de.srt:');
});

test('a translation that fails is a failure of the command, with its reason', async () => {
  const ann = await signUp(server, 'bob@example.org');
  model.behave(() => new Response('{"error":{"message":"no"}}', { status: 401 }));
  const { code, err } = await spawned(
    [process.execPath, join(root, 'scripts/caption.ts'), 'talk.mp3', '-o', 'own.srt'].concat([
      '-p',
      'deepgram',
      '--server',
      server.url,
      '--translate',
      'de',
    ]),
    folder,
    { PATH: process.env['PATH'] ?? '', HOME: folder, CAPTIONER_API_KEY: ann.key },
  );
  expect(code).toBe(1);
  expect(err).toContain('edge');
  // The captions themselves are written all the same.
  expect(await readFile(join(folder, 'own.srt'), 'utf8')).toContain('-->');
});
