/**
 * Lets the caches of a Whisper decoder be as long as the text so far. Published exports declare them as long as the
 * context, 448 positions, and each step copies all of them for each text that it continues, although it reads only the
 * positions before the new tokens.
 */
import { ELEMENT, makeValue, type NamedBytes, type OnnxModel } from './onnx-graph.ts';

const CACHE = /^(?:in|out)_n_layer_self_[kv]_cache$/;

/** The dimensions of a cache. */
const DIMENSIONS = ['layers', 'n_audio', 'positions', 'width'];

/** Returns the model with caches of any length. */
export function withGrowingCache(model: OnnxModel): OnnxModel {
  const freed = (value: NamedBytes): NamedBytes =>
    CACHE.test(value.name) ? makeValue(value.name, ELEMENT.float, DIMENSIONS) : value;
  return { ...model, inputs: model.inputs.map(freed), outputs: model.outputs.map(freed) };
}
