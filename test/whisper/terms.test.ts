/** Key terms in a window: which are weighed, which take the place of words, and what they leave alone. */
import { expect, test, describe } from 'bun:test';
import { similarityOf } from '../../server/terminology/match/similarity.ts';
import { similarityAtLeast, spokenForms } from '../../server/terminology/match/spoken-forms.ts';
import type { RewindingDecoder } from '../../server/whisper/model/decoder.ts';
import { WHISPER_LANGUAGES } from '../../server/whisper/model/tokens.ts';
import { type SearchRules, steered } from '../../server/whisper/search/found-text.ts';
import {
  type NearWords,
  type RecognisedWord,
  nearTerms,
  pronunciationsOf,
} from '../../server/whisper/terms/about-terms.ts';
import { createKeytermSearch } from '../../server/whisper/terms/keyterm-search.ts';
import { termsFinder } from '../../server/whisper/terms/similar-terms.ts';
import {
  inLetters,
  similarityToTerm,
  spokenPhrases,
} from '../../server/whisper/terms/spoken-letters.ts';
import { isWritten, spansOf, textsToWeigh } from '../../server/whisper/terms/term-places.ts';
import { createTokenizer, promptTokens, boostOf } from '../../server/whisper/terms/term-prompt.ts';
import { weighTerms, type Weighed } from '../../server/whisper/terms/weigh-terms.ts';
import { tokensOfTerms, type Reading } from '../../server/whisper/terms/weigh-texts.ts';
import {
  countTerms,
  isTermSpoken,
  saidTerms,
  withTerms,
} from '../../server/whisper/terms/weighed-words.ts';
import { BYTES, ids, marks, scriptedWhisper } from './scripted-whisper.ts';
import fc from 'fast-check';

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
});

