/**
 * A double of a chat-completions service over real HTTP, with answers chosen by the test and the
 * refusals of OpenAI and Groq; it can also misbehave.
 */
import { refusalOf } from './chat-refusals.ts';
import type { Any } from '../servers/client.ts';
import { startHttpDouble, type Misbehaviour } from './http-double.ts';

/** The question of an audit, parsed from a request. */
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
  /** The number of earlier requests. */
  at: number;
}

/**
 * The double's reaction to a request: an answer's text, a whole HTTP response, or one of its
 * faults.
 */
export type Behaviour = (
  request: ChatRequestSeen,
) => string | Response | Misbehaviour | Promise<string | Response | Misbehaviour>;

/** A response of the API with a model's text. */
export const completion = (content: string | null, finish_reason = 'stop'): Any => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'double',
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason }],
  usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 },
});

/** A verdict on a candidate, as a model would write it. */
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

/** Gives the same answer for every candidate. */
export const everyCandidate =
  (given: Record<string, unknown> = {}) =>
  ({ asked }: ChatRequestSeen): string =>
    JSON.stringify({
      edits: asked.windows.flatMap(({ candidates }) =>
        candidates.map((candidate) => verdict(candidate, given)),
      ),
    });

/** Starts the service; its `url` is the value for a *_BASE_URL. */
export async function startChatDouble(first: Behaviour = everyCandidate()) {
  let behaviour = first;
  const requests: ChatRequestSeen[] = [];
  const double = await startHttpDouble(async (request) => {
    if (request.url.pathname !== '/v1/chat/completions') return new Response(null, { status: 404 });
    const refusal = refusalOf(request);
    if (refusal) return refusal;
    const body = JSON.parse(request.body.toString());
    const said = body.messages.find((message: Any) => message.role === 'user').content;
    const seen: ChatRequestSeen = {
      body,
      authorization: request.header('authorization'),
      // Instructions may stand before it.
      asked: JSON.parse(said.slice(said.indexOf('{"'))) as Asked,
      at: requests.length,
    };
    requests.push(seen);
    const made = await behaviour(seen);
    if (typeof made === 'string') return Response.json(completion(made));
    if (made instanceof Response) return made;
    return { ...made, answer: Response.json(completion('{"edits":[]}')) };
  });
  return {
    ...double,
    url: `${double.origin}/v1`,
    requests,
    behave: (next: Behaviour) => void (behaviour = next),
  };
}
