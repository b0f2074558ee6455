/** Recordings in other formats become MP3, whatever the runtime can decode, and hostile ones leave nothing. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ConversionFailure,
  ConversionsBusy,
  exitCodeOf,
  reasonOf,
} from '../../server/media/conversion-failure.ts';
import { convertToMp3 } from '../../server/media/convert.ts';
import { realTime } from '../../server/base/concurrency.ts';
import { createConversions } from '../../server/media/to-mp3.ts';
import { indexMp3 } from '../../server/mp3/frames.ts';
import { wavFile } from '../../server/speech/host/pocketsphinx.ts';
import { fixture, source } from '../mp3/support.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const media = (name: string) =>
  fileURLToPath(new URL(`../fixtures/media/${name}`, import.meta.url));

/** Writes a file into the folder of the tests. */
async function written(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

const withMp3 = createConversions();
const asking = { workspace: 'ann', signal: new AbortController().signal };

/** The sound of a file as the service gets it. */
const heard = (path: string) =>
  withMp3(path, asking, async (mp3, size) => {
    const parts: Uint8Array[] = [];
    for await (const part of mp3) parts.push(part);
    const bytes = Buffer.concat(parts);
    expect(bytes.length).toBe(size);
    return { bytes, index: await indexMp3(source(bytes)) };
  });

const wav = wavFile(
  Float32Array.from({ length: 32_000 }, (_, at) => Math.sin(at / 6) / 2),
  16_000,
);

test.each([
  ['an Opus WebM', () => media('chirp.webm'), 4.45],
  ['an Opus Ogg', () => media('chirp.ogg'), 4.45],
  ['an Opus WebM of six channels', () => media('chirp-6-channels.webm'), 4.45],
  ['a WAV', () => written('tone.wav', wav), 2],
])('%s keeps its length, to a packet', async (_name, path, seconds) => {
  const { index } = await heard(await path());
  expect(Math.abs(index.duration - seconds)).toBeLessThan(0.021);
  // Without the delay in the file, every word would be 69 ms late.
  expect(index.delaySamples).toBe(576 + 529);
});

test('an MP3 stays as it is', async () => {
  const bytes = fixture('chirp-stereo-48k.mp3');
  expect((await heard(await written('talk.wav', bytes))).bytes.equals(bytes)).toBe(true);
});

test('what is no recording is refused with its reason, and nothing is left', async () => {
  const before = await readdir(folder);
  const unknown = Bun.which('ffprobe') ? 'unknown_format' : 'no_ffmpeg';
  for (const [name, bytes] of [
    ['text', Buffer.from('no sound')],
    ['playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['list', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n")],
    ['half', wav.subarray(0, 30)],
    [
      'lengths',
      Buffer.from(`RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\x7f${'x'.repeat(99)}`, 'latin1'),
    ],
  ] as const) {
    const path = await written(name, bytes);
    const error = await withMp3(path, asking, async () => null).catch((thrown: unknown) => thrown);
    expect([name, (error as ConversionFailure).reason]).toEqual([name, unknown]);
    await rm(path);
  }
  expect(await readdir(folder)).toEqual(before);
});

test('a recording is refused by what it says of itself, before it is decoded', async () => {
  const silence = wavFile(new Float32Array(50_000), 16_000);
  const claiming = (at: number, value: number, bytes: 2 | 4) => {
    const copy = Buffer.from(silence);
    copy.writeUIntLE(value, at, bytes);
    return copy;
  };
  for (const [name, bytes, reason] of [
    ['rate', claiming(24, 1, 4), 'implausible'],
    ['rates', claiming(24, 4_000_000, 4), 'implausible'],
    ['channels', claiming(22, 60_000, 2), 'implausible'],
  ] as const) {
    const path = await written(`${name}.wav`, bytes);
    const error = await convertToMp3(path, `${path}.mp3`).catch((thrown: unknown) => thrown);
    expect([name, (error as ConversionFailure).reason]).toEqual([name, reason]);
  }
  const path = await written('long.wav', silence);
  await expect(convertToMp3(path, `${path}.mp3`, '32k', 3)).rejects.toThrow('too_long');
  await convertToMp3(path, `${path}.mp3`, '32k', 4);
});

test('a WebM with one wrong byte in the name of its index does not hang the packages', async () => {
  const bytes = await readFile(media('chirp.webm'));
  const cues = bytes.lastIndexOf(Buffer.from('1c53bb6b', 'hex'));
  expect(bytes[cues + 2]).toBe(0xbb);
  bytes[cues + 2] = 0xab;
  const path = await written('index.webm', bytes);
  // The search for the index does not end by itself.
  const impatient = createConversions(realTime, 1500);
  const size = await impatient(path, asking, async (_mp3, of) => of).catch(
    ({ reason }: ConversionFailure) => reason,
  );
  if (Bun.which('ffmpeg')) expect(size).toBeGreaterThan(1000);
  else expect(size).toBe('no_ffmpeg');
});

test('nobody waits for long, nor is converted for when gone', async () => {
  const late = new AbortController();
  const busy = createConversions({ deadline: () => late.signal });
  late.abort(new Error('late'));
  await expect(busy(media('chirp.ogg'), asking, async () => null)).rejects.toThrow(ConversionsBusy);
  const gone = { workspace: 'ann', signal: AbortSignal.abort(new Error('gone')) };
  await expect(withMp3(media('chirp.ogg'), gone, async () => null)).rejects.toThrow('gone');
});

test('the reason of a failure passes through an exit code', () => {
  for (const reason of ['unknown_format', 'no_audio', 'too_long', 'implausible'] as const) {
    expect(reasonOf(exitCodeOf(new ConversionFailure(reason)))).toBe(reason);
  }
  for (const code of [1, 139, null]) expect(reasonOf(code)).toBe('unknown_format');
});

test('a conversion in this process never replaces a file', async () => {
  const path = await written('once.mp3', Buffer.from('mine'));
  await expect(convertToMp3(media('chirp.ogg'), path)).rejects.toThrow('EEXIST');
});