describe('weighing key terms against recognised words: the compared texts, and those abandoned early', () => {
  const WORDS = [
  ' we', ' use', ' the', ' plot', ' code', '.', ' Cla', 'ude', ' Dra', 'ta', ' Plat', ' Code', ' now', ' plat', '<end>', '<named>', '<prompt>',
]; // prettier-ignore
  const idOf = (word: string): number => WORDS.indexOf(word);
  const bytes = WORDS.map((word) => new TextEncoder().encode(word));
  const idsOf = (text: string): number[] => {
    const ids: number[] = [];
    for (let rest = text; rest !== '';) {
      const id = WORDS.findIndex((word) => rest.startsWith(word));
      if (id < 0) throw new Error(`no token for "${rest}"`);
      ids.push(id);
      rest = rest.slice(WORDS[id]!.length);
    }
    return ids;
  };
  const rules: SearchRules = {
    prompt: [idOf('<prompt>')],
    end: idOf('<end>'),
    noSpeech: -1,
    unspoken: [],
    neverFirst: [],
    special: bytes.length,
    most: 224,
    frameSeconds: 0.02,
    bytes,
    frames: 1,
  };

  /** The probability of a token after the text before it, and whether a prompt named terms. */
  type Chance = (text: string, token: string, named: boolean) => number;

  /** A decoder with given probabilities, and the texts that it was asked to continue. */
  function decoderOf(chance: Chance, texts = 5) {
    const asked: string[][] = [];
    const textOf = (tokens: readonly number[]) =>
      tokens
        .slice(tokens.indexOf(idOf('<prompt>')) + 1)
        .map((id) => WORDS[id])
        .join('');
    /** All chances add up to one: what the words leave is that of the prompt's token. */
    const logitsAfter = (tokens: readonly number[]) => {
      const named = tokens[0] === idOf('<named>');
      const each = WORDS.map((word) => chance(textOf(tokens), word, named));
      const others = each.slice(0, -1).reduce((sum, one) => sum + one, 0);
      return Float32Array.from([...each.slice(0, -1), 1 - others], Math.log);
    };
    let kept: number[] = [];
    let current: number[][] = [[]];
    const decoder: RewindingDecoder = {
      texts,
      begin: () => (current = [[]]),
      take: () => Promise.reject(new Error('not needed')),
      async takeAll(tokens) {
        current = [[...tokens]];
        return tokens.map((_, at) => logitsAfter(tokens.slice(0, at + 1)));
      },
      keep: () => (kept = current[0]!),
      goBack: (length) => (current = [kept.slice(0, length)]),
      async takeEach(tokens, after) {
        current = tokens.map((token, at) => [...current[after[at]!]!, token]);
        asked.push(current.map(textOf));
        return current.map((text) => {
          const logits = logitsAfter(text);
          return { logits, firstLogits: logits, attention: [] };
        });
      },
    };
    return { decoder, asked };
  }

  /** Everything has a chance of 1 in a million, except for what is listed: text before, token, chance, and if named. */
  const chances =
    (...listed: [text: string, token: string, chance: number, named?: number][]): Chance =>
    (text, token, isNamed) => {
      const [, , plain = 1e-6, named = plain] =
        listed.find(([before, next]) => before === text && next === token) ?? [];
      return isNamed ? named : plain;
    };

  const heard = { tokens: idsOf(' we use the plot now.') };
  /** Weighs terms against a text, and notes which terms the prompt of the second weighing names. */
  const weigh = (
    decoder: RewindingDecoder,
    said: { tokens: number[] },
    names: readonly string[],
    named: string[][] = [],
    says: Record<string, string> = {},
  ) =>
    weighTerms(decoder, said, {
      rules,
      terms: tokensOfTerms(names, idsOf, says),
      promptOf(list) {
        named.push([...list]);
        return [idOf('<named>'), ...rules.prompt];
      },
    });
  const SURE: [string, string, number][] = [
    ['', ' we', 0.9],
    [' we', ' use', 0.9],
    [' we use the plot', ' now', 0.8],
    [' we use the plot now', '.', 0.9],
    [' we use the plot now.', '<end>', 0.9],
  ];

  describe('weighing', () => {
    test('a term is compared with the words it would replace, including the following tokens, with and without a prompt', async () => {
      const { decoder } = decoderOf(
        chances(
          ...SURE,
          [' we use', ' the', 0.3, 0.2],
          [' we use the', ' plot', 0.2],
          [' we use', ' Cla', 0.1, 0.6],
          [' we use Cla', 'ude', 0.5, 0.9],
          [' we use Claude', ' now', 0.4],
          [' we use Claude now', '.', 0.9],
        ),
      );
      const named: string[][] = [];
      const found = await weigh(decoder, heard, ['Claude', 'Drata'], named);
      expect(named).toEqual([['Claude']]);
      const [best] = found.toSorted((a, b) => b.named! - a.named!);
      expect(best).toMatchObject({ term: 'Claude', first: 2, end: 4, heard: 'the plot' });
      const after = 0.8 * 0.9;
      expect(best!.margin).toBeCloseTo(Math.log((0.1 * 0.5 * 0.4 * 0.9) / (0.3 * 0.2 * after)), 4);
      expect(best!.named).toBeCloseTo(Math.log((0.6 * 0.9 * 0.4 * 0.9) / (0.2 * 0.2 * after)), 4);
      expect(best!.confidence).toBeCloseTo(Math.sqrt(0.3 * 0.2), 4);
    });

    test('a term is also compared in its pronunciation, and the prompt contains both', async () => {
      const { decoder } = decoderOf(
        chances(
          ...SURE,
          [' we use', ' the', 0.3, 0.2],
          [' we use the', ' plot', 0.2],
          [' we use the', ' plat', 0.1, 0.5],
          [' we use the plat', ' now', 0.6],
          [' we use the plat now', '.', 0.9],
        ),
      );
      const named: string[][] = [];
      const found = await weigh(decoder, heard, ['Claude'], named, { Claude: 'plat' });
      expect(named).toEqual([['plat']]);
      const best = found.find(({ heard: words }) => words === 'plot')!;
      expect(best).toMatchObject({ term: 'Claude', saying: 'plat', tokens: idsOf(' Claude') });
      expect(best.margin).toBeCloseTo(Math.log((0.1 * 0.6) / (0.2 * 0.8)), 4);
      expect(best.named).toBeCloseTo(Math.log((0.5 * 0.6) / (0.2 * 0.8)), 4);
    });

    test('words that equal the pronunciation of a term are left to the correction', async () => {
      const { decoder } = decoderOf(() => 0.06);
      const found = await weigh(decoder, { tokens: idsOf(' we plat.') }, ['Claude'], [], {
        Claude: 'plat',
      });
      const weighed = found.map(({ heard: words, saying }) => [words, saying ?? 'as written']);
      expect(weighed).toContainEqual(['we', 'plat']);
      expect(weighed).toContainEqual(['plat', 'as written']);
      expect(weighed).not.toContainEqual(['plat', 'plat']);
    });

    test('a term whose beginning is too improbable costs no step of the decoder', async () => {
      const sure = chances(...SURE, [' we use', ' the', 0.9], [' we use the', ' plot', 0.9]);
      const { decoder, asked } = decoderOf(sure);
      expect(await weigh(decoder, heard, ['Claude', 'Drata'])).toEqual([]);
      expect(asked).toEqual([]);
    });

    test('a term that becomes too improbable is given up, and the texts share their beginning', async () => {
      const { decoder, asked } = decoderOf(
        chances(
          ...SURE,
          [' we use', ' the', 0.3],
          [' we use the', ' plot', 0.2],
          [' we use', ' Cla', 0.1],
          [' we use Cla', 'ude', 1e-8],
        ),
      );
      expect(await weigh(decoder, heard, ['Claude'])).toEqual([]);
      expect(asked.flat().filter((text) => text === ' we use Cla')).toHaveLength(1);
      expect(asked.flat().some((text) => text.startsWith(' we use Claude'))).toBe(false);
    });

    test('doubtful words that sound like a term are weighed against it, however improbable its beginning', async () => {
      const clear = (confidence: number) =>
        chances(
          [' we use', ' plot', confidence],
          [' we use plot', ' now', 0.8],
          [' we use plot now', '<end>', 0.8],
          [' we use', ' Plat', 2e-5, 0.3],
          [' we use Plat', ' now', 0.9],
          [' we use Plat now', '<end>', 0.8],
        );
      const spoken = { tokens: idsOf(' we use plot now') };
      const found = async (confidence: number) =>
        (await weigh(decoderOf(clear(confidence)).decoder, spoken, ['Plat'])).map(
          ({ term, heard: words }) => [words, term],
        );
      expect(await found(0.5)).toEqual([['plot', 'Plat']]);
      expect(await found(0.9)).toEqual([]);
    });

    test('no more texts are followed at once than the decoder can take', async () => {
      const { decoder, asked } = decoderOf(() => 0.06, 2);
      await weigh(decoder, heard, ['Claude', 'Drata', 'code']);
      expect(asked.length).toBeGreaterThan(0);
      for (const texts of asked) expect(texts.length).toBeLessThanOrEqual(2);
    });

    test('words that are the term already, and words across the end of a phrase, are left alone', async () => {
      const { decoder } = decoderOf(() => 0.06);
      const tokens = idsOf(' we code. Claude now. the plot');
      const said = await weigh(decoder, { tokens }, ['Claude']);
      const places = said.map(({ heard: words }) => words);
      expect(places).toEqual(expect.arrayContaining(['code', 'now', 'the plot']));
      for (const words of places) expect(words).not.toMatch(/Claude|\.|code |now /);
    });

    test('a term that was recognised, in upper or lower case, takes no word before or after it', async () => {
      const { decoder } = decoderOf(() => 0.06);
      const spoken = { tokens: idsOf(' we code now') };
      const places = (await weigh(decoder, spoken, ['Code'])).map(({ heard: words }) => words);
      expect(places).toContain('code');
      expect(places.filter((words) => words !== 'code' && words.includes('code'))).toEqual([]);
    });

    test('words that are another term are left alone', async () => {
      const { decoder } = decoderOf(() => 0.06);
      const spoken = { tokens: idsOf(' we code now') };
      const placesOf = async (...names: string[]) =>
        (await weigh(decoder, spoken, names)).flatMap(({ term, heard: words }) =>
          term === 'Claude' ? [words] : [],
        );
      expect(await placesOf('Claude')).toContain('code');
      expect(await placesOf('Claude', 'Code')).not.toContain('code');
    });

    test('nothing is weighed without words or terms, nor for terms that do not fit in a prompt', async () => {
      const { decoder } = decoderOf(() => 0.06);
      expect(await weigh(decoder, heard, [])).toEqual([]);
      expect(await weigh(decoder, { tokens: [] }, ['Claude'])).toEqual([]);
      const weighing = { rules, terms: tokensOfTerms(['Claude'], idsOf), promptOf: () => [] };
      expect(await weighTerms(decoder, heard, weighing)).toEqual([]);
    });
  });
});

