/** The second look of Whisper, after it was told key terms: what it may add, and that its failure costs nothing. */
import { expect, test } from 'bun:test';
import type {
  Session,
  Tensor,
  TensorMaker,
} from '../../../../server/speech/host/whisper/decoder.ts';
import { WHISPER_LANGUAGES, marksOf } from '../../../../server/speech/host/whisper/tokens.ts';
import { createWhisper } from '../../../../server/speech/host/whisper/whisper.ts';

const VOCABULARY = 51_864;
const marks = marksOf(VOCABULARY)!;
/** Single bytes, of which the terms are made, and then whole words. */
const WORDS = [' We', ' use', ' Varsal', ' Vercel', ' now'];
const BYTES = 256;
const tokens = [
  ...Array.from({ length: BYTES }, (_, byte) => `${btoa(String.fromCharCode(byte))} ${byte}`),
  ...WORDS.map((word, at) => `${btoa(word)} ${BYTES + at}`),
].join('\n');
const ids = (text: string): number[] =>
  text.split(' ').map((word) => BYTES + WORDS.indexOf(` ${word}`));

const tensors: TensorMaker = {
  floats: (data, dims) => ({ data, dims }),
  integers: (data, dims) => ({ data, dims }),
};

const encoder: Session = {
  inputNames: [],
  outputNames: [],
  async run() {
    const keys = { data: new Float32Array(1), dims: [1, 1, 1, 1] };
    return { n_layer_cross_k: keys, n_layer_cross_v: keys };
  },
};

/** The texts that a decoder was asked to continue, and what it says once it has been told terms. */
interface Script {
  told: () => number[];
  asked: number[][];
}

/** A decoder whose cache holds the tokens of each text; it says “We use Varsal now” until it is told terms. */
const decoder = ({ told, asked }: Script): Session => ({
  inputNames: [],
  outputNames: ['cross_attention_weights'],
  async run(inputs, outputs) {
    const read = inputs['in_n_layer_self_k_cache']!;
    const write = outputs!['out_n_layer_self_k_cache']!;
    const given = inputs['tokens']!;
    const [texts = 0, count = 0] = given.dims;
    const offset = Number((inputs['offset']!.data as number[])[0]);
    const context = read.dims[2]!;
    const logits = new Float32Array(texts * count * VOCABULARY);
    for (let text = 0; text < texts; text += 1) {
      const place = text * context;
      const before = (read.data as Float32Array).subarray(place, place + offset);
      const all = [...before, ...(given.data as number[]).slice(text * count, (text + 1) * count)];
      (write.data as Float32Array).set(all, place);
      asked.push(all);
      const said = all.slice(all.indexOf(marks.noTimes) + 1);
      const script = all.includes(marks.previous) ? told() : ids('We use Varsal now');
      const next = script[said.length] ?? marks.end;
      logits[((text + 1) * count - 1) * VOCABULARY + next] = 20;
    }
    const attention = {
      data: new Float32Array(texts * count * 1500),
      dims: [texts, 1, count, 1500],
    };
    return {
      logits: { data: logits, dims: [texts, count, VOCABULARY] },
      cross_attention_weights: attention,
    } satisfies Record<string, Tensor>;
  },
});

/** Two seconds that are loud enough to be heard. */
const samples = Float32Array.from({ length: 32_000 }, (_, at) => Math.sin(at / 9) / 3);

async function hear(told: () => number[], terms: readonly string[] = ['Vercel', 'Kubernetes']) {
  const script: Script = { told, asked: [] };
  const whisper = createWhisper({
    encoder,
    prepare: async (encoded) => encoded,
    decoder: decoder(script),
    tokens,
    tensors,
  });
  const heard = await whisper.hear(samples, WHISPER_LANGUAGES[0]!, terms);
  const textOf = (words: readonly { text: string }[] | undefined) =>
    words?.map(({ text }) => text).join(' ');
  return { ...heard, text: textOf(heard.words), second: textOf(heard.told), asked: script.asked };
}

test('the terms that something sounds like are told, and what is then heard comes beside the plain words', async () => {
  const heard = await hear(() => ids('We use Vercel now'));
  expect(heard).toMatchObject({ text: 'We use Varsal now', second: 'We use Vercel now' });
  expect(heard.toldFailed).toBeUndefined();
  const prompt = heard.asked.find((all) => all.includes(marks.previous))!;
  const said = String.fromCharCode(...prompt.filter((id) => id < BYTES));
  expect(said).toContain('Vercel');
  expect(said).not.toContain('Kubernetes');
  // One time for each word, though the prompt was longer.
  expect(heard.told).toHaveLength(4);
});

test('if the second look fails, the plain words are kept, and the failure is reported', async () => {
  const heard = await hear(() => {
    throw new Error('no memory left');
  });
  expect(heard).toMatchObject({ text: 'We use Varsal now', dropped: 0, toldFailed: true });
  expect(heard.told).toBeUndefined();
  expect(heard.words).toEqual((await hear(() => [])).words);
});

test('a second look that only repeats itself is no failure, and adds nothing', async () => {
  const heard = await hear(() => Array.from({ length: 200 }, () => ids('Vercel')[0]!));
  expect(heard).toMatchObject({ text: 'We use Varsal now' });
  expect([heard.told, heard.toldFailed]).toEqual([undefined, undefined]);
});

test('without a term that sounds like the words there is no second look', async () => {
  for (const terms of [[], ['Kubernetes'], ['Varsal']]) {
    const heard = await hear(() => ids('We use Vercel now'), terms);
    expect(heard).toMatchObject({ text: 'We use Varsal now' });
    expect(heard.asked.some((all) => all.includes(marks.previous))).toBe(false);
  }
});
