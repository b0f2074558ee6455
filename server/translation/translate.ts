/**
 * Translates sentences in batches, proves every translation, and has those that fail the proof translated again. What
 * still fails is returned with its faults, so that nothing is lost or changed silently.
 */
import type { Profile } from '../captions/rules/profiles/profile.ts';
import { shownText } from '../captions/italics.ts';
import { columns, countWords, graphemes } from '../captions/width.ts';
import { StageFailure } from '../contract/failure.ts';
import { TRANSLATION_FAULTS } from '../contract/translations.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { AuditUsage } from '../language/ask.ts';
import {
  type TranslationTerm,
  faultsOf,
  isNeighbours,
  isSameSentence,
  neighbourFaults,
  type ProofRules,
  repeats,
  withoutTags,
  termsIn,
  type Fault,
} from './proof.ts';
import { nameOf, type Sentence, wordsOf } from './sentences.ts';
import type { Answer, Question, Translator } from './model-translator.ts';
import { soundsOf } from '../captions/sound-labels.ts';

type Task = Question['tasks'][number];

/** What to translate, and by which rules. */
interface TranslationJob extends ProofRules {
  sentences: readonly Sentence[];
  /** Its reading speed limits the length of a translation. */
  profile: Profile;
  topic?: string;
  formality?: Question['formality'];
}

