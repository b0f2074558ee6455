/** `caption` in any folder: its refusals before any work, and hints that work as printed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, mkdir, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../support/checkout.ts';
import { startHttpDouble } from '../../support/doubles/http-double.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { tinyModelEnvironment } from '../../support/doubles/tiny-model-environment.ts';
import { spawned } from '../../scripts/support.ts';
import { ffmpeg, needsFfmpeg } from '../../support/media-files.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
let asked = 0;
/** A host for models, which refused commands must not contact. */
const models = await startHttpDouble(() => {
  asked += 1;
  return new Response(null, { status: 404 });
});
afterAll(async () => {
  await models.close();
  await removeFolder(folder);
});
const { env: tinyModel } = await tinyModelEnvironment();

/** As installed with npm: Bun is only in node_modules. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);

const shell = (script: string, env: Record<string, string> = {}) =>
  spawned(['bash', '-c', script], folder, {
    PATH,
    HOME: join(folder, 'data'),
    npm_config_update_notifier: 'false',
    ...env,
  });

/** The command as npm runs it for a user in the folder. */
const caption = (args: string, env: Record<string, string> = {}) =>
  shell(`cd ${root} && ${process.execPath} scripts/caption.ts ${args}`, {
    INIT_CWD: folder,
    MODELS_BASE_URL: models.origin,
    DATA_DIR: join(folder, 'data'),
    ...env,
  });

/** All names in the folder, except those of models. */
const files = () =>
  Bun.spawnSync(['find', folder, '-not', '-path', `${folder}/data*`])
    .stdout.toString()
    .split('\n')
    .sort();

beforeAll(async () => {
  await copyFile(sample, join(folder, 'v.mp3'));
  await symlink('v.mp3', join(folder, 'soft.mp3'));
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'text.mp3'), 'no recording');
  await mkdir(join(folder, 'taken'));
  await copyFile(sample, join(folder, 'taken', 'w.mp3'));
  await writeFile(join(folder, 'taken', 'v.srt'), 'corrected by hand');
});

describe('refused before any model is needed, and nothing is left behind', () => {
  test.each([
    ['soft.mp3 -o v.mp3 -f srt', 1, 'v.mp3 is the recording'],
    ['v.mp3 taken -o taken', 2, 'taken/v.srt exists; --overwrite replaces it'],
    ['v.mp3 -p deepgram', 1, 'DEEPGRAM_API_KEY'],
    ['text.mp3', 1, 'text.mp3 cannot be captioned: FFmpeg cannot read it'],
  ])('%s', async (args, expected, says) => {
    const before = files();
    const { code, err, out } = await caption(args);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toContain(says);
    expect(err).not.toMatch(/^\s+at /m);
    expect(asked).toBe(0);
    expect(files()).toEqual(before);
    expect(await readFile(join(folder, 'v.mp3'))).toEqual(await readFile(sample));
  });
});

test("paths are relative to the user's folder; a link is followed, a device written to", async () => {
  await symlink('sub/real.vtt', join(folder, 'link.vtt'));
  const [linked, device] = await Promise.all([
    caption('v.mp3 -o link.vtt', tinyModel),
    caption('v.mp3 -o /dev/stdout -f srt', tinyModel),
  ]);
  expect(linked).toMatchObject({ code: 0, out: '' });
  expect(await readFile(join(folder, 'sub', 'real.vtt'), 'utf8')).toStartWith('WEBVTT\n');
  expect(device.out).toStartWith('1\n00:00:');
  expect(files().filter((name) => name.endsWith('.part'))).toEqual([]);
});

/** The lines of a message that are commands. */
const commands = (text: string): string[] =>
  text.split('\n').flatMap((line) => /^ {2}(.*)$/.exec(line)?.[1] ?? []);