describe('the choice among weighed terms, and the text written in place of the words', () => {
  const bytes = [' we', ' use', ' the', ' plot', ' now', ' Cla', 'ude'].map((word) =>
    new TextEncoder().encode(word),
  );

  const weighed = (of: Partial<Weighed>): Weighed => ({
    term: 'Claude',
    tokens: [5, 6],
    first: 2,
    end: 4,
    margin: -2,
    named: 1,
    heard: 'the plot',
    similarity: 0.5,
    confidence: 0.4,
    near: false,
    ...of,
  });

  test('a pronunciation needs more evidence than the term, and replaces ordinary words only beside other terms', () => {
    const said = (named: number, company: number, heard = 'bigsy', saying = 'pixie') =>
      isTermSpoken(weighed({ saying, named, margin: 0, heard }), company);
    expect(said(1, 1)).toBe(true);
    expect(said(0.9, 1)).toBe(false);
    expect(isTermSpoken(weighed({ named: 0.9, margin: 0, heard: 'bigsy' }), 1)).toBe(true);
    expect(said(3, 2, 'zzag', 'rag')).toBe(true);
    expect(said(2.9, 2, 'zzag', 'rag')).toBe(false);
    expect(said(3, 1, 'the plot')).toBe(true);
    expect(said(2.9, 1, 'the plot')).toBe(false);
    expect(said(50, 0, 'the plot')).toBe(false);
    expect(said(5, 0)).toBe(true);
    expect(said(4.9, 0)).toBe(false);
  });

  describe('choosing', () => {
    test.each([
      ['more probable once it is named', {}, true],
      ['less probable even then', { named: -1.5 }, false],
      ['less probable, but nearly the same sound', { named: -1.5, similarity: 0.9 }, true],
      ['more probable, but quite another sound', { similarity: 0.1 }, false],
      ['far more probable, though quite another sound', { named: 4, similarity: 0.1 }, true],
      ['probable only because it is named', { margin: -9 }, false],
      ['ordinary words that were heard well', { confidence: 0.9 }, false],
      [
        'ordinary words that were heard well, and far more probable',
        { confidence: 0.9, named: 4 },
        true,
      ],
      ['strange words that were heard well', { confidence: 0.9, heard: 'clawd' }, true],
      ['a short term', { term: 'ARR' }, true],
      ['the same letters, far behind', { heard: 'claude', named: 9, margin: -1.1 }, false],
      ['the same letters, near', { heard: 'claude', margin: -0.9 }, true],
      [
        'the same words',
        { term: 'Claude Code', heard: 'claude code', similarity: 1, margin: -4 },
        true,
      ],
    ])('%s', (_, of, said) => {
      expect(isTermSpoken(weighed(of), 2)).toBe(said);
    });

    test('a term that sounds quite unlike the words was not spoken, however probable', () => {
      expect(isTermSpoken(weighed({ named: 50, similarity: 0.1 }), 2)).toBe(true);
      expect(isTermSpoken(weighed({ named: 50, similarity: 0.09 }), 2)).toBe(false);
      expect(isTermSpoken(weighed({ named: 50, similarity: 0.4 }), 0)).toBe(true);
      expect(isTermSpoken(weighed({ named: 50, similarity: 0.39 }), 0)).toBe(false);
    });

    test.each<[string, Partial<Weighed>, company: number]>([
      ['the same letters, by the margin', { heard: 'claude', margin: -1 }, 0],
      ['alone', { heard: 'zlot', named: 5 }, 0],
      ['alone and short', { term: 'ARRR', heard: 'zlot', named: 8 }, 0],
      ['beside one, and short', { term: 'ARRR', heard: 'zlot', named: 4.5 }, 1],
      ['of five letters beside one', { term: 'Azure', heard: 'zlot', named: -1 }, 1],
      ['beside one', { heard: 'zlot', named: -1 }, 1],
      ['beside three', { heard: 'zlot', named: -2 }, 3],
      ['beside three, ordinary words', { confidence: 0.5, named: -1 }, 3],
      ['ordinary words heard well', { confidence: 0.8, named: 1.5 }, 1],
      ['ordinary words heard less well', { confidence: 0.79, named: -1 }, 1],
      ['strange words heard well', { heard: 'zlot', confidence: 0.8, named: -1 }, 1],
      ['near a word that belongs to it', { heard: 'zlot', near: true, named: -5 }, 1],
      ['more alike', { heard: 'zlot', similarity: 0.75, named: -2.5 }, 1],
      ['more probable unnamed', { heard: 'zlot', margin: 4, named: -2 }, 1],
    ])('a term was said from a bound on: %s', (_, of, company) => {
      const exact = weighed({ margin: 0, ...of });
      expect(isTermSpoken(exact, company)).toBe(true);
      const bounded = exact.heard.toLowerCase() === exact.term.toLowerCase() ? 'margin' : 'named';
      expect(isTermSpoken({ ...exact, [bounded]: exact[bounded]! - 0.01 }, company)).toBe(false);
    });

    test('without a prompt, terms may be less probable than after one', () => {
      const unnamed = (margin: number, heard: string, company = 0) =>
        isTermSpoken(weighed({ named: null, margin, heard }), company);
      expect(unnamed(-6, 'zlot')).toBe(true);
      expect(unnamed(-6.1, 'zlot')).toBe(false);
      expect(unnamed(-9, 'zlot', 1)).toBe(true);
      expect(unnamed(-9.1, 'zlot', 1)).toBe(false);
      // In another case, unless it is an ordinary word.
      const inCase = (margin: number, term: string, heard: string) =>
        isTermSpoken(weighed({ named: null, margin, term, heard, similarity: 1 }), 0);
      expect(inCase(-9, 'Audit Logs', 'audit logs')).toBe(true);
      expect(inCase(-9, 'Miniflare', 'miniflare')).toBe(true);
      expect(inCase(-9.1, 'Miniflare', 'miniflare')).toBe(false);
      expect(inCase(-1.1, 'Cursor', 'cursor')).toBe(false);
    });

    test('a near word counts as evidence, and so does the company of many terms', () => {
      const said = (named: number, company: number, of: Partial<Weighed> = {}) =>
        isTermSpoken(weighed({ named, margin: 0, heard: 'zlot', ...of }), company);
      expect(said(-1.1, 2)).toBe(false);
      expect(said(-1.1, 2, { near: true })).toBe(true);
      expect(said(-4.9, 2, { near: true })).toBe(true);
      expect(said(-5.1, 2, { near: true })).toBe(false);
      expect(said(-1.9, 3)).toBe(true);
      expect(said(-2.1, 3)).toBe(false);
      expect(said(0, 3, { saying: 'clawed' })).toBe(true);
      expect(said(-0.1, 3, { saying: 'clawed' })).toBe(false);
      const doubted = { heard: 'the plot', confidence: 0.49 };
      expect(said(-1.9, 3, doubted)).toBe(true);
      expect(said(-1.9, 3, { ...doubted, confidence: 0.5 })).toBe(false);
      expect(said(-4.9, 3, { ...doubted, confidence: 0.5, near: true })).toBe(true);
      expect(said(2, 3, { ...doubted, saying: 'clawed' })).toBe(true);
      expect(said(1.9, 3, { ...doubted, saying: 'clawed' })).toBe(false);
    });

    test('without another term in the window more evidence is needed, above all for short terms', () => {
      expect(isTermSpoken(weighed({ named: 5 }), 0)).toBe(false);
      expect(isTermSpoken(weighed({ named: 6 }), 0)).toBe(true);
      expect(isTermSpoken(weighed({ term: 'ARR', named: 6 }), 0)).toBe(false);
      expect(isTermSpoken(weighed({ term: 'ARR', named: 9 }), 0)).toBe(true);
    });

    test('terms with much evidence support other terms', () => {
      const strong = weighed({ first: 0, end: 1, named: 6 });
      const other = weighed({ first: 1, end: 2, named: 3 });
      const weak = weighed({ term: 'ARR', named: 1.5 });
      expect(saidTerms([weak], 0)).toEqual([]);
      expect(saidTerms([weak, strong], 0)).toEqual([strong]);
      expect(saidTerms([weak, strong], 1)).toEqual([strong, weak]);
      expect(saidTerms([other, weak, strong], 0)).toEqual([strong, other, weak]);
    });

    test.each([
      ['We use Claude.', 1],
      ['We use “Claude Code”, often', 1],
      ['Claude and Claude Code', 2],
      ['We use claude', 0],
      ['We use Claudes', 0],
      ['We take REST', 0],
    ])('the number of terms in “%s” is %i', (text, count) => {
      const words = text.split(' ').map((word) => ({ text: word }));
      expect(countTerms(words, ['Claude', 'Claude Code', 'REST'])).toBe(count);
    });

    test('among terms that overlap, similarity counts as well as the margin', () => {
      const whole = weighed({ term: 'Claude Code', first: 3, end: 5, named: 1, similarity: 0.9 });
      const part = weighed({ first: 3, end: 5, named: 2, similarity: 0.58 });
      const other = weighed({ first: 0, end: 1 });
      expect(saidTerms([part, whole, other], 1)).toEqual([other, whole]);
    });

    test('a term is written in place of the tokens, within their time', () => {
      const tokens = [0, 1, 2, 3, 4].map((id, at) => ({
        bytes: bytes[id]!,
        start: at,
        logProbability: -at,
      }));
      const out = withTerms(tokens, [weighed({})], bytes);
      const text = out.map((token) => new TextDecoder().decode(token.bytes));
      expect(text.join('')).toBe(' we use Claude now');
      expect(out.map(({ start }) => start)).toEqual([0, 1, 2, 3, 4]);
      expect(out.map(({ logProbability }) => logProbability)).toEqual([-0, -1, -2.5, -2.5, -4]);
      expect(withTerms(tokens, [], bytes)).toEqual(tokens);
    });
  });

  describe('terms spoken letter by letter', () => {
    test.each([
      ['B2B', 'bee two bee'],
      ['MCP server', 'em see pee server'],
      ['SOC 2', 'ess oh see two'],
      ['Claude', null],
      ['AuthKit', null],
      ['ISO 27001', 'eye ess oh two seven zero zero one'],
    ])('%s: %p', (term, spoken) => {
      expect(inLetters(term)).toBe(spoken);
    });

    test('words that sound like the letters are like the term', () => {
      const phraseOf = spokenPhrases();
      const similarity = (words: string, term: string, least?: number) =>
        similarityToTerm(phraseOf(words), phraseOf(term), least);
      expect(similarity('em see pea', 'MCP')).toBeGreaterThan(0.8);
      expect(similarity('the LG', 'PLG')).toBeGreaterThan(0.7);
      expect(similarity('clawed', 'Claude')).toBeGreaterThan(0.5);
      expect(similarity('banana', 'MCP')).toBeLessThan(0.4);
      expect(similarity('clawed', 'Claude', 0.99)).toBe(0);
    });
  });
});

