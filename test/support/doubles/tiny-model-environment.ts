/**
 * The environment of a server that recognises with the tiny model: the real engine, without a
 * download.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shared } from '../requirements.ts';
import { writeTinyModel } from './tiny-model.ts';

let made: Promise<{ env: Record<string, string> }> | null = null;

/** Creates the model's folder, once per test process. */
export function tinyModelEnvironment(): Promise<{ env: Record<string, string> }> {
  made ??= (async () => {
    // One folder for all test runs: its content is always the same, and each file is complete.
    const modelsDir = join(tmpdir(), 'captioner-tiny-model');
    const model = join(modelsDir, 'tiny');
    await mkdir(model, { recursive: true });
    const fresh = await mkdtemp(join(modelsDir, 'fresh-'));
    await writeTinyModel(fresh);
    for (const file of await readdir(fresh)) await rename(join(fresh, file), join(model, file));
    const voiceActivity = shared('models/silero_vad.onnx');
    if (existsSync(voiceActivity)) {
      await copyFile(voiceActivity, join(fresh, 'silero_vad.onnx'));
      await rename(join(fresh, 'silero_vad.onnx'), join(modelsDir, 'silero_vad.onnx'));
    }
    await rmdir(fresh);
    // No host is asked for the model that the shared folder would have provided.
    const nowhere = 'http://127.0.0.1:9';
    return { env: { MODELS_DIR: modelsDir, SPEECH_MODEL: model, MODELS_BASE_URL: nowhere } };
  })();
  return made;
}
