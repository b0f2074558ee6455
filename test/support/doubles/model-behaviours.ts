/**
 * How language models on OpenAI-compatible servers answer questions about translations: what Ollama, llama.cpp, LM
 * Studio, vLLM and hosted services do, by their documents of November 2026 and by what models of 1 to 120 billion
 * parameters write.
 */
import type { Any } from '../servers/client.ts';
import { completion } from './chat-double.ts';
import { dictionaryOf } from './translators.ts';

/** A question, as a model reads it. */
interface AskedOf {
  sentences: { id: string; text: string; maxCharacters?: number; problem?: string }[];
  to: string;
  /** The number of earlier requests. */
  at: number;
  body: Any;
}

interface Item {
  id: string;
  source: string;
  text: string;
}

/** The reaction to a question: the text of an answer, or a response. */
export type ModelBehaviour = (asked: AskedOf) => string | Response;

/** The items of a good answer. */
function goodItems({ sentences, to }: Pick<AskedOf, 'sentences' | 'to'>): Item[] {
  const translate = dictionaryOf(to);
  return sentences.map(({ id, text }) => ({ id, source: text, text: translate(text) }));
}

const isPlain = ({ body }: AskedOf): boolean =>
  String(body.messages[0].content).includes('one line for each');
const json = (items: readonly object[], spaces?: number): string =>
  JSON.stringify({ translations: items }, null, spaces);

/** An answer to a question for JSON, or good lines. */
const formed =
  (write: (items: Item[], asked: AskedOf) => string | Response): ModelBehaviour =>
  (asked) => {
    const items = goodItems(asked);
    if (isPlain(asked)) return items.map(({ id, text }) => `${id}. ${text}`).join('\n');
    return write(items, asked);
  };
const each = (change: (item: Item, at: number) => object): ModelBehaviour =>
  formed((items) => json(items.map(change)));
const texts = (change: (item: Item, at: number) => string): ModelBehaviour =>
  each((item, at) => ({ ...item, text: change(item, at) }));
const refusal = (status: number, message: string, more: object = {}, headers = {}): Response =>
  Response.json(
    { error: { message, type: 'invalid_request_error', ...more } },
    { status, headers },
  );
const good = formed((items) => json(items));
const first =
  (count: number, odd: ModelBehaviour): ModelBehaviour =>
  (asked) =>
    asked.at < count ? odd(asked) : good(asked);
const formOf = ({ body }: AskedOf): string => body.response_format?.type ?? 'none';

