/** The waveform of an MP3 where the browser has no decoder for it. Bun has none at all. */
import { expect } from 'bun:test';
import { join } from 'node:path';
import { readPeaks } from '../../../web/media/peaks.ts';
import { temporaryFolder } from '../../support/servers/server-process.ts';
import { ffmpeg, needsFfmpeg, TONE } from '../../support/media-files.ts';

const folder = await temporaryFolder();
const { signal } = new AbortController();

needsFfmpeg.each([
  ['mono', '', '-ar 16000 -ac 1'],
  // The loudest channel counts.
  ['right', ',pan=stereo|c0=0*c0|c1=c0', '-ar 44100 -ac 2'],
  ['left', ',pan=stereo|c0=c0|c1=0*c0', '-ar 44100 -ac 2'],
])('%s: a second of silence, and a tone that gets louder', async (name, pan, options) => {
  const audio = `-c:a libmp3lame -b:a 96k ${options}`;
  const sound = `${TONE},afade=t=in:st=1:d=2${pan}`;
  const path = await ffmpeg(join(folder, `${name}.mp3`), sound, audio);
  const { seconds, values } = await readPeaks(new Blob([await Bun.file(path).bytes()]), { signal });
  expect(Math.abs(seconds - 3)).toBeLessThan(0.1);
  expect(Math.max(...values.slice(0, 49))).toBeLessThanOrEqual(1);
  for (let at = 52; at < 148; at += 1) {
    // The fade is linear, and its loudest sample is at the end of the 20 ms.
    expect(Math.abs((values[at] ?? 0) - ((at - 49) / 100) * 245)).toBeLessThan(6);
  }
});
