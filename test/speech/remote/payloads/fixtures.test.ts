/** All real payloads of the shared material are read completely. */
import { expect } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readAssemblyAi } from '../../../../server/speech/remote/assemblyai.ts';
import { readDeepgram } from '../../../../server/speech/remote/deepgram.ts';
import { readWhisper } from '../../../../server/speech/remote/whisper.ts';
import type { PieceTranscript } from '../../../../server/speech/provider.ts';
import type { Any } from '../../../support/servers/client.ts';
import { needs, shared } from '../../../support/requirements.ts';

const present = existsSync(shared('fixtures'));
const read = (path: string): Any => JSON.parse(readFileSync(shared(`fixtures/${path}`), 'utf8'));
const files = (folder: string): string[] =>
  present ? readdirSync(shared(`fixtures/${folder}`)).map((name) => `${folder}/${name}`) : ['none'];
const eachOf = (folder: string) =>
  needs(present, `fixtures/${folder} of the shared test material is not here`).each(
    files(folder).map((path) => [path] as const),
  );

function expectWords(heard: PieceTranscript | null, count: number, text: string): void {
  expect(heard?.words).toHaveLength(count);
  expect(heard!.words.map((word) => word.text).join(' ')).toBe(text.trim());
  for (const { start, end, confidence } of heard!.words) {
    expect(end).toBeGreaterThanOrEqual(start);
    expect(start).toBe(Math.round(start * 1000) / 1000);
    expect(confidence ?? 0).toBeLessThanOrEqual(1);
  }
}

eachOf('deepgram')('%s', (path) => {
  const payload = read(path);
  const [alternative] = payload.results.channels[0].alternatives;
  const heard = readDeepgram(payload);
  expectWords(heard, alternative.words.length, alternative.transcript);
  expect(heard!.duration).toBe(payload.metadata.duration);
  expect(heard!.metadata).toMatchObject({ requestId: payload.metadata.request_id });
  expect(heard!.utterances?.length).toBe(payload.results.utterances?.length);
  expect(heard!.paragraphs?.length).toBe(alternative.paragraphs?.paragraphs.length);
  for (const [at, first] of (heard!.utterances ?? []).entries()) {
    expect(heard!.words[first]!.start).toBeCloseTo(payload.results.utterances[at].start, 2);
  }
  expect(new Set(heard!.words.map((word) => word.speaker)).size).toBe(
    new Set(alternative.words.map((word: Any) => word.speaker)).size,
  );
});

eachOf('assemblyai')('%s', (path) => {
  const payload = read(path);
  const heard = readAssemblyAi(payload);
  expectWords(heard, payload.words.length, payload.text);
  expect(heard!.words[0]).toMatchObject({ start: payload.words[0].start / 1000, speaker: 'A' });
  expect(heard!.utterances?.length).toBe(payload.utterances?.length);
  expect(heard!.metadata).toMatchObject({ transcriptId: payload.id, detectedLanguage: 'en' });
});

eachOf('whisper')('%s', (path) => {
  const payload = read(path);
  const words = payload.words ?? payload.segments.flatMap((segment: Any) => segment.words);
  // One payload has times only for its first words.
  const text = payload.text.trim().split(' ').slice(0, words.length).join(' ');
  expectWords(readWhisper(payload), words.length, text);
});

eachOf('cloudflare')('%s', (path) => {
  const payload = read(path);
  const answer = payload.result ?? payload;
  const heard = readWhisper(answer, 100) ?? readDeepgram(answer, 100);
  const words = answer.results
    ? answer.results.channels[0].alternatives[0].words
    : answer.segments.flatMap((segment: Any) => segment.words);
  expect(heard!.words).toHaveLength(words.length);
  expect(heard!.words[0]!.start).toBeCloseTo(100 + words[0].start, 2);
});