/** Text in server-sent events, as a server streams it. */
const streamed = (text: string): Response => {
  const parts = text.match(/[\s\S]{1,40}/g) ?? [];
  const event = (choice: object) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
  const events = parts.map((content) => event({ delta: { content }, finish_reason: null }));
  const body = `${events.join('')}${event({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

const merged = (items: readonly Item[], at: number): Item => ({
  ...items[at]!,
  text: `${items[at]!.text} ${items[at + 1]!.text}`,
});
const html = (status: number): Response =>
  new Response('<!doctype html><title>Bad gateway</title><p>nginx</p>', {
    status,
    headers: { 'content-type': 'text/html' },
  });

/** Faults of form alone: every sentence is translated all the same. */
export const FAULTS_OF_FORM: Readonly<Record<string, ModelBehaviour>> = {
  good,
  think: formed((items) => `<think>\nWell, {"translations": []}?\n</think>\n\n${json(items)}`),
  reasoning_content: formed((items) => {
    const answer = completion(json(items));
    answer.choices[0].message.reasoning_content = 'First I read the sentences.';
    return Response.json(answer);
  }),
  fence: formed((items) => `\`\`\`json\n${json(items, 2)}\n\`\`\``),
  'fence-prose': formed(
    (items) => `Sure! Here are [all] of them:\n\n\`\`\`json\n${json(items, 2)}\n\`\`\`\n\nEnjoy!`,
  ),
  'numeric-ids': each(({ id, ...item }) => ({ id: Number(id), ...item })),
  'bare-array': formed((items) => JSON.stringify(items)),
  'by-id': formed((items) =>
    JSON.stringify(Object.fromEntries(items.map(({ id, text }) => [id, text]))),
  ),
  'translation-key': each(({ text, ...item }) => ({ ...item, translation: text })),
  'extra-key': each((item) => ({ ...item, note: 'informal' })),
  'no-source': each(({ id, text }) => ({ id, text })),
  'source-in-target': each(({ id, text }) => ({ id, source: text, text })),
  'raw-newline-json': formed((items) => json(items).replaceAll(/"text":"(\S+) /g, '"text":"$1\n')),
  'newlines-real': texts(({ text }) => text.replace(' ', '\n')),
  newlines: texts(({ text }) => text.replace(' ', '\\n')),
  'curly-source': each(({ id, source, text }) => ({
    id,
    source: source.replaceAll("'", '’'),
    text: `“${text}”`,
  })),
  'trailing-comma': formed((items) =>
    json(items, 1).replaceAll(/"\n/g, '",\n').replaceAll(/\}\n/g, '},\n'),
  ),
  stream: formed((items) => streamed(json(items))),
  'content-parts': formed((items) => {
    const answer = completion(null);
    answer.choices[0].message.content = [{ type: 'text', text: json(items) }];
    return Response.json(answer);
  }),
  'no-schema': (asked) =>
    formOf(asked) === 'json_schema'
      ? refusal(
          400,
          "'response_format.type' must be 'json_object' or 'text'; json_schema is not supported",
        )
      : good(asked),
  'no-strict': (asked) =>
    asked.body.response_format?.json_schema?.strict === undefined
      ? good(asked)
      : refusal(422, 'Unknown field: strict'),
  // Others, of the same kind.
  'no-format': (asked) => (formOf(asked) === 'none' ? good(asked) : refusal(400, 'Bad request')),
  'thinking-unopened': formed((items) => `Let me see: {"id": 1}.\n</thinking>\n${json(items)}`),
  channels: formed(
    (items) =>
      `<|channel|>analysis<|message|>Ids: [1, 2].<|end|><|start|>assistant<|channel|>final<|message|>${json(items)}<|return|>`,
  ),
  'string-json': formed((items) => JSON.stringify(json(items))),
  'nested-string': formed((items) => JSON.stringify({ result: json(items) })),
  lines: (asked) =>
    goodItems(asked)
      .map(({ id, text }) => `${id}. ${text}`)
      .join('\n'),
  'bold-lines': formed((items) => items.map(({ id, text }) => `**${id}.** ${text}`).join('\n\n')),
  'arrow-lines': formed((items) =>
    items.map(({ id, source, text }) => `${id}. ${source} → ${text}`).join('\n'),
  ),
  'from-zero': formed((items) => JSON.stringify({ ...items.map(({ text }) => text) })),
  'id-prefix': each(({ id, text }) => ({ id: `sentence_${id}`, text })),
  bom: formed((items) => `\uFEFF${json(items)}`),
  'smart-quotes': formed((items) => json(items).replaceAll(/"([^"]*)"/g, '“$1”')),
  'single-quotes': formed((items) => json(items).replaceAll('"', "'")),
  ndjson: formed((items) => items.map((item) => JSON.stringify(item)).join('\n')),
  tool: formed((items) => {
    const answer = completion(null);
    answer.choices[0].message.tool_calls = [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'translations', arguments: json(items) },
      },
    ];
    return Response.json(answer);
  }),
  table: formed(
    (items) =>
      `| id | source | translation |\n| --- | --- | --- |\n${items.map(({ id, source, text }) => `| ${id} | ${source} | ${text} |`).join('\n')}`,
  ),
  tags: formed((items) => items.map(({ id, text }) => `<s id="${id}">${text}</s>`).join('\n')),
  reversed: formed((items) => json(items.toReversed())),
  yaml: formed((items) =>
    items
      .map(({ id, source, text }) => `- id: ${id}\n  source: ${source}\n  text: ${text}`)
      .join('\n'),
  ),
  strings: formed((items) => JSON.stringify(items.map(({ text }) => text))),
};

