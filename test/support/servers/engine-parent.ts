/** A process that starts an engine process, prints its id, and waits to be killed. */
import { join } from 'node:path';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';

const folder = process.argv[2] ?? '';
const child = startEngineChild();
const files = { model: join(folder, 'model.onnx'), tokens: join(folder, 'tokens.txt') };
await child.ask(
  { kind: 'nemo_ctc', files },
  new Float32Array(16_000),
  new AbortController().signal,
);
process.stdout.write(`${child.pid}\n`);
setInterval(() => {}, 1000);
