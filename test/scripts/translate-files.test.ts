/** Caption files are translated by the shell: what is known is not asked again, and what people change is kept. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { translatedResult } from '../../server/translation/result.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { writeWhole } from '../../scripts/captions-file.ts';
import { type FileTranslator, translateFiles } from '../../scripts/translate-files.ts';
import { dictionaryOf, honest } from '../support/doubles/translators.ts';

const folder = await mkdtemp(join(tmpdir(), 'captioner-test-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const [source, target, memory] = ['talk.srt', 'talk.de.srt', 'talk.tmx'].map((name) =>
  join(folder, name),
) as [string, string, string];

const SENTENCES = [
  'Nobody had slept well.',
  'Why are there so few boats?',
  'The dog slept by the fire all night.',
  'We asked him which of the two roads to take to the mill, and he laughed at both of us for a while.',
];
const writeTalk = (sentences: readonly string[]): Promise<void> =>
  writeFile(
    source,
    sentences
      .map(
        (text, at) => `${at + 1}\n00:00:${10 + 9 * at},000 --> 00:00:${17 + 9 * at},000\n${text}\n`,
      )
      .join('\n'),
  );

/** Translates the talk, and returns the sentences that were asked about. */
async function translated(engine = 'double honest'): Promise<string[]> {
  const asked: string[] = [];
  const inner = honest(dictionaryOf('de'));
  const translator: FileTranslator = {
    engine,
    async translate(captions, { language, profile: name, from, recall }) {
      const sentences = sentencesOf(captions, 'en');
      const profile = profileOf(name, language);
      const known = recall?.(sentences);
      const job = { sentences, from, to: language, terms: [], profile, ...(known && { known }) };
      const counted: typeof inner = {
        ...inner,
        translate(question, context) {
          asked.push(...question.tasks.map(({ text }) => text));
          return inner.translate(question, context);
        },
      };
      const { signal } = new AbortController();
      const made = await translateSentences(job, counted, { signal });
      return translatedResult(sentences, made, profile).result;
    },
  };
  const output = {
    format: 'srt',
    language: 'de',
    path: target,
    write: (text: string | Uint8Array) => writeWhole(target, text),
  };
  await translateFiles(
    {
      files: [source],
      options: { language: 'en', translate: 'de', memory, json: '' },
      rules: { query: {} },
      outputs: new Map([[source, [output]]]),
    },
    async () => translator,
    () => {},
  );
  return asked;
}

/** The text of the captions that were written. */
const shown = async (): Promise<string> =>
  (await readFile(target, 'utf8'))
    .replaceAll(/\d+\n[\d:,]+ --> [\d:,]+\n/g, '')
    .replaceAll(/\s+/g, ' ');

test('with a memory, only what is new is translated, and a sentence that a person changed stays', async () => {
  await writeTalk(SENTENCES);
  expect(new Set(await translated())).toEqual(new Set(SENTENCES));
  expect(await translated()).toEqual([]);

  // A person writes other words into the captions of the second sentence.
  const words = dictionaryOf('de')(SENTENCES[1]!);
  const before = await readFile(target, 'utf8');
  expect([before.split('Leute Frage Frage').length, words]).toEqual([
    2,
    'Leute Frage Frage Arbeit Leute Zeit?',
  ]);
  const own = 'Warum nur Arbeit Leute Zeit?';
  await writeFile(target, before.replace('Leute Frage Frage', 'Warum nur'));
  const changed = SENTENCES.with(2, 'The cat slept by the fire all night.');
  await writeTalk(changed);
  expect(new Set(await translated())).toEqual(new Set([changed[2]!]));
  expect(await shown()).toContain(own);

  // Another engine translates anew, but not what a person wrote; neither does a lost file lose it.
  await rm(target);
  expect(new Set(await translated('another engine'))).toEqual(
    new Set(changed.filter((_, at) => at !== 1)),
  );
  expect(await shown()).toContain(own);
});

test('a memory of another program is one of people', async () => {
  await writeTalk(SENTENCES);
  await rm(target, { force: true });
  const unit = `<tu><tuv xml:lang="en"><seg>${SENTENCES[0]}</seg></tuv><tuv xml:lang="de"><seg>Alle lagen wach.</seg></tuv></tu>`;
  await writeFile(memory, `<tmx version="1.4"><header srclang="en"/><body>${unit}</body></tmx>`);
  expect(await translated()).not.toContain(SENTENCES[0]!);
  expect(await shown()).toContain('Alle lagen wach.');
});
