/** Recordings that need no browser to decode: tones as WAV. */
import { wavFile } from '../../../../server/speech/host/pocketsphinx.ts';

/** A tone of a given number of seconds. */
export function tone(seconds: number, name = 'talk.wav', type = 'audio/wav'): File {
  const samples = Float32Array.from({ length: seconds * 16_000 }, (_, at) => Math.sin(at / 6));
  return new File([new Uint8Array(wavFile(samples, 16_000))], name, { type });
}

/** The same, but only its first half can be read until the rest is provided. */
export function halfRead(file: File): { file: File; giveRest(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slice = file.slice.bind(file);
  file.slice = (from = 0, ...more) => {
    const part = slice(from, ...more);
    const half = Math.max(0, file.size / 2 - from);
    const stream = () => {
      const halves = [part.slice(0, half), part.slice(half)].filter(({ size }) => size > 0);
      const read = async () => {
        const next = halves.shift();
        if (!next) return { value: undefined, done: true };
        if (halves.length === 0) await promise;
        return { value: new Uint8Array(await next.arrayBuffer()), done: false };
      };
      return { getReader: () => ({ read, cancel: async () => {} }) };
    };
    return Object.assign(part, { stream: stream as never });
  };
  return { file, giveRest: resolve };
}
