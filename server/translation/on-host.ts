/** Translates on this host with the models of Firefox, which need no key. They get sentences and nothing else. */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StageFailure } from '../contract/failure.ts';
import { reasonOf } from '../base/log.ts';
import { ensureModel } from '../models/models.ts';
import { MODELS, primarySubtag } from '../models/registry.ts';
import { TRANSLATION_ENGINE } from '../models/translation-models.ts';
import type { EngineAnswer, EngineQuestion } from './bergamot-thread.ts';
import { asHtml, fromHtml, isMarked } from './engines/html.ts';
import type { Answer, Translator } from './engines/translator.ts';

/** The program has the same extension as this file, since the package for Node contains JavaScript. */
const PROGRAM = new URL(`./bergamot-thread${extname(import.meta.url)}`, import.meta.url);
/** The time for the engine and its models to load, and that for an answer, in milliseconds: slow machines need minutes. */
const PATIENCE = { load: 120_000, answer: 300_000 };
/** A thread without work for so long ends, which frees its memory. */
const IDLE_MS = 60_000;

/** Translates on this host. */
interface HostTranslator extends Translator {
  /** Ends its thread. */
  close(): void;
}

/** Where the models are. */
interface ModelsLocation {
  modelsDir: string;
  /** The only host for models; null for those that have them. */
  modelsBaseUrl: string | null;
}

/** What to do where this host cannot translate. */
export const CONFIGURE_MODEL = {
  label: 'Configure a language model',
  description:
    'Set OPENAI_API_KEY or GROQ_API_KEY, an account of Workers AI, or EDGE_LLM_URL with a model of your own.',
};

/**
 * The models that translate from one language into another: one, or two by way of English.
 * @param from BCP 47; null if it is unknown
 * @throws {StageFailure} `language_unsupported`
 * @example
 * modelsBetween('de-AT', 'fr'); // => ['firefox-de-en', 'firefox-en-fr']
 */
export function modelsBetween(from: string | null, to: string): string[] {
  const unsupported = (message: string) =>
    new StageFailure({
      code: 'language_unsupported',
      message,
      retryable: false,
      provider: 'edge',
      suggestions: [CONFIGURE_MODEL],
    });
  if (from === null) {
    throw unsupported(
      'The language of the captions is unknown, and the models of this host have to know it.',
    );
  }
  const [source, target] = [modelTag(from), modelTag(to)];
  const names =
    source === 'en' || target === 'en'
      ? [`firefox-${source}-${target}`]
      : [`firefox-${source}-en`, `firefox-en-${target}`];
  if (names.every((name) => MODELS.some((model) => model.name === name))) return names;
  throw unsupported(
    `The models of this host translate between en and ${fromEnglish().join(', ')}, not from ${from} into ${to}.`,
  );
}

/** The languages into which there is a model from English, as the names of models have them. */
const fromEnglish = (): string[] =>
  MODELS.flatMap(({ name }) => /^firefox-en-(.+)/.exec(name)?.[1] ?? []);

/** The directions in which the models of this host translate, as primary tags: `de>en`. */
export function hostDirections(): string[] {
  const both = fromEnglish().filter((tag) =>
    MODELS.some(({ name }) => name === `firefox-${tag}-en`),
  );
  const languages = [...new Set(['en', ...both.map(primarySubtag)])];
  return languages.flatMap((from) =>
    languages.flatMap((to) => (from === to ? [] : `${from}>${to}`)),
  );
}

/** A language as the names of models have it. Chinese is told apart by its script. */
function modelTag(language: string): string {
  const primary = primarySubtag(language);
  if (primary !== 'zh') return primary;
  return /-(hant|tw|hk|mo)\b/i.test(language) ? 'zh-hant' : 'zh-hans';
}

/**
 * Creates the translator. Models are downloaded when they are first needed, and one thread translates. A sentence that
 * was refused is not translated again, because the answer would be the same.
 */
