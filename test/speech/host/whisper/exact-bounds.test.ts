/** Values exactly at a bound of Whisper's rules, and the tokens that no text may have. */
import { describe, expect, test } from 'bun:test';
import type { Decoder } from '../../../../server/whisper/model/decoder.ts';
import { readTokens, unspokenTokens } from '../../../../server/whisper/model/tokens.ts';
import {
  addMissed,
  missedSpeech,
  soundWithin,
} from '../../../../server/whisper/search/missed-speech.ts';
import { placeWords } from '../../../../server/whisper/search/place-words.ts';
import {
  findText,
  isHallucination,
  mayBeRealRepetition,
  repeatsItself,
} from '../../../../server/whisper/search/search.ts';
import type { WindowResult } from '../../../../server/whisper/search/split-window.ts';
import { spokenWords } from '../../../../server/whisper/search/text.ts';
import { bytesOf, END, PROMPT, rules, text } from './letter-words.ts';
import { ids, scriptedWhisper } from './scripted-whisper.ts';

describe('a text', () => {
  test('that ends in a loop repeats itself, whatever came before', () => {
    const before = Array.from({ length: 90 }, (_, at) => at);
    const loop = (length: number) => [...before, ...Array.from({ length }, () => 95)];
    expect(repeatsItself(text(0, { tokens: loop(48) }), rules())).toBe(true);
    expect(repeatsItself(text(0, { tokens: loop(20) }), rules())).toBe(false);
  });

  test('with exactly -1 for each token is probable, and a word with exactly -1.2 no hallucination', () => {
    const twice = Array.from({ length: 60 }, (_, at) => at % 12);
    const said = text(0, { tokens: twice, logProbabilities: [...twice.map(() => -1), -1] });
    expect(mayBeRealRepetition(said, rules())).toBe(true);
    const word = (logProbability: number, noSpeech: number) =>
      isHallucination(
        text(0, { tokens: [3], logProbabilities: [logProbability, 0], noSpeech }),
        rules(),
      );
    expect([word(-1.2, 0), word(-0.8, 0.9), word(-0.9, 0.5)]).toEqual([false, false, false]);
  });

  test('is continued by the tokens that were chosen', async () => {
    const taken: number[][] = [];
    const decoder: Decoder = {
      texts: 1,
      takeEach: () => Promise.reject(new Error('one text at a time')),
      begin: () => void taken.splice(0),
      async take(tokens) {
        taken.push([...tokens]);
        const logits = new Float32Array(PROMPT + 1).fill(-30);
        logits[taken.length > 3 ? END : taken.length] = 0;
        return { logits, firstLogits: logits.slice(), attention: [new Float32Array(1)] };
      },
    };
    const { tokens, attention } = await findText(decoder, rules());
    expect([tokens, taken]).toEqual([
      [1, 2, 3],
      [[PROMPT], [1], [2], [3]],
    ]);
    expect(attention).toHaveLength(4);
  });
});

describe('a word', () => {
  const token = (own: string, at: number) => ({
    bytes: bytesOf(own),
    start: at,
    logProbability: -at,
  });

  test('after an opening mark has its own confidence, and the mark before it none', () => {
    const tokens = [' (', 'so', ')', ' he'].map(token);
    const [first, second] = spokenWords(tokens, 'en', 4);
    expect(first).toEqual({ text: '(so)', start: 1, end: 2, confidence: Math.exp(-1) });
    expect(second).toMatchObject({ text: 'he', start: 3 });
  });

  test('before several opening marks has none of them', () => {
    const words = spokenWords([' so', ' (', ' “', 'he'].map(token), 'en', 4);
    expect(words.map(({ text: own }) => own)).toEqual(['so', '( “he']);
  });

  test('that ends before a pause is not extended by the sound in the next word', () => {
    // Sound, a pause between the words, sound, a long pause within the second word, and sound.
    const loud = [
      [0, 100],
      [140, 180],
      [230, 330],
    ];
    const loudness = Float32Array.from({ length: 330 }, (_, at) =>
      Number(loud.some(([from = 0, to = 0]) => at >= from && at < to)),
    );
    const words = [
      { text: 'abcdefghij', start: 0, end: 1.4, confidence: 1 },
      { text: 'abcdefghij', start: 1.4, end: 3.3, confidence: 1 },
    ];
    const [first, second] = placeWords(words, loudness, 0);
    expect([first!.end, second!.start]).toEqual([1, 2.3]);
  });
});

