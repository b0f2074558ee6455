/** Key terms in a window: which are weighed, which take the place of words, and what they leave alone. */
import { expect, test, describe } from 'bun:test';
import { WHISPER_LANGUAGES } from '../../server/whisper/model/tokens.ts';
import { type NearWords, nearTerms } from '../../server/whisper/terms/near-terms.ts';
import { pronunciationsOf } from '../../server/whisper/terms/pronunciations.ts';
import { type RecognisedWord } from '../../server/whisper/terms/recognised-words.ts';
import { tokensOfTerms } from '../../server/whisper/terms/term-texts.ts';
import { createTokenizer, promptTokens } from '../../server/whisper/terms/term-prompt.ts';
import { BYTES, ids, marks, scriptedWhisper } from './scripted-whisper.ts';

describe("whisper's second recognition with key terms", () => {
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

  /**
   * The text with a term in place of “Varsal”, if it is probable enough, as the decoder finds it with a logit for the term's
   * first letter; it is certain of the others.
   */
  async function weighedText(
    logit: number,
    plain: string,
    {
      biased = plain,
      near = {},
      language = 'en',
    }: { biased?: string; near?: NearWords; language?: string } = {},
  ): Promise<string | undefined> {
    const [varsal] = ids('Varsal');
    const spelled = [...' Varsel'].map((letter) => letter.charCodeAt(0));
    const place = plain.split(' ').indexOf('Varsal');
    const whisper = scriptedWhisper({
      // Other models know English alone.
      vocabulary: 51_865,
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
    const heard = await whisper.hear(samples, language, ['Varsel', 'Vercel', 'Kubernetes'], {
      near,
    });
    expect(heard.words.map(({ text }) => text).join(' ')).toBe(plain);
    return heard.weighed?.map(({ text }) => text).join(' ');
  }

  test('a term that the decoder finds nearly as probable as the recognised words is returned along with them', async () => {
    const plain = 'We use Vercel Varsal now';
    expect(await weighedText(19, plain)).toBe('We use Vercel Varsel now');
    expect(await weighedText(10, plain)).toBeUndefined();
    // In languages without spaces, none is weighed.
    expect(await weighedText(19, plain, { language: 'ja' })).toBeUndefined();
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
});

/** Words of two tokens each. */
const wordsOf = (text: string): RecognisedWord[] =>
  text.split(' ').map((word, at) => ({ first: 2 * at, end: 2 * at + 2, text: word, ends: false }));

/** Whether R2 is near in the place of the words from one to another, both counted from 0. */
function isNear(text: string, from: number, to = from): boolean {
  const near = nearTerms(wordsOf(text), { R2: ['bucket', 'object storage'], D1: ['database'] });
  return near({ term: 'R2', first: 2 * from, end: 2 * to + 2 });
}

test.each([
  ['before it', 'a bucket in our two', 3],
  ['after it', 'use our two for buckets', 1],
  ['as two words', 'the object storage are two', 3],
  ['as a part of a word', 'a bucket-like our two', 2],
])('a near word %s', (_, text, from) => {
  expect(isNear(text, from, from + 1)).toBe(true);
});

const spokenAs = (text: string) => tokensOfTerms([text], () => [])[0]!.spoken;

test.each([
  [
    'ABC DEF GHI JKL MNO PQR STU VWX YZ',
    'ay bee see dee ee eff jee aych eye jay kay ell em en oh pee cue ar ess tee you vee double you ex why zee',
  ],
  ['01234 56789', 'zero one two three four five six seven eight nine'],
  // Only short parts of several capitals or with digits are spelled.
  ['Plan B', null],
  ['Route 2', 'Route two'],
  ['ABCDE', 'ay bee see dee ee'],
  ['ABCDEF', null],
  ['ABCDEF 2', 'ABCDEF two'],
  ['AuthKit', null],
  ['APIs', 'ay pee Is'],
  ['a  MCP', 'a em see pee'],
  ['ÄÖ', 'Ä Ö'],
])('%s is spoken as %j', (term, spoken) => {
  expect(spokenAs(term).letters).toEqual(spoken === null ? null : spokenAs(spoken).words);
});

test('a term is pronounced as its pack lists it, in lower case and with capitals', () => {
  expect(pronunciationsOf('PKCE', 'pixie')).toEqual(['pixie', 'Pixie']);
  expect(pronunciationsOf('RAG', 'rack')).toEqual(['rack', 'Rack']);
  expect(pronunciationsOf('OneLogin', 'won')).toEqual(['won', 'Won']);
  // The spelling of the term itself is not listed again.
  expect(pronunciationsOf('redshift', 'redshift')).toEqual(['Redshift']);
  expect(pronunciationsOf('stdin', 'standard in')).toEqual(['standard in', 'Standard In']);
});

test('an acronym with a vowel between consonants may be a word', () => {
  expect(pronunciationsOf('RAG')).toEqual(['rag', 'Rag']);
  expect(pronunciationsOf('SSO')).toEqual([]);
  expect(pronunciationsOf('MFA')).toEqual([]);
});

describe("key terms in Whisper's prompt, as tokens", () => {
  const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

  /** All single bytes, and some longer tokens; a lower number was joined earlier. */
  const vocabulary = [
    ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
    ...['th', 'he', ' t', 'the', ' th', ' the', ' K', 'it', ' Kit'].map(bytesOf),
  ];
  const textOf = (ids: readonly number[]): string =>
    new TextDecoder().decode(Uint8Array.from(ids.flatMap((id) => [...vocabulary[id]!])));

  test('every text can be restored from its tokens', () => {
    const tokens = createTokenizer(vocabulary);
    for (const text of [" AuthKit's 42, ok?", ' Zürich  日本', ' a\n b '])
      expect(textOf(tokens(text))).toBe(text);
  });

  test('the best terms come last, and those beyond the limit are omitted', () => {
    const terms = ['First', ...Array.from({ length: 200 }, (_, at) => `Term number ${at}`)];
    const text = textOf(promptTokens(terms, createTokenizer(vocabulary)));
    expect(text).toEndWith(', First.');
    expect(text).not.toContain('number 199');
    expect(promptTokens([], createTokenizer(vocabulary))).toEqual([]);
  });
});
