/** Creates the decoders of the windows, which share their memory. */
import { createSharedDecoder, sharedMemory } from './decoder.ts';
import {
  createDecoder,
  decoderMemory,
  type DecoderMemory,
  type EncodedSound,
  type RewindingDecoder,
  type Session,
  type TensorMaker,
} from './old-decoder.ts';

/** Returns a function that creates the decoder of a window; the previous decoder may then no longer be used. */
export function decoders(
  session: Session,
  tensors: TensorMaker,
): (sound: EncodedSound) => RewindingDecoder {
  if (session.inputNames.includes('mask')) {
    const memory = sharedMemory();
    return (sound) => createSharedDecoder(session, tensors, sound, memory);
  }
  let memory: DecoderMemory | null = null;
  return (sound) => createDecoder(session, tensors, sound, (memory ??= decoderMemory(sound)));
}
