/** A transcription provider for tests on one machine, and uploads that stay open. */
import { afterAll, beforeEach } from 'bun:test';
import { once } from 'node:events';
import type { Any, Client } from '../../support/servers/client.ts';
import { dial } from '../../support/servers/dial.ts';
import { type HttpDouble, startHttpDouble, type Wire } from '../../support/doubles/http-double.ts';
import { chirp } from '../../support/servers/pipeline-run.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../../support/doubles/speech-doubles.ts';
import { DEEPGRAM_KEY } from '../../support/doubles/provider-keys.ts';

/** The payload for a run of an audio with this provider. */
export const payload = (key: string, more: Any = {}): Any => ({
  audio: { key },
  transcription: { provider: 'deepgram' },
  ...more,
});

/** The provider, and the environment for a server to use it. */
export interface Provider {
  deepgram: HttpDouble;
  wire: Wire;
  env: Record<string, string>;
  /** Makes each answer take a number of milliseconds. */
  slowly(ms: number): void;
}

/** Starts the provider, which ends with the test file; reset before each test. */
export async function provider(): Promise<Provider> {
  const wire = deepgramWire(deepgramAnswer(TALK));
  const deepgram = await startHttpDouble(wire);
  afterAll(() => deepgram.close());
  beforeEach(() => deepgram.behave(null));
  return {
    deepgram,
    wire,
    env: { DEEPGRAM_API_KEY: DEEPGRAM_KEY, DEEPGRAM_BASE_URL: deepgram.origin },
    slowly: (ms) =>
      deepgram.behave(async (request) => {
        await Bun.sleep(ms);
        return wire(request);
      }),
  };
}

/** An upload whose body does not end. */
export interface OpenUpload {
  finish(): void;
  break(): void;
  /** The response so far. */
  answer(): string;
}

/** Starts an upload. */
export async function openUpload({ url, key }: Client, name: string): Promise<OpenUpload> {
  const { socket, answer } = dial(url);
  await once(socket, 'connect');
  socket.write(
    `PUT /audio/${name} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: audio/mpeg\r\ncontent-length: ${chirp.length}\r\n\r\n`,
  );
  socket.write(chirp.subarray(0, 2000));
  return {
    finish: () => void socket.write(chirp.subarray(2000)),
    break: () => void socket.destroy(),
    answer,
  };
}
