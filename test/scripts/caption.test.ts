/** `caption` from wherever a person stands: what it refuses before any work, and hints that work as printed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { root } from '../support/checkout.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { sample } from '../support/sample.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { tinyModelEnvironment } from '../support/doubles/tiny-model-environment.ts';
import { spawned } from './support.ts';
import { ffmpeg, needsFfmpeg } from '../web/support/media-files.ts';

setDefaultTimeout(120_000);

const folder = await temporaryFolder();
let asked = 0;
/** Where models come from: a host that must not be asked by what is refused. */
const models = await startHttpDouble(() => {
  asked += 1;
  return new Response(null, { status: 404 });
});
afterAll(async () => {
  await models.close();
  await removeFolder(folder);
});
const { env: tinyModel } = await tinyModelEnvironment();

/** As installed with npm: Bun is in node_modules and nowhere else. */
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

/** The command itself, as npm runs it for a person in the folder. */
const caption = (args: string, env: Record<string, string> = {}) =>
  shell(`cd ${root} && ${process.execPath} scripts/caption.ts ${args}`, {
    INIT_CWD: folder,
    MODELS_BASE_URL: models.origin,
    DATA_DIR: join(folder, 'data'),
    ...env,
  });

/** All names in the folder, the models' aside. */
const files = () =>
  Bun.spawnSync(['find', folder, '-not', '-path', `${folder}/data*`])
    .stdout.toString()
    .split('\n')
    .sort();

beforeAll(async () => {
  await copyFile(sample, join(folder, 'v.mp3'));
  await link(join(folder, 'v.mp3'), join(folder, 'hard.mp3'));
  await symlink('v.mp3', join(folder, 'soft.mp3'));
  await symlink('circle', join(folder, 'circle'));
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'empty.mp3'), '');
  await writeFile(join(folder, 'text.mp3'), 'no recording');
});

describe('refused before any model is asked for, and nothing is left behind', () => {
  test.each([
    ['v.mp3 -o v.mp3 -f srt', 1, 'v.mp3 is the recording'],
    ['v.mp3 -o hard.mp3 -f srt', 1, 'hard.mp3 is the recording'],
    ['v.mp3 -o soft.mp3 -f srt', 1, 'soft.mp3 is the recording'],
    ['soft.mp3 -o v.mp3 -f srt', 1, 'v.mp3 is the recording'],
    ['v.mp3 -o ./sub/../v.mp3 -f srt', 1, 'v.mp3 is the recording'],
    ['v.mp3 -o none/v.srt', 1, 'there is no folder none'],
    ['v.mp3 -o v.mp3/v.srt', 1, 'v.mp3 is not a folder'],
    ['v.mp3 -o sub -f srt', 1, 'sub is a folder'],
    ['v.mp3 -o circle -f srt', 1, 'is a link to itself'],
    ['v.mp3 -o /proc/v.srt', 1, 'Nothing can be written to the folder /proc'],
    ['v.mp3 -m nope', 2, 'parakeet-110m, parakeet-v3'],
    ['v.mp3 -m silero-vad', 2, 'parakeet-110m, parakeet-v3'],
    ['v.mp3 -l xx', 2, 'No model here knows the language "xx"'],
    ['v.mp3 -l de -m parakeet-110m', 2, 'does not know the language "de"'],
    ['v.mp3 -p deepgram', 1, 'DEEPGRAM_API_KEY'],
    ['none.mp3', 1, 'There is no file none.mp3'],
    ['empty.mp3', 1, 'empty.mp3 is empty'],
    ['text.mp3', 1, 'text.mp3 is not an MP3'],
    ['sub', 1, 'It contains no recording'],
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

test('paths are those of where the person stands; a link is followed, a device written to', async () => {
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

describe('hints work as they are printed, without Bun on the PATH', () => {
  needsFfmpeg.each(["it's a talk.wav", '-talk.m4a', 'film.mp4'])(
    '%s: the lines make an MP3 of it and caption that',
    async (name) => {
      const place = join(folder, 'media');
      await mkdir(place, { recursive: true });
      const video = name.endsWith('.mp4') ? '-f lavfi -i testsrc=d=2 ' : '';
      await ffmpeg(join(place, 'made.mkv'), `${video}-i ${sample} -t 2`);
      Bun.spawnSync(['ffmpeg', '-v', 'error', '-y', '-i', 'made.mkv', `./${name}`], { cwd: place });
      const typed = `'${`media/${name}`.replaceAll("'", "'\\''")}'`;
      const refused = await caption(typed);
      expect([refused.code, asked]).toEqual([1, 0]);
      const [convert = '', captions = ''] = commands(refused.err);
      expect(convert).toStartWith('ffmpeg ');
      expect(captions).toStartWith('npm --prefix ');
      // One of them is captioned to the end, for npm and Bun take their time to start.
      const [script, output] = name.endsWith('.wav')
        ? [`${convert} && ${captions}`, ' --> ']
        : [`${convert} && echo ${captions}`, '.mp3'];
      const made = await shell(script, tinyModel);
      expect([made.code, made.out]).toEqual([0, expect.stringContaining(output)]);
      // The same line again would overwrite it: the next hint has another name.
      const [again = ''] = commands((await caption(typed)).err);
      expect(again).toContain('-2.mp3');
      // From within the folder, and of the folder.
      const inside = await caption("'.'", { INIT_CWD: place });
      expect(commands(inside.err).length).toBeGreaterThan(1);
    },
  );

  test('the help of a wrong use', async () => {
    const { err } = await caption('--nope');
    const line = /^Help: (.*)$/m.exec(err)?.[1] ?? '';
    const help = await shell(line);
    expect([help.code, help.out]).toEqual([0, expect.stringContaining('--output FILE')]);
  });

  test('the model that is missing', async () => {
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
