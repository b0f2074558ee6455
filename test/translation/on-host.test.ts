/** Translating on this host: its models, and the thread of the engine, of which this is a double at its own interface. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODELS } from '../../server/models/registry.ts';
import { sourcesOf } from '../../server/models/sources.ts';
import type { Question } from '../../server/translation/engines/translator.ts';
import { createHostTranslator, modelsBetween } from '../../server/translation/on-host.ts';
import { failureOf } from '../support/failure-of.ts';

const modelsDir = await mkdtemp(join(tmpdir(), 'translation-models-'));
const nowhere = 'http://127.0.0.1:9';
const host = createHostTranslator(
  { modelsDir, modelsBaseUrl: nowhere },
  { load: 20_000, answer: 700 },
);
afterAll(async () => {
  host.close();
  await rm(modelsDir, { recursive: true, force: true });
});

/** What the engine's own script does, in the words of its interface: it writes into a text what it was given. */
const DOUBLE = `
class List { items = []; push_back(item) { this.items.push(item); } delete() {} }
Object.assign(Module, {
  AlignedMemory: class { constructor(size) { this.bytes = new Int8Array(size); } getByteArrayView() { return this.bytes; } },
  AlignedMemoryList: List, VectorString: List, VectorResponseOptions: List,
  TranslationModel: class {
    constructor(config, model, lex, vocabularies) {
      const name = Buffer.from(model.bytes).toString();
      if (name === 'damaged') Module.onAbort('not a model');
      if (name === 'damaged') throw new Error('Aborted()');
      this.name = name + vocabularies.items.length + (config.includes('int8shiftAlphaAll') ? 'a' : '');
    }
    delete() {}
  },
  BlockingService: class {
    translate(model, texts, options) {
      const made = texts.items.map((text, at) => {
        if (text.includes('BREAK')) throw new Error('Aborted()');
        while (text.includes('HANG'));
        return model.name + (options.items[at].html ? ' html ' : ' ') + text;
      });
      return { get: (at) => ({ getTranslatedText: () => made[at], delete() {} }), delete() {} };
    }
    translateViaPivoting(first, second, texts, options) {
      const { name } = first;
      return this.translate({ name: name + '+' + second.name }, texts, options);
    }
  },
});
Module.onRuntimeInitialized();`;

const put = async (name: string, files: Record<string, string>) => {
  await mkdir(join(modelsDir, name), { recursive: true });
  for (const [file, content] of Object.entries(files))
    await writeFile(join(modelsDir, name, file), content);
};
await put('bergamot', {
  'bergamot-translator-worker.js': DOUBLE,
  'bergamot-translator-worker.wasm': '',
});
await put('firefox-en-de', { 'model.ende.intgemm.alphas.bin': 'ende', 'vocab.ende.spm': 'v' });
await put('firefox-fr-en', {
  'model.fren.bin': 'fren',
  'vocab.fren.spm': 'v',
  'lex.fren.bin': 'l',
});
await put('firefox-en-ja', {
  'model.enja.bin': 'enja',
  'srcvocab.enja.spm': 'v',
  'trgvocab.enja.spm': 'v',
});
await put('firefox-en-it', { 'model.enit.bin': 'damaged', 'vocab.enit.spm': 'v' });

const { signal } = new AbortController();
const questionOf = (from: string | null, to: string, ...texts: string[]): Question => ({
  from,
  to,
  before: [],
  after: [],
  terms: [],
  tasks: texts.map((text, at) => ({ id: String(at + 1), text })),
});
const translated = async (from: string, to: string, ...texts: string[]) =>
  (await host.translate(questionOf(from, to, ...texts), { signal })).answers.map(
    ({ text }) => text,
  );

