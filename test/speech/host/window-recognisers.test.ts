/** What the recognisers are asked, with key terms and without, and what becomes of the answers. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Transcript } from '../../../server/contract/results.ts';
import type {
  EngineHints,
  RecognizedWords,
  Recognition,
} from '../../../server/speech/host/engine-messages.ts';
import type { EnginePool } from '../../../server/speech/host/engine-pool.ts';
import type { Engines, Engine } from '../../../server/speech/host/engines.ts';
import { withTermCounts } from '../../../server/speech/host/term-counts.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';
import { compactKey } from '../../../server/terminology/match/normalize.ts';
import type { PieceTranscript } from '../../../server/speech/provider.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { writeTinyTransducer } from '../../support/doubles/tiny-transducer.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { transcribed } from '../../support/transcribed.ts';
import { source } from '../../mp3/support.ts';
import { hostSpeech } from './engine-support.ts';

describe('key terms on this host', async () => {
  setDefaultTimeout(120_000);

  const root = await temporaryFolder();
  afterAll(() => removeFolder(root));

  /** A folder of models, each written by its function. */
  async function models(
    name: string,
    of: Record<string, (folder: string) => Promise<void>>,
  ): Promise<string> {
    for (const [model, write] of Object.entries(of)) {
      const folder = join(root, name, model);
      await mkdir(folder, { recursive: true });
      await write(folder);
    }
    return join(root, name);
  }

  async function hear(modelsDir: string, keyterms: string[]) {
    const speech = hostSpeech(modelsDir, { speechModel: 'auto', engine: 'sherpa' });
    // "Good evening, and welcome to a short talk."
    const bytes = (await readFile(sample)).subarray(0, 24_000);
    const { plan, transcript } = await transcribed(speech, source(bytes), { keyterms });
    speech.close?.();
    return { engine: plan.engine, transcript };
  }

  test('a transducer recognises plainly without terms, and uses a term in place of words that sound like it', async () => {
    const folder = await models('whole', { 'parakeet-110m-transducer': writeTinyTransducer });
    const plain = await hear(folder, []);
    expect(plain.transcript.text).toStartWith('off kit');
    expect(plain.engine).toMatchObject({
      model: 'parakeet-110m-transducer',
      keytermsInjected: false,
    });
    expect(plain.transcript.metadata?.['keytermWords']).toBeUndefined();

    const biased = await hear(folder, ['AuthKit', 'C#', 'CI/CD']);
    expect(biased.transcript.text).toStartWith('AuthKit');
    expect(biased.engine).toMatchObject({ keytermsInjected: true, provider: 'edge' });
    expect(biased.transcript.metadata?.['keytermWords']).toBeGreaterThanOrEqual(2);
    const [word] = biased.transcript.words;
    const [off, kit] = plain.transcript.words;
    expect([word?.start, word?.end]).toEqual([off!.start, kit!.end]);
    expect(word?.confidence).toBeLessThan(1);

    // The search is biased towards a term that was not said, so the plain words stay.
    const other = await hear(folder, ['Kubernetes']);
    expect(other.transcript.text).toBe(plain.transcript.text);
  });

  test('if a transducer is unavailable or damaged, the other model is used, and the reason is reported', async () => {
    const damaged = async (folder: string) => {
      await writeTinyTransducer(folder);
      await writeFile(join(folder, 'encoder.int8.onnx'), 'no model');
    };
    const missing = await models('missing', { 'parakeet-110m': writeTinyModel });
    const broken = await models('broken', {
      'parakeet-110m': writeTinyModel,
      'parakeet-110m-transducer': damaged,
    });
    for (const [folder, reason] of [
      [
        missing,
        'The hosts of parakeet-110m-transducer cannot be reached, so parakeet-110m is used',
      ],
      [broken, 'parakeet-110m is used instead of parakeet-110m-transducer: The speech model'],
    ] as const) {
      // It hears other words than were said, and there is nothing better.
      const doubtful = await hear(folder, ['AuthKit']);
      expect(doubtful.engine['note']).toMatch(
        /^Expect wrong words: parakeet-110m got \d+ of 23 words of a known recording wrong\.$/,
      );
      const note = join(folder, '.heard', 'parakeet-110m.json');
      await Bun.write(note, JSON.stringify({ ...(await Bun.file(note).json()), wrong: 0 }));
      const { engine, transcript } = await hear(folder, ['AuthKit']);
      expect(engine).toMatchObject({ model: 'parakeet-110m', keytermsInjected: false });
      expect(engine['note']).toStartWith(reason);
      expect(engine['note']).not.toContain(folder);
      expect(transcript.words.length).toBeGreaterThan(0);
    }
  });

  test('if no model is available, the failure says how to install one', async () => {
    const outcome = hear(join(root, 'nothing'), []);
    await expect(outcome).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
  });
});

