/** The recordings of the caption command: found in folders, checked, and read without being changed. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asMp3 } from '../../scripts/as-mp3.ts';
import { CommandFailure } from '../../scripts/command-line.ts';
import { fileAudio, isMp3, notAnMp3, requireReadable } from '../../scripts/recording.ts';
import { findRecordings } from '../../scripts/recordings.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { parseFrameHeader } from '../../server/mp3/header.ts';
import { wavFile } from '../../server/speech/host/wav.ts';
import { sample } from '../support/sample.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const at = (name: string) => join(folder, name);
const made = async (...names: string[]) => {
  for (const name of names) {
    await mkdir(join(at(name), '..'), { recursive: true });
    await writeFile(at(name), 'recording');
  }
};

describe('recordings', () => {
  test('in a folder and its subfolders are found, sorted by name', async () => {
    await made('talks/b.mp3', 'talks/a/z.MOV', 'talks/a.wav', 'talks/notes.txt', 'talks/.a.mp3');
    await made('talks/mp3', 'talks/c.mp3.part');
    await mkdir(at('talks/folder.mp4'));
    expect(await findRecordings([at('talks')])).toEqual(
      ['a.wav', 'a/z.MOV', 'b.mp3'].map((name) => at(`talks/${name}`)),
    );
  });

  test('named twice are captioned once, and a named file may have any name', async () => {
    await made('two/b.mp3', 'two/a.mp3', 'two/voice');
    const named = ['two/voice', 'two/b.mp3', 'two'].map(at);
    expect(await findRecordings(named)).toEqual(['two/voice', 'two/b.mp3', 'two/a.mp3'].map(at));
  });

  test('that do not exist are missed', async () => {
    await made('none/notes.txt');
    await expect(findRecordings([at('none')])).rejects.toThrow(
      `The folder ${at('none')} contains no recording.`,
    );
    await expect(findRecordings([at('nothing')])).rejects.toThrow(
      `There is no file ${at('nothing')}.`,
    );
  });

  test('need to be files with something in them', async () => {
    await made('fine.mp3');
    await writeFile(at('empty.mp3'), '');
    await mkdir(at('folder'));
    await requireReadable(at('fine.mp3'));
    for (const [name, says] of [
      ['missing.mp3', 'There is no file '],
      ['empty.mp3', ' is empty.'],
      ['folder', ' is not a file.'],
    ] as const) {
      await expect(requireReadable(at(name))).rejects.toThrow(CommandFailure);
      await expect(requireReadable(at(name))).rejects.toThrow(says);
      await expect(asMp3(at(name))).rejects.toThrow(says);
    }
  });
});

describe('an MP3', () => {
  test('is known by its bytes', async () => {
    await made('text.mp3');
    await writeFile(at('sound.txt'), await readFile(sample));
    expect(await isMp3(at('text.mp3'))).toBe(false);
    expect(await isMp3(at('sound.txt'))).toBe(true);
  });

  test('is captioned itself, and stays', async () => {
    const mp3 = await asMp3(sample);
    expect(mp3.path).toBe(sample);
    await mp3.remove();
    await requireReadable(sample);
  });

  test('is read whole or in part, and never deleted', async () => {
    await writeFile(at('digits.mp3'), '0123456789');
    const audio = await fileAudio(at('digits.mp3'));
    const opened = await audio.open();
    const read = async (range?: { start: number; end: number }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of opened?.source.read(range) ?? []) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    expect([audio.key, opened?.source.size]).toEqual(['digits.mp3', 10]);
    expect(await read()).toBe('0123456789');
    expect(await read({ start: 2, end: 5 })).toBe('234');
    expect(await read({ start: 5, end: 5 })).toBe('');
    expect(await audio.delete('file')).toBe(false);
    await requireReadable(at('digits.mp3'));
  });
});

describe('with FFmpeg', () => {
  const { PATH, TMPDIR } = process.env;
  afterEach(() => {
    process.env['PATH'] = PATH;
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  test('a recording becomes a temporary MP3 of its first audio track, for speech', async () => {
    await made('bin/-film.mp4');
    await mkdir(at('bin/temporary'), { recursive: true });
    const script = `#!/bin/sh\nfor last; do echo "$last" >> ${at('bin/words')}; done\necho made > "\${last#file:}"\n`;
    await writeFile(at('bin/ffmpeg'), script, { mode: 0o755 });
    Object.assign(process.env, { PATH: at('bin'), TMPDIR: at('bin/temporary') });
    const mp3 = await asMp3(at('bin/-film.mp4'));
    expect(mp3.path).toStartWith(at('bin/temporary/captioner-'));
    expect((await readFile(at('bin/words'), 'utf8')).split('\n')).toEqual(
      [
        '-nostdin -v error -y',
        `-i file:${at('bin/-film.mp4')}`,
        '-map 0:a:0 -vn -ac 1 -ar 16000 -c:a libmp3lame -b:a 32k -map_metadata -1',
        `file:${mp3.path} `,
      ]
        .join(' ')
        .split(' '),
    );
    expect(await readFile(mp3.path, 'utf8')).toBe('made\n');
    await mp3.remove();
    expect(await readdir(at('bin/temporary'))).toEqual([]);
  });

  test('that cannot be run, the reason is reported', async () => {
    await made('broken/film.mp4', 'broken/ffmpeg');
    Object.assign(process.env, { PATH: at('broken'), TMPDIR: at('broken') });
    await expect(asMp3(at('broken/film.mp4'))).rejects.toThrow('ffmpeg');
  });

  test.each([
    ['Stream map matches no streams.', 'it has no audio'],
    ['Invalid data', 'FFmpeg cannot read it as a recording'],
  ])('what it cannot convert leaves no file: %s', async (says, reason) => {
    await made('bin/film.mp4');
    await mkdir(at('bin/temporary'), { recursive: true });
    // It writes the beginning of its output, and fails.
    const script = `#!/bin/sh\nfor last; do :; done\necho > "\${last#file:}"\necho '${says}' >&2\nexit 1\n`;
    await writeFile(at('bin/ffmpeg'), script, { mode: 0o755 });
    Object.assign(process.env, { PATH: at('bin'), TMPDIR: at('bin/temporary') });
    await expect(asMp3(at('bin/film.mp4'))).rejects.toThrow(
      `${at('bin/film.mp4')} cannot be captioned: ${reason}.`,
    );
    expect(await readdir(at('bin/temporary'))).toEqual([]);
  });
});

describe('without FFmpeg', () => {
  const { PATH, TMPDIR } = process.env;
  beforeEach(async () => {
    await mkdir(at('temporary'), { recursive: true });
    Object.assign(process.env, { PATH: folder, TMPDIR: at('temporary') });
  });
  afterEach(() => {
    process.env['PATH'] = PATH;
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  test('the command that makes an MP3 is printed, which overwrites nothing', async () => {
    await made("it's a talk.mp4", "it's a talk.mp3", "it's a talk-2.mp3", 'film.mp4');
    const { message } = notAnMp3(at('film.mp4'));
    expect(message).toContain(`\n  ffmpeg -i ${at('film.mp4')} `);
    expect(message).toContain(` ${at('film.mp3')}\nThen:\n`);
    expect(message).toEndWith(` ${at('film.mp3')}`);
    const other = `'${folder}/it'\\''s a talk`;
    expect(notAnMp3(at("it's a talk.mp4")).message).toContain(`${other}.mp4' `);
    expect(notAnMp3(at("it's a talk.mp4")).message).toContain(`${other}-3.mp3'\n`);
  });

  test('a WAV becomes a temporary MP3 for speech', async () => {
    const wav = wavFile(new Float32Array(44_100), 44_100);
    // In stereo.
    const view = new DataView(wav.buffer);
    view.setUint16(22, 2, true);
    view.setUint32(28, 4 * 44_100, true);
    view.setUint16(32, 4, true);
    await writeFile(at('tone.wav'), wav);
    const mp3 = await asMp3(at('tone.wav'));
    expect(mp3.path).toStartWith(at('temporary/captioner-'));
    const opened = await (await fileAudio(mp3.path)).open();
    const { sampleRate, channels, audioStart } = await indexMp3(opened!.source);
    const header = parseFrameHeader(await readFile(mp3.path), audioStart);
    expect([sampleRate, channels, header?.bitrate]).toEqual([16_000, 1, 32]);
    await mp3.remove();
    expect(await readdir(at('temporary'))).toEqual([]);
  });

  test('what cannot be read here is refused', async () => {
    await made('text.wav');
    await expect(asMp3(at('text.wav'))).rejects.toThrow('is not an MP3, and FFmpeg');
    expect(await readdir(at('temporary'))).toEqual([]);
  });
});