/** Faults that cost further questions, after which every sentence is translated. */
export const FAULTS_MENDED: Readonly<Record<string, ModelBehaviour>> = {
  'drops-last': first(
    1,
    formed((items) => json(items.slice(0, -1))),
  ),
  'drops-last-always': formed((items) => json(items.slice(0, items.length > 1 ? -1 : 1))),
  merges: first(
    1,
    formed((items) => json([merged(items, 0), ...items.slice(2)])),
  ),
  'merges-shift': formed((items) => {
    if (items.length < 3) return json(items);
    const moved = items.map((item, at) => ({ ...item, text: items[at + 1]?.text ?? '' }));
    return json([items[0]!, merged(items, 1), ...moved.slice(2, -1)]);
  }),
  swaps: first(
    1,
    formed((items) => {
      const [a, b, ...rest] = items as [Item, Item, ...Item[]];
      return json([{ ...a, text: b.text }, { ...b, text: a.text }, ...rest]);
    }),
  ),
  'some-english': first(
    1,
    texts(({ source, text }, at) => (at % 5 === 0 ? source : text)),
  ),
  notes: texts(({ text }) => `${text} (Note: this is informal.)`),
  notes2: texts(({ text }) => `Übersetzung: ${text}`),
  truncated: first(
    1,
    formed((items) =>
      Response.json(completion(json(items).slice(0, json(items).length * 0.6), 'length')),
    ),
  ),
  'truncated-stop': first(
    1,
    formed((items) => json(items).slice(0, json(items).length * 0.6)),
  ),
  'truncated-always': formed((items) =>
    Response.json(completion(json(items).slice(0, json(items).length * 0.6), 'length')),
  ),
  'few-tokens': formed((items) => Response.json(completion(json(items).slice(0, 500), 'length'))),
  '429': (asked) =>
    asked.at === 0 ? refusal(429, 'Slow down', {}, { 'retry-after': '2' }) : good(asked),
  '500x2': (asked) => (asked.at < 2 ? refusal(500, 'Internal error') : good(asked)),
  'context-few': (asked) =>
    asked.sentences.length > 5
      ? refusal(400, 'the request exceeds the available context size, try increasing it', {
          type: 'exceed_context_size_error',
        })
      : good(asked),
  loading: (asked) =>
    asked.at < 2 ? refusal(503, 'Loading model', {}, { 'retry-after': '1' }) : good(asked),
};

/** What is not translated, or not well; the outcome says so. With the state, and words that the report must have. */
export const HONEST_ENDS: Readonly<Record<string, readonly [ModelBehaviour, string, RegExp?]>> = {
  english: [texts(({ source }) => source), 'failed', /none of the sentences/],
  cyrillic: [texts(() => 'Мы все здесь, чтобы вы это знали.'), 'failed', /none of the sentences/],
  'terms-translated': [texts(({ text }) => text.replace('GitHub', 'Drehkreuz')), 'completed'],
  'one-missing': [
    (asked) => json(goodItems(asked).filter(({ source }) => !source.includes('lanterns'))),
    'incomplete',
  ],
  '429-long': [
    () => refusal(429, 'Slow down', {}, { 'retry-after': '90' }),
    'failed',
    /overloaded/,
  ],
  html: [() => html(200), 'failed', /Bad gateway/],
  html502: [() => html(502), 'failed', /could not be reached/],
  empty: [() => '', 'failed', /none of the sentences/],
  refuses: [() => 'I cannot translate this.', 'failed', /“I cannot translate this\.”/],
  'no-model': [() => refusal(404, "model 'x' not found"), 'failed', /model 'x' not found/],
  context: [
    () => refusal(400, 'context length exceeded: 512 tokens'),
    'failed',
    /context length exceeded/,
  ],
  'echo-prompt': [
    ({ body }) => String(body.messages[1].content),
    'failed',
    /none of the sentences/,
  ],
  hang: [() => new Response(new ReadableStream({ start() {} })), 'failed', /took too long/],
};

/** What no check can tell: two sentences of one length, with the same numbers and names, have changed places. */
export const PERMITTED: Readonly<Record<string, ModelBehaviour>> = {
  'swaps-similar': first(
    1,
    formed((items) => {
      const unlike = (at: number): number =>
        Math.abs(items[at]!.source.length - items[at + 1]!.source.length);
      const [at] = items
        .slice(0, -1)
        .map((_, index) => index)
        .toSorted((a, b) => unlike(a) - unlike(b)) as [number];
      return json(
        items.map((item, index) => ({
          ...item,
          text: items[index === at ? at + 1 : index === at + 1 ? at : index]!.text,
        })),
      );
    }),
  ),
};
