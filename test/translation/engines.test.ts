/** The engines that are no language models: services by key, and Apertium. */
import { afterAll, describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import { profileOf } from '../../server/captions/rules/profiles/profiles.ts';
import { createApertium, installedDirections } from '../../server/translation/engines/apertium.ts';
import { createTranslators } from '../../server/translation/model-translator.ts';
import { translateSentences } from '../../server/translation/translate.ts';
import { sentencesOf } from '../../server/translation/sentences.ts';
import { DEEPL_KEY, deeplWire } from '../support/doubles/deepl-double.ts';
import { GOOGLE_KEY, googleWire } from '../support/doubles/google-double.ts';
import { startHttpDouble, type HttpDouble, type Wire } from '../support/doubles/http-double.ts';
import {
  LIBRETRANSLATE_KEY,
  libretranslateWire,
} from '../support/doubles/libretranslate-double.ts';
import { honest } from '../support/doubles/translators.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { failureOf } from '../support/failure-of.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const { signal } = new AbortController();
const folder = await temporaryFolder();
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = { key: publicKey, email: 'captions@our-project.example' };

/** German that is no translation, but has all that the proof looks for. */
const german = (text: string): string =>
  text.replace(
    /people|walk|along|rivers|really|and|wait|it's/gi,
    (word) => WORDS[word.toLowerCase()]!,
  );
const WORDS: Record<string, string> = {
  people: 'Leute',
  walk: 'gehen',
  along: 'entlang an',
  rivers: 'Flüssen',
  really: 'wirklich',
  and: 'und',
  wait: 'warten',
  "it's": "geht's",
};
const captions = Array.from({ length: 30 }, (_, at) => ({
  start: at * 4,
  end: at * 4 + 3.5,
  lines: [
    at === 4
      ? `People walk & <i>really</i> wait along ${at + 10} rivers.`
      : `People walk along ${at + 10} rivers, and it's "really" 1 < 2.`,
  ],
}));
const sentences = sentencesOf(captions, 'en');

/** The services, each with its double, which translates with a function. */
const SERVICES: Record<
  string,
  { wire(translate: (text: string) => string): Wire; key(origin: string): Promise<string> | string }
> = {
  deepl: { wire: deeplWire, key: () => DEEPL_KEY },
  google: { wire: (translate) => googleWire(translate), key: () => GOOGLE_KEY },
  'google, version 3': {
    wire: (translate) => googleWire(translate, account),
    async key(origin) {
      const path = join(folder, 'account.json');
      const file = {
        project_id: 'our-project',
        client_email: account.email,
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${origin}/token`,
      };
      await writeFile(path, JSON.stringify(file));
      return path;
    },
  },
  libretranslate: {
    wire: (translate) => libretranslateWire(translate),
    key: () => LIBRETRANSLATE_KEY,
  },
};

const doubles: HttpDouble[] = [];
afterAll(async () => {
  for (const double of doubles) await double.close();
  await removeFolder(folder);
});

/** Translates the captions with a service, whose wire may misbehave. */
async function translated(name: string, misbehave?: (good: Wire) => Wire, to = 'de', key?: string) {
  const [provider = ''] = name.split(',');
  const { wire, key: keyOf } = SERVICES[name]!;
  const good = wire(german);
  const double = await startHttpDouble(misbehave?.(good) ?? good);
  doubles.push(double);
  const environment = provider === 'google' ? 'GOOGLE_TRANSLATE' : provider.toUpperCase();
  const config = readConfig({
    [`${environment}_API_KEY`]: key ?? (await keyOf(double.origin)),
    [`${environment}_BASE_URL`]: double.origin,
  });
  const waiting = noWaiting();
  const { services } = config.translation;
  const translators = createTranslators({ waiting }, honest(String), { services });
  // Who sets a key for translations means it.
  expect(translators.choose({}).provider).toBe(provider);
  const job = { sentences, from: 'en', to, terms: [], profile: profileOf('default', to) };
  const result = translateSentences(job, translators.choose({}), { signal });
  return { double, waiting, result };
}

describe.each(Object.keys(SERVICES))('%s', (name) => {
  test('every sentence is translated, with its italics and marks', async () => {
    const { double, result } = await translated(name);
    const made = await result;
    expect(made.sentences.map(({ state }) => state)).toEqual(sentences.map(() => 'translated'));
    expect(made.sentences.map(({ text }) => text)).toEqual(
      sentences.map(({ text }) => german(text)),
    );
    // With the one that measures the pace, and the one for a token.
    expect(double.requests.length).toBeLessThanOrEqual(name.includes('3') ? 5 : 4);
  });

  const texts = (value: Record<string, any>): any[] =>
    value['translations'] ?? value['data']?.translations ?? value['translatedText'];
  const changed =
    (change: (all: any[], at: number) => unknown) =>
    (good: Wire): Wire =>
    async (request) => {
      const answer = (await good(request)) as Response;
      if (!answer.ok || request.url.pathname === '/token') return answer;
      const value = (await answer.json()) as Record<string, any>;
      change(texts(value), request.at);
      return Response.json(value);
    };

  test.each([
    ['one too few', changed((all) => all.length > 1 && all.pop())],
    ['one too many', changed((all) => all.length > 1 && all.push(all[0]))],
    [
      'overloaded, and says for how long',
      (good: Wire): Wire =>
        (request) =>
          request.at % 3 === 1
            ? new Response('', { status: 429, headers: { 'retry-after': '2' } })
            : good(request),
    ],
    [
      'fails now and then',
      (good: Wire): Wire =>
        (request) =>
          request.at % 3 === 1 ? new Response('<html>', { status: 503 }) : good(request),
    ],
  ])('%s: every sentence is translated', async (_, misbehave) => {
    const made = await (await translated(name, misbehave)).result;
    expect(made.sentences.map(({ text }) => text)).toEqual(
      sentences.map(({ text }) => german(text)),
    );
  });

  test.each([
    ['a text that is null', changed((all) => (all[0] = typeof all[0] === 'string' ? null : {}))],
    [
      'empty texts now and then',
      changed((all, at) => at % 2 && all.fill(typeof all[0] === 'string' ? '' : {})),
    ],
  ])('%s: what is missing is said', async (_, misbehave) => {
    const made = await (await translated(name, misbehave)).result;
    const missing = made.sentences.filter(({ state }) => state === 'missing');
    for (const [at, { text, state }] of made.sentences.entries()) {
      expect(text).toBe(
        state === 'missing'
          ? sentences[at]!.text.replace(/<\/?i>/g, '')
          : german(sentences[at]!.text),
      );
    }
    expect(missing.length).toBeLessThan(sentences.length);
  });

  test.each([
    ['a wrong key', undefined, 'de', 'wrong', 'provider_unauthorized'],
    ['a page', () => () => new Response('<html>'), 'de', undefined, 'provider_bad_response'],
    [
      'other JSON',
      () => () => Response.json({ ok: true }),
      'de',
      undefined,
      'provider_bad_response',
    ],
    [
      'nothing but failures',
      () => () => new Response('', { status: 500 }),
      'de',
      undefined,
      'provider_unavailable',
    ],
    [
      'overloaded for long',
      () => () => new Response('', { status: 429, headers: { 'retry-after': '90' } }),
      'de',
      undefined,
      'provider_rate_limited',
    ],
    ['a language that it does not have', undefined, 'xx', undefined, 'language_unsupported'],
  ] as const)('%s is said', async (_, misbehave, to, key, code) => {
    const { result } = await translated(name, misbehave, to, key);
    const failure = await failureOf(result);
    expect(failure.code).toBe(code);
    expect(JSON.stringify(failure)).not.toContain('secret');
  });
});

test('a quota that is used up is said as it is, and is not tried again', async () => {
  const { double, result } = await translated(
    'deepl',
    () => () => new Response('', { status: 456 }),
  );
  const failure = await failureOf(result);
  expect(failure.message).toContain('no credit or quota left');
  expect(double.requests).toHaveLength(1);
});

test('what a service is told about a text: languages, formality, and what surrounds it', async () => {
  const double = await startHttpDouble(deeplWire(german));
  doubles.push(double);
  const services = { deepl: { apiKey: DEEPL_KEY, baseUrl: double.origin } };
  const deepl = createTranslators({}, honest(String), { services }).choose({ provider: 'deepl' });
  const question = {
    before: ['Who is there?'],
    after: ['Nobody.'],
    terms: [],
    topic: 'Rivers',
    tasks: [{ id: '1', text: 'People wait.' }],
  };
  for (const [from, to, named] of [
    ['en-GB', 'pt', ['EN', 'PT-PT']],
    ['pt-BR', 'en-GB', ['PT', 'EN-GB']],
    ['no', 'zh-TW', ['NB', 'ZH-HANT']],
    [null, 'de-AT', [undefined, 'DE']],
  ] as const) {
    await deepl.translate({ ...question, from, to, formality: 'formal' }, { signal });
    const { source_lang, target_lang, formality, context } = JSON.parse(
      String(double.requests.at(-1)!.body),
    );
    expect([[source_lang, target_lang], formality, context]).toEqual([
      named as never,
      'prefer_more',
      'Rivers\nWho is there?\nNobody.',
    ]);
  }
});

describe('Apertium', () => {
  /** A folder with a program of that name and the modes of some pairs. */
  async function installed(
    script: string,
    modes = ['eng-spa', 'spa-eng_US', 'spa-eng', 'eng-spa-tagger'],
  ) {
    const root = join(folder, crypto.randomUUID());
    await mkdir(join(root, 'bin'), { recursive: true });
    await mkdir(join(root, 'share', 'apertium', 'modes'), { recursive: true });
    for (const mode of modes)
      await writeFile(join(root, 'share', 'apertium', 'modes', `${mode}.mode`), '');
    await writeFile(join(root, 'bin', 'apertium'), `#!/bin/sh\n${script}\n`);
    await chmod(join(root, 'bin', 'apertium'), 0o755);
    return join(root, 'bin');
  }
  const ask = async (
    script: string,
    texts: readonly string[],
    to = 'es',
    patience?: { load: number; sentence: number },
  ) => {
    const bin = await installed(script);
    const before = process.env['PATH'];
    process.env['PATH'] = `${bin}:${before}`;
    try {
      const engine = createApertium(installedDirections(), patience);
      const tasks = texts.map((text, at) => ({ id: String(at), text }));
      const question = { from: 'en', to, before: [], after: [], terms: [], tasks };
      return (await engine.translate(question, { signal })).answers;
    } finally {
      process.env['PATH'] = before;
    }
  };

  test('its directions are those that are installed', async () => {
    const bin = await installed('cat');
    expect(installedDirections(bin).map(({ from, to }) => `${from} ${to}`)).toEqual([
      'en es',
      'es en',
      'es en-US',
    ]);
    expect(installedDirections('/nowhere')).toEqual([]);
    const failure = await failureOf(ask('cat', ['Hello'], 'de'));
    expect(failure).toMatchObject({ code: 'language_unsupported', provider: 'apertium' });
  });

  test('words that it does not know are told, and its marks are none of the text', async () => {
    const script = `printf '<p>El *AuthKit <i>*really</i> 3&lt;4 @home</p>\\n<p>Dos **tres #cuatro</p>\\n'`;
    expect(await ask(script, ['The AuthKit', 'Two *three # four'])).toEqual([
      {
        id: '0',
        source: 'The AuthKit',
        text: 'El AuthKit <i>really</i> 3<4 home',
        unknown: ['really'],
      },
      { id: '1', source: 'Two *three # four', text: 'Dos *tres #cuatro', unknown: ['tres'] },
    ]);
  });

  test.each([
    ['fewer paragraphs', `printf '<p>Uno</p>'`],
    ['nothing', 'true'],
  ])('%s are no answer', async (_, script) => {
    expect(await ask(script, ['One', 'Two'])).toEqual([]);
  });

  test.each([
    ['fails', 'exit 3', 'ended'],
    ['never ends', 'sleep 60', 'time'],
    ['says more than it was asked', 'yes "<p>si</p>"', 'too much'],
  ])('a program that %s is given up', async (_, script, says) => {
    const failure = await failureOf(ask(script, ['One'], 'es', { load: 500, sentence: 0 }));
    expect([failure.code, failure.message]).toEqual([
      'provider_unavailable',
      expect.stringContaining(says),
    ]);
  });
});
