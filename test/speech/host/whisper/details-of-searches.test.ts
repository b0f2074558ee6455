/** Details of searches: long loops, the first token, the times of a second result, attention of several texts. */
import { expect, test } from 'bun:test';
import { makeNode, makeIntegers } from '../../../../server/whisper/graph/onnx-graph.ts';
import { withTwoPassLogits } from '../../../../server/whisper/graph/two-pass-logits.ts';
import { attentionRows } from '../../../../server/whisper/model/decoder.ts';
import { loops } from '../../../../server/whisper/search/found-text.ts';
import { ids, scriptedWhisper } from './scripted-whisper.ts';

const samples = Float32Array.from({ length: 2 * 16_000 }, (_, at) => Math.sin(at / 9) / 3);
const textOf = (words: readonly { text: string }[] = []) => words.map(({ text }) => text).join(' ');

test('a loop of any length is recognised', () => {
  for (const phrase of [1, 3, 8]) {
    for (const length of [48, 60, 200]) {
      expect(loops(Array.from({ length }, (_, at) => at % phrase))).toBe(true);
    }
  }
});

test('a text does not begin with a single space, which may come later', async () => {
  const space = 32;
  const whisper = scriptedWhisper({
    say: () => [space, ...ids('use now')],
    // The first word is nearly as likely.
    doubt: (said) => (said.length === 0 ? [[ids('We')[0]!, 19]] : []),
  });
  expect(textOf((await whisper.hear(samples.subarray(0, 16_000), 'en')).words)).toBe('We use now');
});

test('the words of a second result have the times of their own tokens', async () => {
  const whisper = scriptedWhisper({
    say: (biased) => ids(biased ? 'We use Vercel now' : 'We use Varsal now'),
    attend: (said) => said * 20,
  });
  const { words, biased } = await whisper.hear(samples, 'en', ['Vercel']);
  expect(textOf(biased)).toBe('We use Vercel now');
  // They are not placed by sound, but begin near those of the first.
  for (const [at, { start, end }] of biased!.entries()) {
    expect(Math.abs(start - words[at]!.start)).toBeLessThan(0.3);
    expect(end).toBeGreaterThan(start);
  }
  expect(biased!.map(({ start }) => Math.round(start * 10) / 10)).toEqual([0, 0.4, 0.8, 1.2]);
});

test('the attention of a text is that of all its heads for each of its tokens, of the frames with sound', () => {
  const [texts, heads, tokens, length] = [2, 3, 2, 5];
  // Each value tells its text, head, token and frame by its digits.
  const data = Float32Array.from({ length: texts * heads * tokens * length }, (_, at) => {
    const [frame, token] = [at % length, Math.floor(at / length) % tokens];
    const head = Math.floor(at / length / tokens) % heads;
    return Math.floor(at / length / tokens / heads) * 1000 + head * 100 + token * 10 + frame;
  });
  const rows = attentionRows({ data, dims: [texts, heads, tokens, length] }, 1, 2);
  expect(rows.map((row) => [...row])).toEqual([
    [1000, 1001, 1100, 1101, 1200, 1201],
    [1010, 1011, 1110, 1111, 1210, 1211],
  ]);
});

test('the logits of 128 tokens are exact, or of all if there are fewer', () => {
  const model = {
    nodes: [
      makeNode('Transpose', ['states'], 'columns'),
      makeNode('MatMul', ['embedding', 'columns'], 'product'),
      makeNode('Transpose', ['product'], 'logits'),
    ],
    tensors: [],
    inputs: [],
    outputs: [],
    inGraph: [],
    others: [],
  };
  for (const [tokens, exact] of [
    [127, 127],
    [128, 128],
    [129, 128],
    [51_865, 128],
  ] as const) {
    const changed = withTwoPassLogits(model, {
      tokens,
      width: 1,
      values: new Int8Array(tokens),
      scales: new Float32Array(tokens),
    });
    expect(changed.tensors).toContainEqual(makeIntegers('exact_count', [exact]));
  }
});