describe('any kind of recording', () => {
  const media = join(folder, 'media');
  /** The command without FFmpeg on the PATH. */
  const plain = (file: string) =>
    spawned([process.execPath, 'scripts/caption.ts', file], root, {
      PATH: dirname(process.execPath),
      HOME: folder,
      INIT_CWD: folder,
      DATA_DIR: join(folder, 'data'),
      ...tinyModel,
    });
  const make = async (name: string, video = '') => {
    await mkdir(media, { recursive: true });
    await ffmpeg(join(media, 'made.mkv'), `${video}-i ${sample} -t 2`);
    Bun.spawnSync(['ffmpeg', '-v', 'error', '-y', '-i', 'made.mkv', `./${name}`], { cwd: media });
    await unlink(join(media, 'made.mkv'));
  };

  needsFfmpeg(
    'of a folder is captioned, in each format, and one that fails keeps none',
    async () => {
      for (const name of ["it's a talk.wav", '-talk.m4a']) await make(name);
      await make('film.mp4', '-f lavfi -i testsrc=d=2 ');
      await writeFile(join(media, 'broken.mkv'), 'no recording');
      // Its own, because other programs write into the shared one at the same time.
      const TMPDIR = await temporaryFolder();
      const { code, out, err } = await caption('media v.mp3 -f srt,vtt -o made/ --json', {
        ...tinyModel,
        TMPDIR,
      });
      expect(code).toBe(1);
      expect(err).toContain('1 of 5 were not captioned');
      const lines = out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const ends = lines.filter(({ event }) => event === 'completed');
      expect(ends).toHaveLength(4);
      for (const { files, cues, duration } of ends) {
        expect([files.length, cues > 0, duration > 1]).toEqual([2, true, true]);
      }
      expect(lines.filter(({ event }) => event === 'failed')).toEqual([
        expect.objectContaining({ recording: join(media, 'broken.mkv') }),
      ]);
      expect(lines.find(({ event }) => event === 'progress')).toMatchObject({
        progress: expect.any(Number),
      });
      const names = (await readdir(join(folder, 'made'))).toSorted();
      expect(names).toEqual(
        ['-talk', 'film', "it's a talk", 'v']
          .flatMap((stem) => [`${stem}.srt`, `${stem}.vtt`])
          .toSorted(),
      );
      const left = await readdir(TMPDIR);
      await removeFolder(TMPDIR);
      expect(left.filter((name) => name.startsWith('captioner-'))).toEqual([]);
      // Existing captions may have been edited since, so they are overwritten only on request.
      const again = await caption('v.mp3 -f srt,vtt -o made', tinyModel);
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('--overwrite')]);
      const asked = await caption('v.mp3 -f srt,vtt -o made --overwrite', tinyModel);
      expect(asked.code).toBe(0);
    },
  );

  needsFfmpeg(
    'without FFmpeg a WAV is captioned, and for the rest the command is printed',
    async () => {
      await make('plain.wav');
      await make('film.mp4', '-f lavfi -i testsrc=d=2 ');
      const wav = await plain('media/plain.wav');
      expect([wav.code, wav.out]).toEqual([0, expect.stringContaining(' --> ')]);
      const film = await plain('media/film.mp4');
      expect([film.code, film.err]).toEqual([
        1,
        expect.stringContaining('  ffmpeg -i media/film.mp4 '),
      ]);
    },
  );
});

describe('printed hints work, without Bun on the PATH', () => {
  test('the hint after incorrect usage', async () => {
    const { err } = await caption('--nope');
    const line = /^Help: (.*)$/m.exec(err)?.[1] ?? '';
    const help = await shell(line);
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('--output PATH')]);
  });

  test('the hint about a missing model', async () => {
    const { code, err } = await caption('v.mp3 -l de');
    expect(code).toBe(1);
    const [fetchLine = ''] = commands(err).map((line) => line.replace(/ {3,}\(.*$/, ''));
    expect(fetchLine).toContain('fetch parakeet-v3');
    const fetched = await shell(fetchLine, { MODELS_BASE_URL: models.origin });
    expect([fetched.code, fetched.err]).toEqual([1, expect.stringContaining('responded with 404')]);
    expect(fetched.err).not.toMatch(/^\s+at /m);
    asked = 0;
  });
});
