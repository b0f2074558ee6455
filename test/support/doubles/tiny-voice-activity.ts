/**
 * A model of voice activity of a few hundred bytes, which the real engine loads and runs in place of Silero's (with its
 * inputs and outputs, those of version 5): where a sample is above 0.5, somebody speaks.
 */
import { writeFile } from 'node:fs/promises';
import { FLOAT, INT64, int, ints, message, model, node, value } from './onnx-bytes.ts';

/** The memory of the model, which this one does not use. */
const STATE = [2, 'N', 128];

/** Writes the model to a file. */
export async function writeTinyVoiceActivity(path: string): Promise<void> {
  const highest = [ints('axes', [1]), int('keepdims', 1)];
  const graph = message([
    [1, node('ReduceMax', ['input'], ['output'], highest)],
    [1, node('Identity', ['state'], ['stateN'])],
    [2, 'voice activity'],
    [11, value('input', FLOAT, ['N', 'samples'])],
    [11, value('state', FLOAT, STATE)],
    [11, value('sr', INT64, [])],
    [12, value('output', FLOAT, ['N', 1])],
    [12, value('stateN', FLOAT, STATE)],
  ]);
  await writeFile(path, model(graph));
}
