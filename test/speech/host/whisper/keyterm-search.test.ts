/** Whisper's second recognition with key terms: its permitted additions, and its failures, which have no effect. */
import { expect, test } from 'bun:test';
import { WHISPER_LANGUAGES } from '../../../../server/whisper/model/tokens.ts';
import type { NearWords } from '../../../../server/whisper/terms/about-terms.ts';
import { createKeytermSearch } from '../../../../server/whisper/terms/keyterm-search.ts';
import { BYTES, ids, marks, scriptedWhisper } from './scripted-whisper.ts';

/** A second that is loud enough to be heard. */
const samples = Float32Array.from({ length: 16_000 }, (_, at) => Math.sin(at / 9) / 3);

async function hear(
  sayBiased: () => number[],
  terms: readonly string[] = ['Vercel', 'Kubernetes'],
) {
  const asked: number[][] = [];
  const say = (isBiased: boolean) => (isBiased ? sayBiased() : ids('We use Varsal now'));
  const whisper = scriptedWhisper({ say, asked });
  const heard = await whisper.hear(samples, WHISPER_LANGUAGES[0]!, terms);
  const textOf = (words: readonly { text: string }[] | undefined) =>
    words?.map(({ text }) => text).join(' ');
  return { ...heard, text: textOf(heard.words), second: textOf(heard.biased), asked };
}

test('similar-sounding terms are passed, and the second result is returned along with the plain words', async () => {
  const heard = await hear(() => ids('We use Vercel now'));
  expect(heard).toMatchObject({ text: 'We use Varsal now', second: 'We use Vercel now' });
  expect(heard.biasedFailed).toBeUndefined();
  const prompt = heard.asked.find((all) => all.includes(marks.previous))!;
  const said = String.fromCharCode(...prompt.filter((id) => id < BYTES));
  expect(said).toContain('Vercel');
  expect(said).not.toContain('Kubernetes');
  // One time for each word, though the prompt was longer.
  expect(heard.biased).toHaveLength(4);
});

test('if the second recognition fails, the plain words are kept, and the failure is reported', async () => {
  const heard = await hear(() => {
    throw new Error('no memory left');
  });
  expect(heard).toMatchObject({ text: 'We use Varsal now', dropped: 0, biasedFailed: true });
  expect(heard.biased).toBeUndefined();
  expect(heard.words).toEqual((await hear(() => [])).words);
});

test('a second result that only repeats itself is not a failure, and adds nothing', async () => {
  const heard = await hear(() => Array.from({ length: 200 }, () => ids('Vercel')[0]!));
  expect(heard).toMatchObject({ text: 'We use Varsal now' });
  expect([heard.biased, heard.biasedFailed]).toEqual([undefined, undefined]);
});

test('without a similar-sounding term there is no second recognition', async () => {
  for (const terms of [[], ['Kubernetes'], ['Varsal']]) {
    const heard = await hear(() => ids('We use Vercel now'), terms);
    expect(heard).toMatchObject({ text: 'We use Varsal now' });
    expect(heard.asked.some((all) => all.includes(marks.previous))).toBe(false);
  }
});

/**
 * The text with a term in place of “Varsal”, if it is probable enough, as the decoder finds it with a logit for the term's
 * first letter; it is certain of the others.
 */
async function weighedText(
  logit: number,
  plain: string,
  { biased = plain, near = {} }: { biased?: string; near?: NearWords } = {},
): Promise<string | undefined> {
  const [varsal] = ids('Varsal');
  const spelled = [...' Varsel'].map((letter) => letter.charCodeAt(0));
  const place = plain.split(' ').indexOf('Varsal');
  const whisper = scriptedWhisper({
    say: (isBiased) => ids(isBiased ? biased : plain),
    // The letters of the term follow each other, and after them the text goes on as it did after the word.
    doubt(said) {
      if (said.length < place || said.includes(varsal!)) return [];
      const done = said.slice(place);
      if (!done.every((token, at) => token === spelled[at])) return [];
      if (done.length === 0) return [[spelled[0]!, logit]];
      const next = done.length < spelled.length ? spelled[done.length]! : ids('now')[0]!;
      return [[next, 40]];
    },
  });
  const heard = await whisper.hear(samples, 'en', ['Varsel', 'Vercel', 'Kubernetes'], { near });
  expect(heard.words.map(({ text }) => text).join(' ')).toBe(plain);
  return heard.weighed?.map(({ text }) => text).join(' ');
}

test('a term that the decoder finds nearly as probable as the recognised words is returned along with them', async () => {
  const plain = 'We use Vercel Varsal now';
  expect(await weighedText(19, plain)).toBe('We use Vercel Varsel now');
  expect(await weighedText(10, plain)).toBeUndefined();
});

test('a term needs less evidence if a near word was recognised', async () => {
  const plain = 'We use Vercel Varsal now';
  expect(await weighedText(16, plain)).toBeUndefined();
  expect(await weighedText(16, plain, { near: { Vercel: ['use'] } })).toBeUndefined();
  expect(await weighedText(16, plain, { near: { Varsel: ['use'] } })).toBe(
    'We use Vercel Varsel now',
  );
});

test('a term is found sooner if the second search found two others', async () => {
  const plain = 'We use Varsal now';
  expect(await weighedText(18, plain)).toBeUndefined();
  expect(await weighedText(18, plain, { biased: 'Vercel use Varsal now' })).toBeUndefined();
  expect(await weighedText(18, plain, { biased: 'Vercel Kubernetes Varsal now' })).toBe(
    'We use Varsel now',
  );
});

test('in languages without spaces no term is weighed, and a failure to weigh is reported', async () => {
  const refused = () => Promise.reject(new Error('not expected'));
  const decoder = {
    texts: 1,
    begin() {},
    take: refused,
    takeEach: refused,
    takeAll: refused,
    keep() {},
    goBack() {},
  };
  const bytes = ids('We use Varsal now');
  const found = { tokens: bytes, logProbabilities: [], attention: [], noSpeech: 0 };
  const words = [{ text: 'Varsal', start: 0, end: 1, confidence: 0.5 }];
  const rules = {
    prompt: [0],
    end: 1,
    noSpeech: 2,
    unspoken: [],
    neverFirst: [],
    special: BYTES + 5,
    most: 224,
    frameSeconds: 0.02,
    frames: 1,
    bytes: Array.from({ length: BYTES + 5 }, () => new TextEncoder().encode(' x')),
  };
  const look = (language: string) =>
    createKeytermSearch(() => () => [1])(
      decoder,
      { found, words },
      {
        rules,
        promptOf: () => [1, ...rules.prompt],
        terms: ['Kubernetes'],
        says: {},
        near: {},
        language,
      },
    );
  expect(await look('ja')).toEqual({});
  expect(await look('en')).toEqual({ biasedFailed: true });
});
