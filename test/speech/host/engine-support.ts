/** The provider on this host with a model of a few hundred bytes for the real engine, and recordings without content. */
import { afterAll } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../server/base/log.ts';
import { createHostSpeech } from '../../../server/speech/host/host.ts';
import { source } from '../../mp3/support.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { needs } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';

/** Never aborted. */
export const never = new AbortController().signal;

export type HostSpeechOptions = Parameters<typeof createHostSpeech>[0];

/** The provider for a folder of models, with no host that has more, as on a machine without a network. */
export const hostSpeech = (modelsDir: string, options: Partial<HostSpeechOptions> = {}) =>
  createHostSpeech({
    modelsDir,
    modelsBaseUrl: 'http://127.0.0.1:9',
    speechModel: join(modelsDir, 'tiny'),
    vad: true,
    slots: 1,
    tempDir: join(modelsDir, 'tmp'),
    log: createLog('silent'),
    ...options,
  });

/** Writes the model into a folder that is deleted with the test file. */
export async function tinyModelFolder() {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const tiny = join(folder, 'tiny');
  await mkdir(tiny);
  await writeTinyModel(tiny);
  return { folder, tiny };
}

/** The bitrates used here, with their indexes in MPEG-2 layer III headers. */
const RATES = { 16: 2, 64: 8, 128: 12, 160: 14 };

/** Frames of MPEG-2 layer III, 16 kHz mono, without content: silence that needs no resampling. */
export function silentMp3(kilobits: keyof typeof RATES, seconds: number) {
  const frame = new Uint8Array((72 * kilobits * 1000) / 16_000);
  frame.set([0xff, 0xf3, (RATES[kilobits] << 4) | 8, 0xc0]);
  const count = Math.round((seconds * 16_000) / 576);
  const bytes = new Uint8Array(frame.length * count);
  for (let at = 0; at < count; at += 1) bytes.set(frame, at * frame.length);
  return source(bytes, bytes.length);
}

/** A test that makes recordings with ffmpeg. */
export const withFfmpeg = needs(
  spawnSync('ffmpeg', ['-version']).status === 0,
  'ffmpeg is not installed',
);

/** The MP3 of a sound that a filter of ffmpeg makes, with options of its encoder. */
export function encodedMp3(filter: string, options: string): Uint8Array {
  const command = ['-v', 'error', '-f', 'lavfi', '-i', filter, ...options.split(' '), '-f', 'mp3'];
  const { status, stdout, stderr } = spawnSync('ffmpeg', [...command, '-'], { maxBuffer: 1e8 });
  if (status !== 0) throw new Error(String(stderr));
  return stdout;
}