export function createHostTranslator(
  { modelsDir, modelsBaseUrl }: ModelsLocation,
  patience: typeof PATIENCE = PATIENCE,
): HostTranslator {
  const engine = createEngine(patience);
  const ready = (name: string, signal: AbortSignal) =>
    ensureModel(modelsDir, name, { baseUrl: modelsBaseUrl, signal, skipSilent: 'minute' });

  /** The files of the models between two languages, with those of the engine. */
  const prepared = async (from: string | null, to: string, signal: AbortSignal) => {
    const models: EngineQuestion['models'][number][] = [];
    for (const name of modelsBetween(from, to)) {
      const model = await ready(name, signal);
      if (model.kind !== 'translation') throw new Error(`${name} is not a translation model`);
      models.push(model.files);
    }
    const program = await ready(TRANSLATION_ENGINE, signal);
    if (program.kind !== 'translation_engine') throw new Error('the engine has no program');
    return { engine: program.files, models };
  };

  return {
    provider: 'edge',
    model: TRANSLATION_ENGINE,
    isHere: true,
    async translate({ from, to, tasks }, { signal }) {
      const fresh = tasks.filter(({ problem }) => problem === undefined);
      const usage = { calls: 0, tokens: 0, cached: 0 };
      if (fresh.length === 0) return { answers: [], usage };
      const parts = await prepared(from, to, signal).catch((error: unknown) => {
        if (!(error instanceof StageFailure) || error.failure.code !== 'model_unavailable')
          throw error;
        throw error.withSuggestions([CONFIGURE_MODEL]);
      });
      const ask = async (asked: typeof fresh): Promise<Answer[]> => {
        usage.calls += 1;
        const texts = asked.map(({ text }) => questionOf(text));
        const answers = await engine.ask({ ...parts, texts }, signal);
        return asked.map(({ id, text }, at) => ({
          id,
          source: text,
          text: texts[at]!.html ? fromHtml(answers[at]!) : answers[at]!,
        }));
      };
      try {
        return { answers: await ask(fresh), usage };
      } catch (error) {
        if (!(error instanceof EngineLost)) throw error;
        if (error.isLoading) throw unusable(error);
      }
      // One of them has broken the engine: that one gets no answer, and the others do.
      const answers: Answer[] = [];
      for (const task of fresh) {
        try {
          answers.push(...(await ask([task])));
        } catch (error) {
          if (!(error instanceof EngineLost)) throw error;
        }
      }
      if (answers.length === 0) throw unusable('it does not translate a single sentence');
      return { answers, usage };
    },
    close: engine.close,
  };
}

const unusable = (reason: unknown): StageFailure =>
  new StageFailure(
    {
      code: 'model_unavailable',
      message: `The translation engine of this host cannot be used: ${reasonOf(reason)}.`,
      retryable: false,
      provider: 'edge',
      model: TRANSLATION_ENGINE,
      suggestions: [CONFIGURE_MODEL],
    },
    { cause: reason },
  );

/** A sentence as the engine takes it. Only marks of italics are marks; everything else is text. */
const questionOf = (text: string): EngineQuestion['texts'][number] =>
  isMarked(text) ? { text: asHtml(text), html: true } : { text, html: false };

/** Thrown if the engine has ended, or does not answer; `isLoading` if it never began to translate. */
class EngineLost extends Error {
  override readonly name = 'EngineLost';
  readonly isLoading: boolean;

  constructor(reason: string, isLoading: boolean) {
    super(reason);
    this.isLoading = isLoading;
  }
}

/** The engine in a thread, which starts with the first question. */
function createEngine(patience: typeof PATIENCE) {
  let thread: Worker | null = null;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let before: Promise<unknown> = Promise.resolve();
  /** The question in progress. */
  let waiting: { hear(answer: EngineAnswer): void; lose(reason: string): void } | null = null;

  const end = (): void => {
    clearTimeout(idle);
    void thread?.terminate();
    thread = null;
  };

  const start = (): Worker => {
    // None of the secrets of this process.
    const worker = new Worker(PROGRAM, { env: {} });
    const lose = (reason: string): void => {
      if (thread !== worker) return;
      end();
      waiting?.lose(reason);
    };
    worker.on('message', (answer: EngineAnswer) => {
      if (thread !== worker) return;
      if ('failed' in answer) lose(answer.failed);
      else waiting?.hear(answer);
    });
    worker.on('error', (error) => lose(reasonOf(error)));
    worker.on('exit', () => lose('it has ended'));
    return worker;
  };

  const answerOf = async (question: EngineQuestion, signal: AbortSignal): Promise<string[]> => {
    clearTimeout(idle);
    const worker = (thread ??= start());
    worker.ref();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = (): void => {};
    try {
      return await new Promise<string[]>((resolve, reject) => {
        let isLoading = true;
        const lose = (reason: string): void => reject(new EngineLost(reason, isLoading));
        const late = (): void => {
          end();
          lose('it does not answer');
        };
        waiting = {
          lose,
          hear(answer) {
            if ('texts' in answer) resolve(answer.texts);
            isLoading = false;
            clearTimeout(timer);
            timer = setTimeout(late, patience.answer);
          },
        };
        stop = () => {
          end();
          reject(signal.reason as Error);
        };
        timer = setTimeout(late, patience.load);
        signal.addEventListener('abort', stop, { once: true });
        worker.postMessage(question);
      });
    } finally {
      waiting = null;
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // An idle thread does not keep a program alive.
      worker.unref();
      idle = setTimeout(end, IDLE_MS);
      (idle as { unref?: () => void }).unref?.();
    }
  };

  return {
    /**
     * Asks for translations, one for each text. Questions are answered one after the other.
     * @throws {EngineLost} and the signal's reason
     */
    ask(question: EngineQuestion, signal: AbortSignal): Promise<string[]> {
      const answer = before.then(() => {
        signal.throwIfAborted();
        return answerOf(question, signal);
      });
      before = answer.catch(() => {});
      return answer;
    },
    close: end,
  };
}
