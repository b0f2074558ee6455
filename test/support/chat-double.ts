/** A chat-completions service over real HTTP that answers as a test says, and can also misbehave. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Any } from './client.ts';

/** The question that an audit puts, read back from a request. */
export interface Asked {
  terms: { term: string; mishears?: string[]; note?: string }[];
  windows: {
    words: [number, string][];
    candidates: {
      id: string;
      startIndex: number;
      endIndex: number;
      original: string;
      term: string;
    }[];
  }[];
}

export interface ChatRequestSeen {
  body: Any;
  authorization: string | null;
  asked: Asked;
  /** How many requests came before. */
  at: number;
}

/** What the double does with a request: an answer's text, a whole HTTP answer, or one of its faults. */
export type Behaviour = (
  request: ChatRequestSeen,
) => string | Response | Misbehaviour | Promise<string | Response | Misbehaviour>;
export type Misbehaviour = { fault: 'hang' | 'reset' | 'cut' };

export interface ChatDouble {
  /** What a *_BASE_URL is set to. */
  url: string;
  requests: ChatRequestSeen[];
  behave(behaviour: Behaviour): void;
  /** Most requests that were under way at once. */
  peak(): number;
  close(): Promise<void>;
}

/** An answer of the wire around a model's text. */
export const completion = (content: string | null, finish_reason = 'stop'): Any => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'double',
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason }],
  usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
});

/** The verdict on a candidate as a model would write it. */
export const verdict = (
  candidate: Asked['windows'][number]['candidates'][number],
  given: Record<string, unknown> = {},
) => ({
  id: candidate.id,
  startIndex: candidate.startIndex,
  endIndex: candidate.endIndex,
  original: candidate.original,
  replacement: candidate.term,
  confidence: 0.95,
  category: 'technical_term',
  decision: 'apply',
  reason: 'It is the term.',
  ...given,
});

/** Answers every candidate alike. */
export const everyCandidate =
  (given: Record<string, unknown> = {}) =>
  ({ asked }: ChatRequestSeen): string =>
    JSON.stringify({
      edits: asked.windows.flatMap(({ candidates }) =>
        candidates.map((candidate) => verdict(candidate, given)),
      ),
    });

export async function startChatDouble(first: Behaviour = everyCandidate()): Promise<ChatDouble> {
  let behaviour = first;
  let underWay = 0;
  let peak = 0;
  const requests: ChatRequestSeen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url !== '/v1/chat/completions') {
        response.writeHead(404).end();
        return;
      }
      const body = (await json(request)) as Any;
      const question = body.messages.find((message: Any) => message.role === 'user').content;
      const seen: ChatRequestSeen = {
        body,
        authorization: request.headers.authorization ?? null,
        asked: JSON.parse(question) as Asked,
        at: requests.length,
      };
      requests.push(seen);
      underWay += 1;
      peak = Math.max(peak, underWay);
      response.on('close', () => (underWay -= 1));
      await answer(response, await behaviour(seen));
    })();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    behave: (next) => void (behaviour = next),
    peak: () => peak,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(response: ServerResponse, made: string | Response | Misbehaviour) {
  if (made instanceof Response) {
    response.writeHead(made.status, Object.fromEntries(made.headers));
    response.end(await made.text());
    return;
  }
  if (typeof made !== 'string' && made.fault === 'hang') return;
  const text = JSON.stringify(completion(typeof made === 'string' ? made : '{"edits":[]}'));
  response.writeHead(200, { 'content-type': 'application/json' });
  if (typeof made === 'string') {
    response.end(text);
  } else if (made.fault === 'cut') {
    response.end(text.slice(0, text.length / 2));
  } else {
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
}