test('every sentence has its own translation; marks of italics are marks, and everything else is text', async () => {
  const texts = ['One.', 'A <i>b</i> & c < d.', '<b>'];
  const { answers, usage } = await host.translate(questionOf('en-GB', 'de-AT', ...texts), {
    signal,
  });
  expect(answers).toEqual([
    { id: '1', source: texts[0]!, text: 'ende1a One.' },
    { id: '2', source: texts[1]!, text: 'ende1a html A <i>b</i> & c < d.' },
    { id: '3', source: texts[2]!, text: 'ende1a <b>' },
  ]);
  expect(usage).toEqual({ calls: 1, tokens: 0, cached: 0 });
});

test('other languages go by way of English, and some have a vocabulary each', async () => {
  expect(await translated('fr', 'ja', 'Un.')).toEqual(['fren1+enja2 Un.']);
});

test('a sentence that was refused is not asked again, since the answer would be the same', async () => {
  const question = questionOf('en', 'de', 'One.');
  const tasks = question.tasks.map((task) => ({ ...task, previous: 'x', problem: 'It is wrong.' }));
  const again = await host.translate({ ...question, tasks }, { signal });
  expect(again).toEqual({ answers: [], usage: { calls: 0, tokens: 0, cached: 0 } });
});

test('a sentence that breaks the engine, or on which it hangs, has no translation, and the others do', async () => {
  expect(await translated('en', 'de', 'One.', 'BREAK', 'HANG', 'Two.')).toEqual([
    'ende1a One.',
    'ende1a Two.',
  ]);
  expect(await translated('en', 'de', 'Three.')).toEqual(['ende1a Three.']);
});

test('a cancelled question ends at once, and those that wait get their answers', async () => {
  const stop = new AbortController();
  const cancelled = host.translate(questionOf('en', 'de', 'HANG'), { signal: stop.signal });
  const waiting = translated('en', 'de', 'Four.');
  setTimeout(() => stop.abort(new Error('enough')), 100);
  await expect(cancelled).rejects.toThrow('enough');
  expect(await waiting).toEqual(['ende1a Four.']);
});

test.each([
  [null, 'de', 'language_unsupported', 'is unknown'],
  ['en', 'tlh', 'language_unsupported', 'translate between en and de, es, fr'],
  ['en', 'it', 'model_unavailable', 'cannot be used: '],
  ['en', 'es', 'model_unavailable', `could not be downloaded from ${nowhere}/firefox-en-es/`],
])('from %s into %s: %s, and what to do', async (from, to, code, message) => {
  const failed = await failureOf(host.translate(questionOf(from, to, 'One.'), { signal }));
  expect(failed).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(failed.suggestions.at(-1)!.label).toBe('Configure a language model');
});

test.each([
  ['en', 'de', ['firefox-en-de']],
  ['pt-BR', 'EN', ['firefox-pt-en']],
  ['de', 'zh-TW', ['firefox-de-en', 'firefox-en-zh-hant']],
  ['zh', 'ko', ['firefox-zh-hans-en', 'firefox-en-ko']],
])('from %s into %s: %p', (from, to, names) => {
  expect(modelsBetween(from, to)).toEqual(names);
});

test('every model is pinned: an address, a size and a sum for each of its files', () => {
  const models = MODELS.filter(({ kind }) => kind === 'translation');
  expect(models).toHaveLength(20);
  for (const model of models) {
    // The last source; the lists before it are asked for the same sums.
    const source = sourcesOf(model, null).at(-1);
    expect(source!.files.map(({ file }) => file)).toEqual([...model.files]);
    for (const { url, file } of source!.files) {
      expect(url).toMatch(
        /^https:\/\/firefox-settings-attachments\.cdn\.mozilla\.net\/.+\.(bin|spm)$/,
      );
      expect(model.sums![file]).toMatch(/^[0-9a-f]{64}$/);
    }
    const own = sourcesOf(model, 'https://models.example/all');
    expect(own[0]!.files[0]!.url).toBe(
      `https://models.example/all/${model.name}/${model.files[0]}`,
    );
  }
  const places = models.flatMap(({ addresses }) => Object.values(addresses!));
  expect(new Set(places).size).toBe(places.length);
});