describe('the texts with a term in place of recognised words that are weighed at all', () => {
  /** The texts for words, each of one token, and for terms whose first token has this logit, as a word has 0. */
  function textsFor(
    heard: string,
    terms: readonly string[],
    options: { logit?: number; chance?: number; says?: Record<string, string> } = {},
  ): string[] {
    const { logit = -20, chance = 1, says = {} } = options;
    const words = heard
      .split(' ')
      .map((text, first) => ({ first, end: first + 1, text, ends: false }));
    const term = words.length;
    const plain: Reading = {
      prompt: [],
      tokens: words.map((_, token) => token),
      logProbabilities: words.map(() => Math.log(chance)),
      before: () => Float32Array.from([...words.map(() => Math.log(chance)), logit]),
    };
    const known = tokensOfTerms(terms, () => [term], says);
    const spans = spansOf(words, plain, new Set(known.filter(isWritten).map(({ key }) => key)));
    return textsToWeigh(spans, plain, known, { probable: 20, alike: 20 }).map((text) => {
      const replaced = words.slice(text.first, text.end).map((word) => word.text);
      return `${replaced.join(' ')}: ${text.term.text}`;
    });
  }

  describe('a probable term', () => {
    test('has a first token that is at most a factor of e^9 less likely', () => {
      expect(textsFor('we', ['Drata'], { logit: -9 })).toEqual(['we: Drata']);
      expect(textsFor('we', ['Drata'], { logit: -9.01 })).toEqual([]);
    });

    test('replaces up to two words more than it has', () => {
      const longest = (term: string) =>
        Math.max(
          ...textsFor('we use the plot code', [term], { logit: -1 }).map(
            (text) => text.split(':')[0]!.split(' ').length,
          ),
        );
      expect([longest('Drata'), longest('Drata One')]).toEqual([3, 4]);
    });

    test('is not weighed in its pronunciation against words that are the pronunciation', () => {
      const options = { logit: -1, says: { Claude: 'plat' } };
      expect(textsFor('Plat', ['Claude'], options)).toContain('Plat: Claude');
      expect(textsFor('Plat', ['Claude'], options)).not.toContain('Plat: plat');
      // Nor if the pronunciation is another term.
      expect(textsFor('PLAT', ['Claude', 'Plat'], options)).not.toContain('PLAT: plat');
      expect(textsFor('Plot', ['Claude'], options)).toContain('Plot: plat');
    });
  });

  describe('a term that sounds like the words', () => {
    test.each([
      // Similarities of 0.58, 0.58, 0.53, 0.88 and 0.63; a term of four letters needs 0.7.
      ['klot', 'Claude', true],
      ['tablet', 'Cable', true],
      ['tabel', 'Cable', false],
      ['clot', 'Clod', true],
      ['lime', 'Time', false],
    ])('%s, for %s: %p', (heard, term, weighed) => {
      expect(textsFor(heard, [term], { chance: 0.5 })).toEqual(
        weighed ? [`${heard}: ${term}`] : [],
      );
    });

    test('replaces words with a confidence below three quarters', () => {
      expect(textsFor('clot', ['Clod'], { chance: 0.74 })).toEqual(['clot: Clod']);
      expect(textsFor('clot', ['Clod'], { chance: 0.76 })).toEqual([]);
    });

    test('replaces up to four words', () => {
      const found = (heard: string, term: string) =>
        textsFor(heard, [term], { chance: 0.5 }).includes(`${heard}: ${term}`);
      expect(found('mo del con text', 'Model Context')).toBe(true);
      expect(found('mo del con text protocol', 'Model Context Protocol')).toBe(false);
    });

    test('is one of the three most similar ones at its place', () => {
      const found = textsFor('cables', ['Stable', 'Table', 'Gable', 'Cable'], { chance: 0.5 });
      expect(found.toSorted()).toEqual(['cables: Cable', 'cables: Gable', 'cables: Table']);
    });
  });
});