describe("the requests of this host's recognisers to their processes, and the use of the responses", () => {
  const samples = new Float32Array(160);
  const { signal } = new AbortController();
  const parts = (text: string, confidence = 0.6): Recognition => {
    const tokens = text === '' ? [] : text.split(' ').map((word) => ` ${word}`);
    return {
      tokens,
      timestamps: tokens.map((_, at) => at / 3),
      logProbabilities: tokens.map(() => Math.log(confidence)),
    };
  };
  const words = (text: string, confidence = 0.456): RecognizedWords['words'] =>
    text
      .split(' ')
      .map((word, at) => ({ text: word, start: at / 3, end: at / 3 + 0.3, confidence }));
  const heard = (text: string, more: Partial<RecognizedWords> = {}): RecognizedWords => ({
    words: text === '' ? [] : words(text),
    language: 'en',
    languageProbability: 1,
    dropped: 0,
    ...more,
  });

  interface Asked {
    model: unknown;
    samples: unknown;
    signal: unknown;
    hints: EngineHints | undefined;
  }

  /** A recogniser whose processes return these responses, with their requests and notes recorded. */
  async function recogniser(
    answers: (Recognition | RecognizedWords | Error)[],
    {
      kind = 'whisper',
      language = 'en-GB',
      terms = [],
      acceptsTerms = true,
    }: { kind?: string; language?: string; terms?: string[]; acceptsTerms?: boolean } = {},
  ) {
    const asked: Asked[] = [];
    const answer = async (...[model, given, until, hints]: unknown[]) => {
      asked.push({ model, samples: given, signal: until, hints: hints as EngineHints });
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next as never;
    };
    const model = { kind, name: 'mine' };
    const engines = { modelFiles: async () => model } as unknown as Engines;
    const pool = { slots: 1, recognize: answer, hear: answer } as unknown as EnginePool;
    const notes: Parameters<ReturnType<typeof createWindowRecognisers>>[2] = [];
    const use = {
      terms,
      pronunciations: { Vercel: 'versel' },
      near: { Vercel: ['deploy'] },
      windows: 0,
      failed: 0,
      replaced: 0,
    };
    const engine: Engine = {
      engine: kind === 'whisper' ? 'whisper' : 'sherpa-onnx',
      model: 'mine',
      ...(acceptsTerms ? { acceptsTerms } : {}),
    };
    const recognize = await createWindowRecognisers(engines, pool, '/none')(
      engine,
      language,
      notes,
      use,
    );
    const window = { start: 10, end: 20 };
    return {
      asked,
      notes,
      use,
      model,
      hear: (until = signal) => recognize(samples, window, until),
    };
  }
  const texts = (list: readonly { text: string }[]) => list.map(({ text }) => text).join(' ');

  test('Whisper gets the language and, with terms, their pronunciations', async () => {
    const plain = await recogniser([heard('so')]);
    await plain.hear();
    expect(plain.asked).toEqual([
      { model: plain.model, samples, signal, hints: { language: 'en' } },
    ]);
    const termed = await recogniser([heard('so')], { terms: ['Vercel'] });
    await termed.hear();
    expect(termed.asked[0]!.hints).toEqual({
      language: 'en',
      terms: ['Vercel'],
      pronunciations: { Vercel: 'versel' },
      near: { Vercel: ['deploy'] },
    });
    expect(termed.use.windows).toBe(1);
    const deaf = await recogniser([heard('so')], { terms: ['Vercel'], acceptsTerms: false });
    await deaf.hear();
    expect([deaf.asked[0]!.hints, deaf.use.windows]).toEqual([{ language: 'en' }, 0]);
  });

  test('Whisper notes a window with words or dropped words, and no other', async () => {
    const said = await recogniser([heard('so on', { language: 'fr', dropped: 1 })]);
    await said.hear();
    expect(said.notes).toEqual([{ start: 10, end: 20, language: 'fr', words: 2, dropped: 1 }]);
    const dropped = await recogniser([heard('', { dropped: 3 })], { terms: ['Vercel'] });
    await dropped.hear();
    expect(dropped.notes).toMatchObject([{ words: 0, dropped: 3 }]);
    // Terms are not needed where nobody speaks.
    expect(dropped.use.windows).toBe(0);
    const silent = await recogniser([heard('')]);
    expect([await silent.hear(), silent.notes]).toEqual([[], []]);
  });

  test('Whisper takes only terms from its biased words that sound like its plain ones, next to another term', async () => {
    const plain = 'We deployed it on Varsal, with Kubernetes.';
    const biased = words('We employed it on Vercel, with Kubernetes.');
    const answers = [heard(plain, { biased }), heard(plain, { biasedFailed: true })];
    const { hear, use } = await recogniser(answers, { terms: ['Vercel', 'Kubernetes'] });
    const found = await hear();
    expect(texts(found)).toBe('We deployed it on Vercel, with Kubernetes.');
    expect(found[4]).toMatchObject({ start: 11.333, end: 11.633, confidence: 0.46 });
    expect(use).toMatchObject({ windows: 1, failed: 0, replaced: 1 });
    expect(texts(await hear())).toBe(plain);
    expect(use).toMatchObject({ windows: 2, failed: 1, replaced: 1 });
  });

  test('Whisper takes no term from its biased words into a window without another term, if terms were weighed by the sound', async () => {
    const answer = heard('we stitch it now', { biased: words('we Stytch it now') });
    const { hear, use } = await recogniser([answer], { terms: ['Stytch'] });
    expect(texts(await hear())).toBe('we stitch it now');
    expect(use.replaced).toBe(0);
  });

  describe('a transducer', () => {
    const kind = 'nemo_transducer';
    const plain = parts('we use versal');
    const biased = parts('we use Vercel');

    test('is called a second time with the terms, which replace similar words', async () => {
      const transducer = await recogniser([plain, biased], { kind, terms: ['Vercel'] });
      expect(texts(await transducer.hear())).toBe('we use Vercel');
      expect(transducer.asked).toEqual([
        { model: transducer.model, samples, signal, hints: { language: 'en' } },
        { model: transducer.model, samples, signal, hints: { terms: ['Vercel'] } },
      ]);
      expect(transducer.use).toMatchObject({ windows: 1, failed: 0, replaced: 1 });
    });

    test('that fails the second time leaves the plain words', async () => {
      const failing = await recogniser([plain, new Error('lost')], { kind, terms: ['Vercel'] });
      expect(texts(await failing.hear())).toBe('we use versal');
      expect(failing.use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
    });

    test('has a word for each character of languages without spaces', async () => {
      const tokens = { tokens: ['東', '京'], timestamps: [0, 1] };
      expect(texts(await (await recogniser([tokens], { kind, language: 'ja-JP' })).hear())).toBe(
        '東 京',
      );
      expect(texts(await (await recogniser([tokens], { kind, language: 'ko' })).hear())).toBe(
        '東京',
      );
    });
  });

  const TERMS = ['AuthKit', 'Model Context Protocol', 'WorkOS', 'Kubernetes', 'SCIM'];
  /** The words of a transducer that hears a text plainly, and another one with the terms. */
  async function biasedWords(
    plain: string,
    biased: string,
    terms: readonly string[] = TERMS,
    confidence?: number,
  ) {
    const answers = [parts(plain, confidence), parts(biased)];
    const { hear, use } = await recogniser(answers, { kind: 'nemo_transducer', terms: [...terms] });
    return { words: await hear(), replaced: use.replaced };
  }

  test.each([
    ['we use off kit here', 'we use AuthKit here', 'we use AuthKit here'],
    ['the Authket, and more', 'the AuthKit and more', 'the AuthKit, and more'],
    [
      '(modal contact protocol) ends, so',
      'Model Context Protocol ends so',
      '(Model Context Protocol) ends, so',
    ],
    ['a modal contact protocol is', 'a Model Context Protocol is', 'a Model Context Protocol is'],
    ['model context protocols is', 'Model Context Protocol is', 'Model Context Protocol is'],
    ['cube ernetes runs', 'Kubernetes runs', 'Kubernetes runs'],
    ["off kit's users", "AuthKit's users", "AuthKit's users"],
    // Only those of the different words that sound like the term are replaced.
    ['we then oh kit here', 'we and AuthKit here', 'we then AuthKit here'],
  ])('%s, %s: %s', async (plain, biased, expected) => {
    expect(texts((await biasedWords(plain, biased)).words)).toBe(expected);
  });

  test('whatever is heard, everything but the terms equals the plain recognition, in order and in time', async () => {
    const spoken = fc
      .array(
        fc.constantFrom(
          ...'we use off kit AuthKit WorkOS works Model modal Context Protocol home, cube nettis Kubernetes.'.split(
            ' ',
          ),
        ),
        { maxLength: 14 },
      )
      .map((all) => all.join(' '));
    await fc.assert(
      fc.asyncProperty(spoken, spoken, async (plain, biased) => {
        // A part of a term that both hear at the same time looks like one that was left.
        const heard = plain.split(' ');
        fc.pre(!biased.split(' ').some((word, at) => /^[MCP]/.test(word) && heard[at] === word));
        const { words: own } = await biasedWords(plain, '');
        expect(await biasedWords(plain, plain)).toEqual({ words: own, replaced: 0 });
        expect(await biasedWords(plain, biased, [])).toEqual({ words: own, replaced: 0 });
        const { words: out, replaced } = await biasedWords(plain, biased);
        const all = new Set(own.map((word) => JSON.stringify(word)));
        const isOwn = (word: object) => all.has(JSON.stringify(word));
        expect(own.length - out.filter(isOwn).length).toBe(replaced);
        // The rest is a sequence of terms.
        const others = out.filter((word) => !isOwn(word));
        let rest = others.map(({ text }) => compactKey(text)).join('');
        const keys = TERMS.map(compactKey).toSorted((x, y) => y.length - x.length);
        while (rest !== '') {
          const key = keys.find((each) => rest.startsWith(each));
          expect(key).toBeDefined();
          rest = rest.slice(key!.length);
        }
        for (const [at, word] of out.entries()) {
          expect(word.end).toBeGreaterThanOrEqual(word.start);
          expect(word.start).toBeGreaterThanOrEqual(out[at - 1]?.start ?? 0);
          expect(word.end).toBeLessThanOrEqual(own.at(-1)!.end);
        }
      }),
    );
  });

  const MORE =
    'JSON Schema, JSON-RPC, Claude, Claude Code, Cloudflare Queues, Stytch, Wrangler, GDPR'.split(
      ', ',
    );
  test.each([
    ['a part of a term', 'we use JSON Schema here', 'we use JSON-RPC Schema here'],
    ['words that go on otherwise', 'the cloud flare team', 'the Cloudflare Queues'],
    ['words that are its beginning', 'the cloud flare, and', 'the Cloudflare Queues, and'],
    ['an ordinary word a little like it', 'so stiff in the cream', 'so Stytch in the cream'],
  ])('a term does not replace %s (%s)', async (_, plain, biased) => {
    expect(texts((await biasedWords(plain, biased, MORE)).words)).toBe(plain);
  });

  test.each([
    ['a term that is a part of them', 'we use Claude cold here', 'we use Claude Code here'],
    ['words that begin and sound alike', 'the cloud flare cues', 'the Cloudflare Queues'],
    ['what is alike before its possessive', "the cloud flare cue's", 'the Cloudflare Queues'],
    ['an ordinary word beside another term', 'Claude is stiff', 'Claude is Stytch'],
    ['an ordinary word that is more alike', 'so stitch it', 'so Stytch it'],
    ['what is no word', 'so stiyf it', 'so Stytch it'],
  ])('a term replaces %s (%s)', async (_, plain, biased) => {
    expect(texts((await biasedWords(plain, biased, MORE)).words)).toBe(biased);
  });

  test.each([
    ['a name that is an ordinary word', 'a white wranglar, so', 'a white Wrangler, so', 0.6],
    ['an acronym in place of a certain one', 'depress GDP, so', 'depress GDPR, so', 0.9],
  ])('%s is replaced only beside another term', async (_, plain, biased, confidence) => {
    const heardAs = async (before: string) => {
      const made = biasedWords(`${before}${plain}`, `${before}${biased}`, MORE, confidence);
      return texts((await made).words);
    };
    expect(await heardAs('')).toBe(plain);
    expect(await heardAs('Claude, ')).toBe(`Claude, ${biased}`);
  });

  test.each([
    ['we use the plot here', 'we use SCIM _ here', 2],
    ['we off kit plot go', 'we AuthKit _ SCIM go', 3],
    ['off kit, work us.', 'AuthKit, _ WorkOS. _', 4],
    ['we off kit modal Context Protocol', 'we AuthKit _ Model Context Protocol', 5],
    ['we plot SCIM', 'we AuthKit SCIM', 1],
  ])('%s: terms that the sound makes probable divide the words', async (plain, with_, replaced) => {
    const found = words(with_).filter(({ text }) => text !== '_');
    const [before] = words(plain);
    // A tenth of a second earlier or later makes no difference.
    for (const by of [-0.1, 0, 0.1]) {
      const weighed = found.map((word) => ({ ...word, start: word.start + by, confidence: 1 }));
      const { hear, use } = await recogniser([heard(plain, { weighed })], { terms: TERMS });
      const combined = await hear();
      expect(texts(combined)).toBe(texts(found));
      for (const [at, { start, confidence }] of combined.entries()) {
        expect(start).toBeCloseTo(10 + found[at]!.start, 3);
        // A term has the confidence of the words in whose place it is.
        expect(confidence).toBeCloseTo(before!.confidence, 2);
      }
      expect(use.replaced).toBe(replaced);
    }
  });
});

describe('the report of a run on its key terms, and the spelling of terms for a transducer', () => {
  const transcript = { text: 'so', metadata: { model: 'mine' } } as unknown as Transcript;
  const piece = (keytermUse?: object) => ({ words: [], keytermUse }) as unknown as PieceTranscript;

  test.each([
    [1, true],
    [2, true],
    [3, false],
  ])(
    'the metadata state that terms failed in %d of 3 stretches, and whether any was used: %p',
    (failed, used) => {
      const pieces = [
        piece({ windows: 1, failed: 1, replaced: 0 }),
        piece({ windows: 2, failed: failed - 1, replaced: 0 }),
      ];
      expect(withTermCounts(transcript, pieces).metadata).toEqual({
        model: 'mine',
        keytermWords: 0,
        keytermsInjected: used,
        keytermsNote: `The recogniser could not use the key terms in ${failed} of 3 stretches, which were recognised without them.`,
      } as never);
    },
  );
});