describe('missed speech', () => {
  const RATE = 16_000;
  const word = (own: string, start: number, end: number, confidence = 1) => ({
    text: own,
    start,
    end,
    confidence,
  });
  const window = (more: Partial<WindowResult>): WindowResult => ({
    words: [word('one', 0, 1)],
    language: 'en',
    languageProbability: 1,
    dropped: 0,
    ...more,
  });
  const textOf = (words: readonly { text: string }[] = []) =>
    words.map(({ text: own }) => own).join(' ');

  test('with weighed words adds these to the weighed words of the window', () => {
    const heard = window({});
    const missed = window({
      words: [word('to', 0, 1)],
      weighed: [word('Two', 0, 1)],
      biased: [word('too', 0, 1)],
    });
    addMissed(heard, missed, { start: 3, end: 5 });
    expect([textOf(heard.words), textOf(heard.weighed), textOf(heard.biased)]).toEqual([
      'one to',
      'one Two',
      'one too',
    ]);
    expect(heard.weighed!.map(({ start, end }) => [start, end])).toEqual([
      [0, 1],
      [3, 4],
    ]);
  });

  test('is added from a mean confidence of 0.6 on, and where it only touches other words', () => {
    const added = (confidence: number, at = 1) => {
      const heard = window({ words: [word('one', 0, 1), word('four', 3, 4)] });
      const missed = window({ words: [word('two', 0, 2, confidence)] });
      addMissed(heard, missed, { start: at, end: at + 2 });
      return textOf(heard.words);
    };
    expect([added(0.6), added(0.59)]).toEqual(['one two four', 'one four']);
    expect([added(1, 0.9), added(1, 1.1)]).toEqual(['one four', 'one four']);
  });

  test('is looked for in stretches of 1.5 s with 0.4 s of sound', () => {
    const sound = (seconds: number) => {
      const samples = new Float32Array(4 * RATE);
      samples.fill(0.3, 0, RATE).fill(0.3, RATE, RATE + seconds * RATE);
      return missedSpeech([word('one', 0, 1), word('two', 2.5, 4)], samples).length;
    };
    expect([sound(0.4), sound(0.39)]).toEqual([1, 0]);
  });

  test('is as long as its stretch where sound and quiet cannot be distinguished', () => {
    const samples = new Float32Array(4 * RATE).fill(0.3);
    expect(soundWithin(samples, [{ start: 1.5, end: 2 }])).toEqual([0.5]);
  });

  test('is recognised again with the language and the terms of the window', async () => {
    const say = (biased: boolean, count: number) =>
      ids(count === 1 ? 'We use' : biased ? 'Varsal now' : 'Vercel now');
    const samples = Float32Array.from({ length: 6 * RATE }, (_, at) => Math.sin(at / 9) / 3);
    samples.fill(0, 2 * RATE, 2.2 * RATE);
    const whisper = scriptedWhisper({
      say,
      attend: (said, count) => said * (count === 1 ? 50 : 60),
    });
    const { words, biased } = await whisper.hear(samples, 'en', ['Varsal']);
    expect(textOf(words)).toContain('Vercel now');
    expect(textOf(biased)).toContain('Varsal now');
  });
});

describe('the tokens that are never spoken', () => {
  // openai-whisper's non_speech_tokens.
  const SYMBOLS = [
    ...Array.from('"#()*+/:;<=>@[\\]^_`{|}~「」『』'),
    ...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
    ...Array.from('♩♪♫♬♭♮♯'),
  ];
  const line = (bytes: Uint8Array, id: number) => `${btoa(String.fromCharCode(...bytes))} ${id}`;

  test('are all symbols, alone and after a space, and a dash and a quote after one', () => {
    const spoken = ['-', "'", 'a', ' a', '.', ' .', '<<<<', 'a(', ' - '];
    const unspoken = [...SYMBOLS.flatMap((symbol) => [symbol, ` ${symbol}`]), ' -', " '"];
    const all = [...spoken, ...unspoken].map(bytesOf);
    const tokens = readTokens(all.map(line).join('\n'));
    expect(unspokenTokens(tokens)).toEqual(unspoken.map((_, at) => spoken.length + at));
  });

  test('are also the beginnings of notes, which are tokens by themselves', () => {
    const beginning = bytesOf('♪').subarray(0, 2);
    const all = [
      bytesOf('a'),
      beginning,
      Uint8Array.of(0x20, ...beginning),
      bytesOf('♪').subarray(0, 1),
    ];
    expect(unspokenTokens(readTokens(all.map(line).join('\n')))).toEqual([1, 2]);
  });

  test('are read from lines with a text and a number', () => {
    const tokens = readTokens('YQ== 2\n\nYg==\n<unk>\n IGI= 0 \n');
    expect(tokens.map((bytes) => bytes && new TextDecoder().decode(bytes))).toEqual([
      ' b',
      undefined as never,
      'a',
    ]);
  });
});
