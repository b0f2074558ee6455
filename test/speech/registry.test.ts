/** The transcription providers of a server for an environment. */
import { describe, expect, test } from 'bun:test';
import { registry } from './support.ts';

describe('the providers of a server', () => {
  test.each([
    [{}, ['edge']],
    [{ DEEPGRAM_API_KEY: 'k' }, ['edge', 'deepgram']],
    [{ DEEPGRAM_API_KEY: ' ', ASSEMBLYAI_API_KEY: 'k' }, ['edge', 'assemblyai']],
  ])('%j', (env, configured) => {
    expect(registry(env as Record<string, string>).configured).toEqual(configured);
  });
});
