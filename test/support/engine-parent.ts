/** A process that starts an engine process, tells its id and waits to be killed. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngineChild } from '../../server/speech/edge/engine-child.ts';
import { writeTinyModel } from './tiny-model.ts';

const folder = await mkdtemp(join(tmpdir(), 'captioner-test-'));
await writeTinyModel(folder);
const child = startEngineChild();
const files = { model: join(folder, 'model.onnx'), tokens: join(folder, 'tokens.txt') };
await child.ask(
  { kind: 'nemo_ctc', files },
  new Float32Array(16_000),
  new AbortController().signal,
);
process.stdout.write(`${child.pid}\n`);
setInterval(() => {}, 1000);
