/** The environment of a server that recognises with the tiny model: the real engine, no download. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shared } from './requirements.ts';
import { writeTinyModel } from './tiny-model.ts';

let made: Promise<{ env: Record<string, string> }> | null = null;

/** Makes the model's folder once a test process. */
export function tinyModelEnvironment(): Promise<{ env: Record<string, string> }> {
  made ??= (async () => {
    // One folder for all test runs: what is written into it is always the same.
    const modelsDir = join(tmpdir(), 'captioner-tiny-model');
    const model = join(modelsDir, 'tiny');
    await mkdir(model, { recursive: true });
    await writeTinyModel(model);
    const voiceActivity = shared('models/silero_vad.onnx');
    if (existsSync(voiceActivity))
      await copyFile(voiceActivity, join(modelsDir, 'silero_vad.onnx'));
    // No host is asked for the model that the shared folder would have given.
    const nowhere = 'http://127.0.0.1:9';
    return { env: { MODELS_DIR: modelsDir, SPEECH_MODEL: model, MODELS_BASE_URL: nowhere } };
  })();
  return made;
}
