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

/** A good answer in `content` that has something else beside it, or is elsewhere. */
const message = (change: (items: readonly Item[]) => object, finish = 'stop'): ModelBehaviour =>
  formed((items) => {
    const answer = completion(null, finish);
    Object.assign(answer.choices[0].message, change(items));
    return Response.json(answer);
  });
/** One line for each item, whatever the form that was asked for. */
const lines = (line: (item: Item) => string, between = '\n'): ModelBehaviour =>
  formed((items) => items.map(line).join(between));
const fence = (text: string): string => `\`\`\`json\n${text}\n\`\`\``;

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
  'no-system': (asked) =>
    asked.body.messages[0].role === 'system'
      ? refusal(400, 'System role not supported')
      : good(asked),
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
  // Where the answer is.
  'reasoning-only': message((items) => ({
    reasoning_content: `Draft {"a": 1}, then: ${json(items)}`,
  })),
  'function-call': message((items) => ({ function_call: { arguments: json(items) } })),
  'tool-each': message(
    (items) => ({
      tool_calls: items.map((item) => ({
        function: { name: 'one', arguments: JSON.stringify(item) },
      })),
    }),
    'tool_calls',
  ),
  'content-object': message((items) => ({ content: { translations: items } })),
  'content-strings': message((items) => ({ content: [json(items)] })),
  'second-choice': formed((items) => {
    const answer = completion(json(items));
    answer.choices.unshift({ index: 1, message: { content: '' }, finish_reason: 'stop' });
    answer.usage = { total_tokens: '100' };
    return Response.json(answer);
  }),
  'kept-alive': formed((items) => {
    const events = `: PROCESSING\n\n${JSON.stringify(items)}`;
    const body = events.replace(
      /\[.*/s,
      (text) => `event: message\ndata: ${JSON.stringify(completion(text))}\n\ndata: [DONE]`,
    );
    return new Response(body.replaceAll('\n', '\r\n'));
  }),
  'utf-16': formed(
    (items) => new Response(Buffer.from(JSON.stringify(completion(json(items))), 'utf16le')),
  ),
  'json-in-json': formed((items) => Response.json(JSON.stringify(completion(json(items))))),
  'thought-open': formed((items) => `<thinking>\nOne by one: {"id": 1}.\n\n${json(items)}`),
  'draft-then-final': formed(
    (items) =>
      `Draft:\n${fence(json(items.map((item) => ({ ...item, text: `Erst ${item.text}` }))))}\nFinal:\n${fence(json(items))}`,
  ),
  parts: formed(
    (items) => `${fence(json(items.slice(0, 5)))}\nAnd:\n${fence(json(items.slice(5)))}`,
  ),
  'next-turn': formed(
    (items) => `${json(items)}<|im_end|>\n<|im_start|>user\nThanks! {"translations":[]}`,
  ),
  // How it counts.
  'own-numbers': formed((items, { at }) =>
    json(items.map(({ text }, index) => ({ id: index + 1 + 100 * at, text }))),
  ),
  'wide-numbers': each(({ id, text }) => ({
    id: id.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    text,
  })),
  'numbers-in-words': formed((items) =>
    json(items.map(({ text }, at) => ({ id: 'abcdefghijklmnopqrstuvwxyz'[at], text }))),
  ),
  backwards: formed((items) =>
    json(items.map(({ text }, index) => ({ id: items.at(-1 - index)!.id, text }))),
  ),
  'twice-each': formed((items) => json(items.flatMap((item) => [item, item]))),
  'around-as-well': formed((items, { body }) => {
    const { before } = JSON.parse(body.messages[1].content);
    const all = [...before.map(dictionaryOf('de')), ...items.map(({ text }) => text)];
    return json(all.map((text, index) => ({ id: index + 1, text })));
  }),
  // Its form.
  columns: formed((items) =>
    JSON.stringify({
      sources: items.map(({ source }) => source),
      translations: items.map(({ text }) => text),
    }),
  ),
  'own-names': each(({ id, source, text }) => ({
    nummer: id,
    original: source,
    übersetzung: text,
  })),
  'list-of-lines': each(({ id, text }) => ({ id, text: text.split(/(?<=,) /) })),
  'by-language': each(({ id, text }) => ({ id, translations: { de: { text } } })),
  csv: lines(({ id, source, text }) => `${id},"${source}","${text}"`),
  srt: lines(({ id, text }) => `${id}\n00:00:01,000 --> 00:00:02,000\n${text}`, '\n\n'),
  'xml-attributes': formed(
    (items) =>
      `<all>${items.map(({ id, text }) => `<t id="${id}" text="${text}"/>`).join('')}</all>`,
  ),
  cdata: formed(
    (items) =>
      `<all>${items.map(({ id, text }) => `<t id="${id}"><![CDATA[${text}]]></t>`).join('')}</all>`,
  ),
  'line-below': lines(({ id, source, text }) => `${id}. ${source}\n   → ${text}`),
  pairs: lines(({ source, text }) => `${source} → ${text}`),
  'source-begun': each((item) => ({ ...item, source: `${item.source.slice(0, 20)}…` })),
  comments: formed(
    (items) =>
      `{ // all\n"translations": [\n${items.map((item) => `${JSON.stringify(item)} /* ok */`).join(',\n')}]}`,
  ),
  guillemets: formed((items) => json(items).replaceAll(/"([^"]*)"/g, '«$1»')),
  'labels-on-two-lines': lines(
    ({ id, source, text }) => `${id}. **English:** ${source}\n   **German:** ${text}`,
  ),
  divided: formed((items) =>
    json(
      items.flatMap((item) =>
        item.text.split(/(?<=,) /).map((text) => Object.assign({}, item, { text })),
      ),
    ),
  ),
  'divided-sentences': formed((items) =>
    json(
      items.flatMap(({ id, source, text }) => {
        const [first = '', ...rest] = source.split(/(?<=,) /);
        const [begin = '', ...end] = text.split(/(?<=,) /);
        const isWhole = rest.length === 0 || end.length === 0;
        if (isWhole) return [{ id, source, text }];
        return [
          { id, source: first, text: begin },
          { id, source: rest.join(' '), text: end.join(' ') },
        ];
      }),
    ),
  ),
  // What is around each text.
  entities: texts(
    ({ text }) => `&quot;${text.replaceAll('ß', '&szlig;').replaceAll('.', '&#46;')}&quot;`,
  ),
  escapes: texts(({ text }) => text.replaceAll('ß', '\\u00df')),
  mojibake: texts(({ text }) => Buffer.from(text).toString('latin1')),
  markdown: texts(({ text }) => `- **${text}**`),
  html: texts(({ text }) => `<p><b>${text.replace(' ', '<br>')}</b></p>`),
  braces: texts(({ text }) => `{{${text}}}`),
  brackets: texts(({ text }) => `[${text}]`),
  'end-token': texts(({ text }) => `${text}</s>`),
  'end-of-json': texts(({ text }) => `${text}"}`),
  emoji: texts(({ text }) => `${text} 😊`),
  'wide-marks': texts(({ text }) =>
    text.replace(/\.$/, '。').replace(/\?$/, '？').replaceAll(', ', '，'),
  ),
  'no-marks': texts(({ text }) => text.replace(/[.?]$/, '')),
  unseen: texts(({ text }) => `${text.replace(' ', '\u0000 \u200b')}\ufeff`.normalize('NFD')),
  numbered: texts(({ id, text }) => `[${id}] ${text}`),
  'source-before': texts(({ source, text }) => `${source} – ${text}`),
  'source-below': texts(({ source, text }) => `${text}\n${source}`),
  sentence: texts(({ text }) => `The German translation is: ${text}`),
  'own-label': texts(({ text }) => `Auf gut Deutsch: ${text}`),
  'remark-star': texts(({ text }) => `${text} *Note: informal*`),
  'wide-stops': texts(({ text }) => text.replace(/\.$/, '．').replaceAll(', ', '，')),
  'label-in-brackets': texts(({ text }) => `[DE] ${text}`),
  'source-in-brackets': texts(({ source, text }) => `${text} (${source})`),
  'remark-below': texts(({ text }) => `${text}\n\nHinweis: Das ist umgangssprachlich.`),
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
  'empty-once': first(1, () => Response.json(completion(''))),
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
  'error-200': first(1, () => Response.json({ error: { message: 'Upstream error', code: 502 } })),
  'stream-cut': first(
    1,
    formed((items) => {
      const half = JSON.stringify(completion(json(items).slice(0, json(items).length / 2)));
      return new Response(`data: ${half}\n\ndata: {"error": {"message": "CUDA error"}}\n\n`);
    }),
  ),
  filtered: first(
    1,
    formed((items) => Response.json(completion(json(items).slice(0, 1000), 'content_filter'))),
  ),
  'retry-date': first(1, () =>
    refusal(429, 'Slow down', {}, { 'retry-after': new Date(Date.now() + 2000).toUTCString() }),
  ),
  'other-script': first(
    1,
    texts(({ text }, at) => (at % 5 === 2 ? text.replace(/ \S+/, ' 房子') : text)),
  ),
  damaged: first(
    1,
    texts(({ text }, at) => (at % 4 === 1 ? text.replace('e', '\uFFFD') : text)),
  ),
  'breaks-off': first(
    1,
    texts(({ text }, at) => (at % 6 === 0 ? `${text.slice(0, text.length / 2)}…` : text)),
  ),
  capitals: first(
    1,
    texts(({ text }, at) => (at % 6 === 0 ? text.toUpperCase() : text)),
  ),
  'stands-in': first(
    1,
    texts(
      ({ text }, at) => ['N/A', '[TODO: translate]', '<translation>', text, text, text][at % 6]!,
    ),
  ),
  'two-versions': first(
    1,
    texts(({ text }, at) => (at % 5 === 1 ? `${text} / Oder auch so.` : text)),
  ),
  'one-refused': first(
    1,
    texts(({ text }, at) => (at === 3 ? 'Entschuldigung, das kann ich nicht übersetzen.' : text)),
  ),
  'said-twice': first(
    1,
    texts(({ text }, at) => (at % 5 === 2 ? `${text} ${text}` : text)),
  ),
  'loads-long': (asked) =>
    asked.at < 20 ? refusal(503, 'Loading model', { type: 'unavailable_error' }) : good(asked),
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
  'one-for-all': [texts(() => 'Das ist ein ganz normaler Satz.'), 'failed', /“Das ist ein ganz/],
  apologises: [
    texts(() => 'Es tut mir leid, das kann ich nicht übersetzen.'),
    'failed',
    /“Es tut mir leid/,
  ],
  filter: [() => Response.json(completion(null, 'content_filter')), 'failed', /content_filter/],
  'no-choices': [() => Response.json({ choices: [] }), 'failed', /cannot be read/],
  'no-memory': [
    () => Response.json({ error: 'model requires more system memory' }),
    'failed',
    /requires more system memory/,
  ],
  crashes: [
    () => refusal(500, 'llama runner process has terminated'),
    'failed',
    /runner process has terminated/,
  ],
  // A server that answers with what it has answered before.
  stale: [
    ((kept: Item[] = []): ModelBehaviour =>
      formed((items) => {
        if (kept.length === 0) kept.push(...items);
        return json(kept.map(({ id, text }) => ({ id, text })));
      }))(),
    'completed',
  ],
  'numbers-in-words': [
    texts(({ text }) => text.replace('17', 'siebzehn').replace('42', 'zweiundvierzig')),
    'completed',
  ],
  'half-left': [
    texts(({ source, text }) => {
      const words = source.split(' ');
      const half = words.length / 2;
      return words.length < 6
        ? text
        : [...text.split(' ').slice(0, half), ...words.slice(half)].join(' ');
    }),
    'completed',
  ],
  halves: [
    texts(({ text }) => {
      const words = text.split(' ');
      return words.slice(0, Math.ceil(words.length / 2)).join(' ');
    }),
    'completed',
  ],
  'letters-without-marks': [texts(({ text }) => text.replaceAll('ß', 'ss')), 'completed'],
  'letters-apart': [
    texts(({ text }) => (text.includes(' ') ? Array.from(text).join(' ') : text)),
    'completed',
  ],
  'asks-back': [
    formed((items) =>
      json(
        items.map((item, at) =>
          at < items.length - 1 ? item : { ...item, text: `${item.text} Soll ich weitermachen?` },
        ),
      ),
    ),
    'incomplete',
  ],
  'points-elsewhere': [texts(() => '(siehe oben)'), 'failed', /siehe oben/],
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
