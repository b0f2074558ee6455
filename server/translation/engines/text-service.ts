/** Translates with services that get texts and return texts, such as DeepL: in batches, and one by one where an answer has too few or too many. */
import { maybe, Type, validator } from '../../contract/schema.ts';
import { callJson, type RemoteCall, type ServiceDescription } from '../../remote/call.ts';
import { unexpectedAnswer } from '../../remote/call-failure.ts';
import type { RemoteService } from '../../remote/service-settings.ts';
import type { Waiting } from '../../base/concurrency.ts';
import { asHtml, fromHtml, isMarked } from './html.ts';
import type { Answer, Question, Translator } from './translator.ts';

/** Texts to translate. */
export interface Texts {
  /** BCP 47; null if the service should find out. */
  from: string | null;
  to: string;
  texts: readonly string[];
  /** Whether they are HTML. */
  isHtml: boolean;
  formality?: Question['formality'];
  /** What surrounds them, or is known about them; not translated. */
  context: string;
}

/** A service that translates texts. */
export interface TextService extends ServiceDescription {
  /** Whether a server of one's own needs no key, so that its address is enough. */
  isKeyOptional?: true;
  /** Whether the key may be the path of a file with a key as JSON, which is then the key. */
  takesKeyFile?: true;
  /** The most texts in a request. */
  most: number;
  /** The request for a translation. `call` is for one that has to be made before, such as for a token. */
  request(
    texts: Texts,
    access: RemoteService,
    call: (request: ServiceRequest) => Promise<unknown>,
  ): ServiceRequest | Promise<ServiceRequest>;
  /** The translations in an answer; null if it has none. */
  read(answer: unknown): (string | null)[] | null;
  readRefusal?: RemoteCall['readRefusal'];
}

/** What is sent to a service. */
export interface ServiceRequest {
  url: string;
  headers?: Record<string, string>;
  /** JSON, or a form. */
  body: object;
}

/** The time for an answer, in milliseconds. */
const TIMEOUT_MS = 60_000;
/** The longest context, in characters. */
const MAX_CONTEXT = 1000;

/** A text in an answer; anything else is no translation. */
const AnswerText = maybe(Type.String());

/**
 * Reads a list of texts under a key of the entries of a list.
 * @example
 * textsUnder('text')([{ text: 'Hallo' }, {}]); // => ['Hallo', null]
 */
export const textsUnder =
  (key: string) =>
  (value: unknown): (string | null)[] | null => {
    const schema = validator(Type.Array(Type.Object({ [key]: AnswerText })));
    return schema.check(value)
      ? value.map((entry) => (entry as Record<string, string | null | undefined>)[key] ?? null)
      : null;
  };

/** The translator of a service. A sentence that was refused is not translated again, because the answer would be the same. */
export function textTranslator(
  service: TextService,
  access: RemoteService,
  waiting?: Waiting,
): Translator {
  const { name: provider, model } = service;
  return {
    provider,
    model,
    limits: { sentences: service.most, firstTimeoutMs: TIMEOUT_MS },
    async translate(question, { signal, timeoutMs = TIMEOUT_MS }) {
      const usage = { calls: 0, tokens: 0, cached: 0 };
      const fresh = question.tasks.filter(({ problem }) => problem === undefined);
      const call = ({ url, headers, body }: ServiceRequest): Promise<unknown> =>
        callJson({
          provider,
          model,
          url,
          headers: {
            'content-type':
              body instanceof URLSearchParams
                ? 'application/x-www-form-urlencoded'
                : 'application/json',
            ...headers,
          },
          body: () => (body instanceof URLSearchParams ? String(body) : JSON.stringify(body)),
          timeoutMs,
          ...(service.readRefusal && { readRefusal: service.readRefusal }),
          waiting,
          signal,
        });
      const ask = async (tasks: typeof fresh): Promise<Answer[]> => {
        const isHtml = tasks.some(({ text }) => isMarked(text));
        const { from, to, formality, topic, before, after } = question;
        const request = await service.request(
          {
            from,
            to,
            texts: tasks.map(({ text }) => (isHtml ? asHtml(text) : text)),
            isHtml,
            ...(formality && { formality }),
            context: [topic ?? '', ...before, ...after].join('\n').trim().slice(-MAX_CONTEXT),
          },
          access,
          call,
        );
        usage.calls += 1;
        const answer = await call(request);
        const texts = service.read(answer);
        if (texts === null) throw unexpectedAnswer({ provider, model });
        // Without one for each, nobody knows which is whose.
        if (texts.length !== tasks.length) return [];
        return tasks.flatMap(({ id, text: source }, at) => {
          const text = texts[at];
          if (typeof text !== 'string' || text === '') return [];
          // Some services write entities into plain text too.
          const isPlain = !isHtml && /&(?:#\d+|[a-z]+);/i.test(source);
          return [{ id, source, text: isPlain ? text : fromHtml(text) }];
        });
      };
      if (fresh.length === 0) return { answers: [], usage };
      const answers = await ask(fresh);
      if (answers.length > 0 || fresh.length === 1) return { answers, usage };
      for (const task of fresh) answers.push(...(await ask([task])));
      return { answers, usage };
    },
  };
}