/** The circumstances of a translation. */
interface TranslationContext {
  signal: AbortSignal;
  /** The run with which answers are stored, if there is one. */
  runId?: string;
  /** Called as the translation progresses, 0..1. */
  progress?(fraction: number): void;
  /** Does a batch durably: a repeated call with the same name returns the first outcome. Default: just does it. */
  step?<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** The translation of one sentence. Plain JSON. */
interface TranslatedSentence {
  /** With the marks of italics of its source. The source itself if there is no translation. */
  text: string;
  /** The faults that remain. */
  faults: Fault[];
  /** Whether an earlier translation was refused. */
  mended: boolean;
  /** Whether it was shortened so that it can be read in its time. */
  shortened: boolean;
}

/** All translations, one for each sentence, in order. */
export interface Translated {
  sentences: TranslatedSentence[];
  usage: AuditUsage;
}

/** The translations of a batch, and what the engine said if none of it was a translation. */
interface TranslatedBatch extends Translated {
  said?: string;
}

/** The size of a batch, in sentences and in columns. */
const BATCH = { sentences: 25, columns: 2000 };
/** So many sentences are asked at a time where more of them got no answer. */
const FEW = 5;
/** The sentences of context before and after a batch. */
const CONTEXT = { before: 4, after: 2 };
/** The number of batches in progress at a time. */
const PARALLEL_BATCHES = 4;
/** The most terms named in a question. */
const MAX_TERMS = 60;
/** A translation that is too long by no more than this can be read all the same, in characters. */
const TOLERATED = 2;
/** A shorter translation is never shortened, in characters. */
const SHORT = 12;
/** A longer answer to one sentence is none, in characters. */
const LONGEST_ANSWER = 20_000;
/** After so many questions in a row without any usable answer, the sentences of a batch are not asked one by one. */
const MAX_EMPTY = 2;

/**
 * Translates sentences.
 * @throws {StageFailure} the engine does not answer, or translates no sentence at all
 * @throws the signal's reason once it is aborted
 */
export async function translateSentences(
  job: TranslationJob,
  translator: Translator,
  context: TranslationContext,
): Promise<Translated> {
  const { step = (_name, work) => work(), progress } = context;
  const asked = job.sentences.flatMap(({ kind }, at) => (kind === 'as_is' ? [] : [at]));
  const batches = batchesOf(asked, job.sentences);
  let done = 0;
  const outcomes = await mapConcurrently(
    batches.entries(),
    PARALLEL_BATCHES,
    async ([at, batch]) => {
      const outcome = await step(`translate ${at + 1}`, () =>
        translateBatch(batch, job, translator, context),
      );
      done += batch.length;
      progress?.(done / asked.length);
      return outcome;
    },
  );
  const usage: AuditUsage = { calls: 0, tokens: 0, cached: 0 };
  const sentences: TranslatedSentence[] = job.sentences.map(({ text }) => ({
    text,
    faults: [],
    mended: false,
    shortened: false,
  }));
  outcomes.forEach((outcome, at) => {
    addUsage(usage, outcome.usage);
    batches[at]!.forEach((place, index) => (sentences[place] = outcome.sentences[index]!));
  });
  if (asked.length > 0 && asked.every((at) => isUntranslated(sentences[at]!))) {
    throw nothingTranslated(translator, outcomes.map(({ said = '' }) => said).find(Boolean));
  }
  showRepeats(asked, job.sentences, sentences);
  return { sentences, usage };
}

/** Whether the words shown for a sentence are no translation of it at all. */
const isUntranslated = ({ faults }: Pick<TranslatedSentence, 'faults'>): boolean =>
  faults.some(({ kind }) => UNTRANSLATED.has(kind));
const UNTRANSLATED: ReadonlySet<Fault['kind']> = new Set([
  'missing',
  'source_language',
  'wrong_language',
]);

/** The most of an engine's own words in a failure, in characters. */
const MAX_SAID = 200;

/** The failure of an engine that has translated no sentence. */
function nothingTranslated({ provider, model }: Translator, said = ''): StageFailure {
  const words = onOneLine(said.slice(0, 20 * MAX_SAID).replace(/[\p{Cc}\p{Cf}]+/gu, ' '));
  const shown = words.length > MAX_SAID ? `${words.slice(0, MAX_SAID)}…` : words;
  return new StageFailure(
    {
      code: 'provider_bad_response',
      message: `${model} translated none of the sentences.${shown === '' ? '' : ` It answered: “${shown}”`}`,
      retryable: false,
      provider,
      model,
      suggestions: [{ label: 'Translate with another model' }],
    },
    { isFinal: true },
  );
}

function addUsage(usage: AuditUsage, more: AuditUsage): void {
  usage.calls += more.calls;
  usage.tokens += more.tokens;
  usage.cached += more.cached;
}

function batchesOf(asked: readonly number[], sentences: readonly Sentence[]): number[][] {
  const batches: number[][] = [];
  let room = 0;
  for (const at of asked) {
    const length = columns(sentences[at]!.text);
    const open = batches.at(-1);
    if (open && open.length < BATCH.sentences && length <= room) {
      open.push(at);
      room -= length;
    } else {
      batches.push([at]);
      room = BATCH.columns - length;
    }
  }
  return batches;
}

/** Shows translations that say the same as a neighbour's; those within a batch were already asked again. */
function showRepeats(
  asked: readonly number[],
  sources: readonly Sentence[],
  sentences: readonly TranslatedSentence[],
): void {
  for (let index = 1; index < asked.length; index += 1) {
    const [a, b] = [asked[index - 1]!, asked[index]!];
    const [before, after] = [sentences[a]!, sentences[b]!];
    for (const [mine, fault] of [
      [before, repeats([sources[b]!.text, after.text], [sources[a]!.text, before.text])],
      [after, repeats([sources[a]!.text, before.text], [sources[b]!.text, after.text])],
    ] as const) {
      if (fault && !mine.faults.some(({ kind }) => kind === 'repeated' || kind === 'missing')) {
        mine.faults.push(fault);
      }
    }
  }
}

/** A sentence of a batch, and the best translation so far. */
interface Draft {
  sentence: Sentence;
  text: string | null;
  faults: Fault[];
  mended: boolean;
  shortened: boolean;
}

const MISSING: Fault = { kind: 'missing', message: 'The sentence has no translation.' };

/** Translates the sentences of a batch, in three rounds: together, those with faults together, and those one by one. */
async function translateBatch(
  batch: readonly number[],
  job: TranslationJob,
  translator: Translator,
  context: TranslationContext,
): Promise<TranslatedBatch> {
  const usage: AuditUsage = { calls: 0, tokens: 0, cached: 0 };
  let heard: string | undefined;
  const drafts = batch.map((at): Draft => {
    const sentence = job.sentences[at]!;
    return { sentence, text: null, faults: [MISSING], mended: false, shortened: false };
  });
  const around = surroundings(batch, job.sentences);
  /** Asks about sentences and returns the number of answers that belong to one of them. */
  const ask = async (
    asked: readonly Draft[],
    taskOf: (draft: Draft) => Omit<Task, 'id' | 'text'>,
    accept: (draft: Draft, text: string) => void,
  ): Promise<number> => {
    const tasks = asked.map((draft, at): Task => {
      const speaker = nameOf(draft.sentence.speaker);
      return {
        id: String(at + 1),
        text: draft.sentence.text,
        ...(speaker === undefined ? {} : { speaker }),
        ...taskOf(draft),
      };
    });
    const {
      answers,
      usage: used,
      said,
    } = await translator.translate(
      {
        from: job.from,
        to: job.to,
        ...(job.formality && { formality: job.formality }),
        ...(job.topic ? { topic: job.topic } : {}),
        ...around,
        terms: namedTerms(asked, job.terms),
        tasks,
      },
      context,
    );
    addUsage(usage, used);
    heard ??= said;
    let placed = 0;
    for (const answer of inOrderOfTrust(answers, tasks)) {
      const at = placeOf(answer, tasks);
      if (at === null) continue;
      placed += 1;
      accept(asked[at]!, fitted(asked[at]!.sentence, answer.text));
    }
    return placed;
  };
  await ask(
    drafts,
    () => ({}),
    (draft, text) => consider(draft, text, job),
  );
  noteRepeats(drafts);
  const faulty = () => drafts.filter(({ faults }) => faults.length > 0);
  let open = faulty();
  for (const draft of open) draft.mended = true;
  let empty = drafts.some(({ text }) => text !== null) ? 0 : 1;
  if (open.length > 0) {
    // A model that answered nothing at all may have been cut off.
    const size = empty > 0 ? FEW : open.length;
    let placed = 0;
    for (let at = 0; at < open.length && (at === 0 || placed > 0); at += size) {
      const some = open.slice(at, at + size);
      placed += await ask(some, problemOf, (draft, text) => consider(draft, text, job));
    }
    empty = placed === 0 ? empty + 1 : 0;
    noteRepeats(drafts);
    open = faulty();
  }
  for (const draft of open) {
    if (empty >= MAX_EMPTY) break;
    const placed = await ask([draft], problemOf, (one, text) => consider(one, text, job));
    empty = placed === 0 ? empty + 1 : 0;
  }
  noteRepeats(drafts);
  await shortenFast(drafts, job, ask);
  return {
    sentences: drafts.map(({ sentence, text, faults, mended, shortened }) => ({
      text: text ?? withoutTags(sentence.text),
      faults,
      mended: mended && faults.length === 0,
      shortened,
    })),
    usage,
    ...(heard !== undefined && drafts.every(isUntranslated) && { said: heard }),
  };
}

function surroundings(batch: readonly number[], sentences: readonly Sentence[]) {
  const [first, last] = [batch[0]!, batch.at(-1)!];
  const texts = (from: number, to: number) =>
    sentences.slice(Math.max(0, from), to).map(({ text }) => withoutTags(text));
  return {
    before: texts(first - CONTEXT.before, first),
    after: texts(last + 1, last + 1 + CONTEXT.after),
  };
}

function namedTerms(asked: readonly Draft[], terms: readonly TranslationTerm[]) {
  const text = asked.map(({ sentence }) => withoutTags(sentence.text)).join(' ');
  return termsIn(text, terms)
    .slice(0, MAX_TERMS)
    .map(({ canonical, translation = canonical }) => ({ term: canonical, translation }));
}

/** Answers whose id and sentence agree come last, so that they replace others. */
function inOrderOfTrust(answers: readonly Answer[], tasks: readonly Task[]): Answer[] {
  const agrees = ({ id, source }: Answer): boolean =>
    tasks.some((task) => task.id === id && isSameSentence(task.text, source));
  return [...answers.filter((answer) => !agrees(answer)), ...answers.filter(agrees)];
}

/** The task that an answer belongs to, by the sentence that it repeats; null if that is none of them. */
function placeOf({ id, source }: Answer, tasks: readonly Task[]): number | null {
  const byId = tasks.findIndex((task) => task.id === id);
  if (byId >= 0 && isSameSentence(tasks[byId]!.text, source)) {
    const exact = tasks.findIndex(({ text }) => text === source);
    // Another sentence that differs in a letter or two may be the one that is meant.
    return exact >= 0 && tasks[byId]!.text !== source ? exact : byId;
  }
  const bySource = tasks.findIndex(({ text }) => isSameSentence(text, source));
  return bySource >= 0 ? bySource : null;
}

/**
 * A translation in the form of its sentence: on one line, a sound in brackets, marks of italics in pairs.
 * @example
 * const sound = { text: '[music]', kind: 'sound', italic: false } as const;
 * fitted(sound, 'Musik'); // => '[Musik]'
 */
export function fitted(
  { kind, italic, text: source }: Pick<Sentence, 'kind' | 'italic' | 'text'>,
  answer: string,
): string {
  // Nobody says so much in one sentence, and all further work is in proportion to the text.
  if (answer.length > LONGEST_ANSWER) return '';
  let text = onOneLine(shownText(onOneLine(answer)));
  const opens = text.match(/<i>/gi)?.length ?? 0;
  const closes = text.match(/<\/i>/gi)?.length ?? 0;
  if (italic || opens !== closes || !/<\/i>/i.test(source)) text = withoutTags(text);
  if (kind !== 'sound' || text === '') return text;
  const inside = text.replace(/^[([（【［]+|(?<![\])）】］])[\])）】］]+$/gu, '');
  const [open, close] = source.startsWith('(') ? ['(', ')'] : ['[', ']'];
  const whole = `${open}${inside}${close}`;
  const words = wordsOf(whole, 'en').map((word) => word.text);
  // Only square brackets mark a sound in any language.
  return soundsOf(words)[0]?.to === words.length ? whole : `[${inside}]`;
}

