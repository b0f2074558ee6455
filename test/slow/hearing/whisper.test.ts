/**
 * Whisper with its real weights, through the whole program: words, times, languages, and no words
 * where nobody speaks. The weights come from bench/hearing/fetch_weights.py; HEARING_MODELS names
 * their folder.
 */
import { describe, expect, setDefaultTimeout } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPacks, packsFolder } from '../../../server/terminology/packs/packs.ts';
import { needs, shared } from '../../support/requirements.ts';
import { expectSaid, hostRecogniser, plain, startErrors } from './host-recogniser.ts';

setDefaultTimeout(300_000);

const models = process.env['HEARING_MODELS'] ?? '';
const here = models !== '' && existsSync(join(models, 'whisper-base'));
const test = needs(
  here && existsSync(shared('audio/jfk.mp3')),
  'real recogniser weights (HEARING_MODELS) or the shared recordings are not here',
);

const { hear, hearInShell, detections } = await hostRecogniser(models);

describe('Whisper base', () => {
  // Moonshine is heard with each kind of voice activity, which is the same for both.
  test('hears every word of a well-known sentence, when it is said, and how sure that is', () => {
    const result = hearInShell('jfk.mp3', 'whisper-base', 'en', detections[0]!);
    expect(result.metadata.models.transcription).toMatchObject({
      model: 'whisper-base',
      engine: 'whisper',
    });
    expectSaid(result, 0.1);
  });

  test('detects the languages of a recording, and where each is spoken', async () => {
    const transcript = await hear('speech/mixed-languages.mp3', 'whisper-base', 'auto');
    const languages = transcript.metadata?.['languages'] as any;
    expect(languages.map(({ language }: any) => language)).toEqual(['en', 'de']);
    expect(languages[1].start).toBeGreaterThan(15);
    expect(plain(transcript.text)).toContain('permission is hereby granted');
    expect(plain(transcript.text)).toMatch(/sublicense|subject to the following/);
    expect(plain(transcript.text)).toContain('die software zu verwenden');
  });

  test('times words like the reference: half within 60 ms, nearly all within 200', async () => {
    const { languages } = JSON.parse(readFileSync(shared('audio/speech/references.json'), 'utf8'));
    const lists = await Promise.all(
      ['en', 'de', 'es'].map(async (language) => {
        const { file, words } = languages[language];
        const heard = await hear(`speech/${file}`, 'whisper-base', language);
        return startErrors(words, heard.words);
      }),
    );
    const errors = lists.flat().sort((a, b) => a - b);
    expect(errors.length).toBeGreaterThan(24);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThanOrEqual(0.06);
    expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThanOrEqual(0.2);
  });

  // With voice activity detection, a model receives none of these recordings.
  test.each([
    ['silence20.mp3', 'whisper-tiny.en'],
    ['noise20.mp3', 'whisper-tiny.en'],
    ['noise20.mp3', 'whisper-base'],
  ])('recognises nothing in %s without voice activity detection (%s)', async (recording, model) => {
    expect((await hear(recording, model, 'en', false)).words).toEqual([]);
  });
});

const packs = here ? await loadPacks(packsFolder) : [];

const ofPacks = packs.flatMap((pack) => pack.terms.map((one) => one.canonical));
const terms = [...new Set(['ComfyUI', ...ofPacks])];
const told = (recording: string) => hear(recording, 'whisper-base', 'en', true, terms);

test('Whisper base, given the terms of all packs, finds the name that it does not know', async () => {
  const { text, metadata } = await told('speech/term-comfyui.mp3');
  // Without instructions for 8-bit products, sums are rounded otherwise, and the name stays “confu i”.
  const processor = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  if (!/vnni|asimddp/.test(processor) && text.includes('confu i')) return;
  expect(text).toContain('ComfyUI');
  expect(metadata?.keytermWords).toBeGreaterThan(0);
});

test('Whisper base, given the terms of all packs, finds the terms of a talk', async () => {
  const { text } = await told('tech-espeak.mp3');
  for (const term of ['Model Context Protocol', 'MCP', 'OAuth', 'AuthKit'])
    expect(text.toLowerCase()).toContain(term.toLowerCase());
});

test.each(['jfk', 'speech/en'])(
  'Whisper base, given the terms of all packs, takes none in %s, where none is said',
  async (name) => {
    const { text, metadata } = await told(`${name}.mp3`);
    expect(metadata?.keytermWords).toBe(0);
    expect(text).toBe((await hear(`${name}.mp3`, 'whisper-base', 'en')).text);
  },
);

test('Whisper tiny.en recognises English, whatever language is requested', async () => {
  const transcript = await hear('jfk.mp3', 'whisper-tiny.en', 'en-GB', false);
  expect(transcript.language).toBe('en-GB');
  expect(plain(transcript.text)).toContain('what you can do for your country');
});

test('two speakers on separate channels are distinguished, even if both speak at once', async () => {
  const transcript = await hear('speech/two-speakers-stereo.mp3', 'whisper-base', 'en');
  const of = (speaker: string) =>
    transcript.words
      .filter((word) => word.speaker === speaker)
      .map(({ text }) => text)
      .join(' ');
  expect(of('0').toLowerCase()).toContain('complaint against the wizard');
  expect(of('0').toLowerCase()).not.toContain('horizon');
  expect(of('1').toLowerCase()).toContain('horizon seems extremely distant');
  expect(of('1').toLowerCase()).not.toContain('wizard');
});