describe('finding the key terms for which words of a window may be misheard', () => {
  test('similar-sounding terms are found, the most similar first', () => {
    const words = ['We', 'looked', 'at', 'Varsal,', 'and', 'land', 'chain', 'of', 'Model'];
    expect(termsFinder()(words, ['Kubernetes', 'LangChain', 'Vercel', 'Zod'])).toEqual([
      'LangChain',
      'Vercel',
    ]);
  });

  test('a term that was recognised as written is omitted', () => {
    expect(termsFinder()(['with', 'LangChain.'], ['LangChain'])).toEqual([]);
    expect(termsFinder()([], ['LangChain'])).toEqual([]);
  });

  test.each([
    { heard: 'base', term: 'Supabase', similarity: 0.5, isFound: true },
    { heard: 'superb', term: 'Supabase', similarity: 0.44, isFound: false },
    { heard: 'swelt', term: 'Svelte', similarity: 0.71, isFound: true },
    { heard: 'dean', term: 'Deno', similarity: 0.75, isFound: true },
    { heard: 'node', term: 'Nodes', similarity: 0.73, isFound: false },
  ])(
    'half as similar is enough, but not for a term of at most five letters: $heard for $term',
    ({ heard, term, similarity, isFound }) => {
      expect(similarityOf(heard, term)).toBeCloseTo(similarity, 2);
      expect(termsFinder()([heard], [term])).toEqual(isFound ? [term] : []);
    },
  );

  test('a term may have been heard as two words more than it has, but not as more', () => {
    const web = 'Amazon Web Services';
    const heard = ['super', 'base', 'tear', 'a', 'form'];
    expect(termsFinder()(heard, ['Supabase', 'Terraform', web])).toEqual(['Terraform', 'Supabase']);
    expect(similarityOf('k a f k a', 'Kafka')).toBeCloseTo(0.8, 2);
    expect(termsFinder()(['k', 'a', 'f', 'k', 'a'], ['Kafka', web])).toEqual([]);
  });

  /** Words that share letters and sounds, so that many are nearly alike. */
  const word = fc.stringMatching(/^[a-eklnrstvAKLZü4 ]{1,9}$/);

  test('pairs ruled out early are below the required similarity', () => {
    const formOf = spokenForms();
    fc.assert(
      fc.property(word, word, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, least) => {
        const similarity = similarityOf(a, b);
        expect(similarityAtLeast(least, formOf(a), formOf(b))).toBe(
          similarity < least ? 0 : similarity,
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('caches from previous windows do not change the result', () => {
    const window = fc.record({ words: fc.array(word), terms: fc.array(word, { maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(window, { minLength: 2, maxLength: 4 }), (windows) => {
        const find = termsFinder();
        for (const { words, terms } of windows)
          expect(find(words, terms)).toEqual(termsFinder()(words, terms));
      }),
    );
  });
});

describe('near words of a term as evidence that it was spoken', () => {
  /** Words of two tokens each. */
  const wordsOf = (text: string): RecognisedWord[] =>
    text
      .split(' ')
      .map((word, at) => ({ first: 2 * at, end: 2 * at + 2, text: word, ends: false }));

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

  test.each([
    ['is missing', 'a table in our two', 3, 4],
    ['belongs to another term', 'a database in our two', 3, 4],
    ['is among the words in place of which it is weighed', 'use our bucket here', 1, 2],
    ['is the last of them', 'use our bucket', 1, 2],
  ])('is not near if the word %s', (_, text, from, to) => {
    expect(isNear(text, from, to)).toBe(false);
  });

  test('a word counts up to twelve words away', () => {
    const far = (count: number): string => `bucket ${'so '.repeat(count)}our`;
    expect(isNear(far(11), 12)).toBe(true);
    expect(isNear(far(12), 13)).toBe(false);
  });

  test('hyphenated words before the place count as their parts', () => {
    expect(isNear('bucket a-b-c-d so so so so so so so our', 9)).toBe(true);
    expect(isNear('bucket a-b-c-d-e-f so so so so so so so our', 9)).toBe(false);
  });

  test('a term without near words, and a place without words, have none near', () => {
    const near = nearTerms(wordsOf('a bucket here'), {});
    expect(near({ term: 'R2', first: 0, end: 2 })).toBe(false);
    expect(isNear('a bucket here', 9)).toBe(false);
  });
});

describe('terms that are spoken letter by letter, with the names of letters and digits', () => {
  test.each([
    ['ABC', 'ay bee see'],
    ['DEF', 'dee ee eff'],
    ['GHI', 'jee aych eye'],
    ['JKL', 'jay kay ell'],
    ['MNO', 'em en oh'],
    ['PQR', 'pee cue ar'],
    ['STU', 'ess tee you'],
    ['VWX', 'vee double you ex'],
    ['YZ', 'why zee'],
    ['01234', 'zero one two three four'],
    ['56789', 'five six seven eight nine'],
  ])('%s is spoken as “%s”', (term, spoken) => {
    expect(inLetters(term)).toBe(spoken);
  });

  test.each([
    ['Plan B', null],
    ['Route 2', 'Route two'],
    ['ABCDE', 'ay bee see dee ee'],
    ['ABCDEF', null],
    ['ABCDEF 2', 'ABCDEF two'],
    ['AuthKit', null],
    ['APIs', 'ay pee Is'],
    ['a  MCP', 'a em see pee'],
    ['ÄÖ', 'Ä Ö'],
  ])(
    '%s is spoken as %j: only short parts of several capitals or with digits are spelled',
    (term, spoken) => {
      expect(inLetters(term)).toBe(spoken);
    },
  );
});

describe('pronunciations of terms that differ from their spelling', () => {
  test('a term is pronounced as its pack lists it, in lower case and with capitals', () => {
    expect(pronunciationsOf('PKCE', 'pixie')).toEqual(['pixie', 'Pixie']);
    expect(pronunciationsOf('RAG', 'rack')).toEqual(['rack', 'Rack']);
    expect(pronunciationsOf('OneLogin', 'won')).toEqual(['won', 'Won']);
    // The spelling of the term itself is not listed again.
    expect(pronunciationsOf('redshift', 'redshift')).toEqual(['Redshift']);
    expect(pronunciationsOf('stdin', 'standard in')).toEqual(['standard in', 'Standard In']);
  });

  test('capitals join words', () => {
    expect(pronunciationsOf('OneLogin')).toEqual(['one login', 'One Login']);
    expect(pronunciationsOf('WorkOS Pipes')).toEqual(['work os pipes', 'Work Os Pipes']);
  });

  test('an acronym with a vowel between consonants may be a word', () => {
    expect(pronunciationsOf('RAG')).toEqual(['rag', 'Rag']);
    expect(pronunciationsOf('SSO')).toEqual([]);
    expect(pronunciationsOf('MFA')).toEqual([]);
  });

  test('a term of ordinary letters is pronounced as it is spelled', () => {
    expect(pronunciationsOf('Drata')).toEqual([]);
    expect(pronunciationsOf('embeddings')).toEqual([]);
  });
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

  test('the pair with the lowest number is joined first', () => {
    const tokens = createTokenizer(vocabulary);
    // "th" comes before " t", so " the" is " " + "the" and then one token.
    expect(tokens('the the Kit')).toEqual([259, 261, 264]);
  });

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

describe('boosting key terms in the search for a text', () => {
  /** Tokens: 1 “ Cloud”, 2 “flare”, 3 “ Workers”, 4 “ SSO”. */
  const TERMS: Record<string, number[]> = {
    ' Cloudflare': [1, 2],
    ' Cloudflare Workers': [1, 2, 3],
    ' SSO': [4],
  };
  const boost = boostOf(['Cloudflare', 'Cloudflare Workers', 'SSO'], (text) => TERMS[text] ?? []);
  const boosted = (said: number[]) => [...boost(said)].toSorted(([a], [b]) => a - b);

  test('the first tokens of all terms get a small boost', () => {
    expect(boosted([])).toEqual([
      [1, 1],
      [4, 1],
    ]);
    expect(boosted([7, 2])).toEqual(boosted([]));
  });

  test('a token gets a larger boost once all previous tokens of its term are there', () => {
    expect(boosted([7, 1])).toEqual([
      [1, 1],
      [2, 3],
      [4, 1],
    ]);
    expect(boosted([1, 2])).toEqual([
      [1, 1],
      [3, 3],
      [4, 1],
    ]);
    expect(boosted([1, 7, 2])).toEqual(boosted([]));
  });

  test('impossible tokens stay impossible', () => {
    const rules = { end: 5, special: 6, unspoken: [4], neverFirst: [0], boost };
    const logits = steered(Float32Array.of(0, 0, 0, 0, 0, 0, 9), rules, [7]);
    expect([...logits]).toEqual([0, 1, 0, 0, -Infinity, 0, -Infinity]);
  });
});