const problemOf = ({ text, faults }: Draft): Pick<Task, 'previous' | 'problem'> => ({
  ...(text === null ? {} : { previous: text }),
  problem: faults.map(({ message }) => message).join(' '),
});

const WEIGHTS = new Map(
  TRANSLATION_FAULTS.map((kind, at) => [kind, 2 ** (TRANSLATION_FAULTS.length - at)]),
);
const weightOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, { kind }) => sum + WEIGHTS.get(kind)!, 0);

/** Takes a translation if it is better than the one so far. */
function consider(draft: Draft, text: string, job: TranslationJob): void {
  const faults = faultsOf(draft.sentence, text, job);
  if (text === draft.text && isBelievable(draft.sentence.text, faults)) {
    draft.faults = [];
    return;
  }
  const isBetter = draft.text === null || weightOf(faults) < weightOf(draft.faults);
  if (faults.some(({ kind }) => kind === 'missing') || !isBetter) return;
  draft.text = text;
  draft.faults = faults;
}

/** Whether a model that insists may be right: one or two words can be the same in both languages. */
const isBelievable = (source: string, faults: readonly Fault[]): boolean =>
  faults.every(({ kind }) => kind === 'source_language') && countWords(withoutTags(source)) <= 2;

/** Marks translations that also say what one of the next two sentences says, or one of the two before. */
function noteRepeats(drafts: readonly Draft[]): void {
  for (const draft of drafts) draft.faults = draft.faults.filter((fault) => !isNeighbours(fault));
  const pairs = drafts.map(({ sentence, text }) => [sentence.text, text] as const);
  drafts.forEach((draft, at) => draft.faults.push(...neighbourFaults(pairs, at)));
}

/** Has translations shortened, once, that cannot be read in the time of their sentence. */
async function shortenFast(
  drafts: readonly Draft[],
  job: TranslationJob,
  ask: (
    asked: readonly Draft[],
    taskOf: (draft: Draft) => Omit<Task, 'id' | 'text'>,
    accept: (draft: Draft, text: string) => void,
  ) => Promise<number>,
): Promise<void> {
  const most = (draft: Draft): number => roomOf(draft.sentence, draft.text ?? '', job.profile);
  const fast = drafts.filter(
    (draft) =>
      draft.text !== null &&
      draft.faults.length === 0 &&
      lengthOf(draft.text) > Math.max(SHORT, most(draft) + TOLERATED),
  );
  if (fast.length === 0) return;
  const taskOf = (draft: Draft) => ({
    ...(draft.text === null ? {} : { previous: draft.text }),
    problem: 'The translation is too long to be read in its time: say it in fewer characters.',
    maxCharacters: Math.max(SHORT, most(draft)),
  });
  await ask(fast, taskOf, (draft, text) => {
    if (draft.text === null || lengthOf(text) >= lengthOf(draft.text)) return;
    const isRepeated = drafts.some(
      (other) =>
        other !== draft &&
        other.text !== null &&
        repeats([other.sentence.text, other.text], [draft.sentence.text, text]),
    );
    if (isRepeated || faultsOf(draft.sentence, text, job).length > 0) return;
    draft.text = text;
    draft.shortened = true;
  });
}

/** The characters that can be read while a sentence is shown. */
function roomOf({ start, end }: Sentence, text: string, { speed }: Profile): number {
  const seconds = end - start;
  if (speed.unit === 'characters') return Math.floor(seconds * speed.perSecond);
  const words = countWords(withoutTags(text));
  return Math.floor((lengthOf(text) * seconds * speed.perMinute) / 60 / Math.max(1, words));
}

/**
 * A text on one line, as a caption can show it.
 * @example
 * onOneLine(' Hallo\n Welt '); // => 'Hallo Welt'
 */
const onOneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/**
 * The characters of a translation as a reader counts them.
 * @example
 * lengthOf('<i>Nein</i>!'); // => 5
 */
const lengthOf = (text: string): number => graphemes(withoutTags(text));
