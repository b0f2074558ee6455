/**
 * Translates sentences, some at a time, proves every translation, and has those that fail the proof translated again.
 * What still fails is returned with its faults and its state, so that nothing is lost or changed silently.
 */
import type { Profile } from '../captions/rules/profiles/profile.ts';
import { languageOf } from '../captions/language.ts';
import { columns, countWords, graphemes } from '../captions/width.ts';
import { StageFailure } from '../contract/failure.ts';
import { TRANSLATION_FAULTS, type SentenceState } from '../contract/translations.ts';
import type { AuditUsage } from '../language/auditor.ts';
import { isTooLong } from '../remote/chat.ts';
import type { Question, Translator } from './engines/translator.ts';
import { createPace } from './pace.ts';
import { inPlace, misplaced, placedTexts } from './place-answers.ts';
import { areAlike } from './alike.ts';
import {
  isNeighbours,
  MOVED,
  movedTranslations,
  namesLostHere,
  neighbourFaults,
  repeats,
  SAME,
  sameTranslations,
} from './neighbours.ts';
import { faultsOf, type ProofRules, type Fault } from './proof.ts';
import { type TranslationTerm, termsIn } from './terms.ts';
import { nameOf, type Sentence, withoutTags } from './sentences.ts';
import { fitted, onOneLine, withoutFrames } from './tidy.ts';
import { faultOfAll } from './whole-talk.ts';

type Task = Question['tasks'][number];

/** What to translate, and by which rules. */
interface TranslationJob extends ProofRules {
  sentences: readonly Sentence[];
  /** Its reading speed limits the length of a translation. */
  profile: Profile;
  topic?: string;
  formality?: Question['formality'];
  /** The translations that are known already, by the number of the sentence from 0. */
  known?: ReadonlyMap<number, KnownTranslation>;
}

/** A translation that somebody or something made before. */
export interface KnownTranslation {
  text: string;
  /** Whether a person wrote or confirmed it. */
  isPersons: boolean;
  /** Whether it stays even if it is doubtful. */
  isKept?: boolean;
}

/** A sentence and its translation, to be remembered. */
interface Pair {
  source: string;
  text: string;
}

/** The circumstances of a translation. */
interface TranslationContext {
  signal: AbortSignal;
  /** The run with which answers are stored, if there is one. */
  runId?: string;
  /** Called as the translation progresses, 0..1. */
  progress?(fraction: number): void;
  /** Asks one question durably: a repeated call with the same name returns the first outcome. Default: just asks. */
  step?<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Called with translations that hold, as soon as they are there. */
  remember?(pairs: readonly Pair[]): void;
  /** The time in milliseconds. Default: real time. */
  now?: () => number;
}

/** The translation of one sentence. Plain JSON. */
interface TranslatedSentence {
  /** With the marks of italics of its source. The source itself if there is no translation. */
  text: string;
  /** The faults that remain. */
  faults: Fault[];
  state: SentenceState;
  /** Whether an earlier translation was refused. */
  mended: boolean;
  /** Whether it was shortened so that it can be read in its time. */
  shortened: boolean;
  /** Whether it is from an earlier translation: that of an engine, or of a person. */
  remembered?: 'engine' | 'person';
}

/** All translations, one for each sentence, in order. */
export interface Translated {
  sentences: TranslatedSentence[];
  usage: AuditUsage;
}

/** The most columns of the sentences in a question. */
const MOST_COLUMNS = 2000;
/** The sentences of context before and after those that are asked. */
const CONTEXT = { before: 4, after: 2 };
/** The most terms named in a question. */
const MAX_TERMS = 60;
/** A translation that is too long by no more than this can be read all the same, in characters. */
const TOLERATED = 2;
/** A shorter translation is never shortened, in characters. */
const SHORT = 12;
/** After so many questions in a row without any usable answer, the engine is asked nothing more. */
const MAX_SILENT = 4;
/** Sentences are asked one by one until this many questions brought nothing, and fewer than a quarter as many something. */
const MAX_MISSES = 5;
/** The most unknown words that a fault names. */
const MAX_UNKNOWN = 5;

/**
 * Translates sentences: all of them, then those with faults together, then those that still have any one by one.
 * @throws {StageFailure} the engine does not answer, or translates no sentence at all
 * @throws the signal's reason once it is aborted
 */
export async function translateSentences(
  job: TranslationJob,
  translator: Translator,
  context: TranslationContext,
): Promise<Translated> {
  const drafts = job.sentences.map((sentence, at): Draft => draftOf(sentence, at, job));
  const asked = drafts.filter(({ sentence }) => sentence.kind !== 'as_is');
  const asking = createAsking(drafts, job, translator, context);
  await asking.all(
    'translate',
    asked.filter(({ text }) => text === null),
  );
  noteNeighbours(asked, job.from);
  const isDone = ({ faults, isSuspect }: Draft): boolean => faults.length === 0 && !isSuspect;
  const open = asked.filter(({ isKept }) => !isKept);
  for (const draft of open) {
    if (!isDone(draft)) draft.mended = true;
    else if (isFast(draft, job)) draft.isTooLong = true;
  }
  await asking.all(
    'mend',
    open.filter((draft) => !isDone(draft) || draft.isTooLong),
  );
  noteNeighbours(asked, job.from);
  await asking.each(
    'again',
    open.filter((draft) => !isDone(draft)),
  );
  // An engine that repeats everything is not believed for short sentences.
  const repeated = asked.filter(isUntranslated).length;
  const first = asked[0]?.text ?? '';
  for (const draft of asked) settle(draft, 2 * repeated < asked.length);
  noteNeighbours(asked, job.from);
  context.progress?.(1);
  if (asked.length > 0 && asked.every((draft) => isUntranslated(draft))) {
    throw nothingTranslated(translator, asking.said() || first);
  }
  noteAll(asked, job);
  return { sentences: drafts.map(translatedOf), usage: asking.usage };
}

/** A sentence, and the best translation so far. */
interface Draft {
  sentence: Sentence;
  /** Its number from 0. */
  at: number;
  text: string | null;
  faults: Fault[];
  mended: boolean;
  shortened: boolean;
  /** Whether its translation may be that of a neighbour. */
  isSuspect: boolean;
  /** Whether it should be said in fewer characters. */
  isTooLong: boolean;
  /** Whether the engine has answered with the sentence itself more than once. */
  insists: boolean;
  /** Whether it is not asked again, whatever its faults. */
  isKept: boolean;
  remembered?: 'engine' | 'person';
}

const MISSING: Fault = { kind: 'missing', message: 'The sentence has no translation.' };

function draftOf(sentence: Sentence, at: number, job: TranslationJob): Draft {
  const draft: Draft = {
    sentence,
    at,
    text: null,
    faults: sentence.kind === 'as_is' ? [] : [MISSING],
    mended: false,
    shortened: false,
    isSuspect: false,
    isTooLong: false,
    insists: false,
    isKept: false,
  };
  const known = sentence.kind === 'as_is' ? undefined : job.known?.get(at);
  if (!known) return draft;
  const text = fitted(sentence, known.text, known.isPersons ? 'person' : 'model');
  // What a person wrote is right; what an engine did may be measured by other terms now.
  const faults = known.isPersons ? [] : faultsOf(sentence, text, job);
  const { isKept = false } = known;
  if (text === '' || (faults.length > 0 && !isKept)) return draft;
  return { ...draft, text, faults, isKept, remembered: known.isPersons ? 'person' : 'engine' };
}

/**
 * Gives up a translation that must not be shown as one: nothing, a remark, or the sentence itself.
 * @param isBelieved whether an engine is believed that insists on the sentence itself
 */
function settle(draft: Draft, isBelieved: boolean): void {
  if (draft.insists && !isBelieved && draft.text !== null) draft.text = null;
  const isRefused = draft.faults.some(({ kind }) => kind === 'note' || kind === 'missing');
  if (draft.text === null || isRefused) {
    draft.text = null;
    draft.faults = [MISSING];
  } else if (draft.isSuspect && draft.faults.length === 0) {
    draft.faults = [
      { kind: 'repeated', message: 'The translation may belong to a sentence beside it.' },
    ];
  }
}

function translatedOf(draft: Draft): TranslatedSentence {
  const { sentence, text, faults, mended, shortened, remembered } = draft;
  return {
    text: text ?? (sentence.kind === 'as_is' ? sentence.text : withoutTags(sentence.text)),
    faults,
    state: stateOf(draft),
    mended: mended && faults.length === 0,
    shortened,
    ...(remembered && { remembered }),
  };
}

const lettersOf = (text: string): string =>
  withoutTags(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
const isSame = (a: string, b: string): boolean => lettersOf(a) === lettersOf(b);

/**
 * What a sentence has become.
 * @example
 * stateOf({ sentence: { text: 'OK.', kind: 'speech' }, text: 'OK.', faults: [] }); // => 'kept'
 */
export function stateOf({
  sentence,
  text,
  faults,
}: {
  sentence: Pick<Sentence, 'text' | 'kind'>;
  text: string | null;
  faults: readonly Fault[];
}): SentenceState {
  if (sentence.kind === 'as_is') return 'kept';
  if (text === null || faults.some(({ kind }) => kind === 'missing')) return 'missing';
  const isKept = isSame(text, sentence.text);
  if (isKept && faults.some(({ kind }) => kind === 'source_language')) return 'missing';
  if (faults.length > 0) return 'doubtful';
  return isKept ? 'kept' : 'translated';
}

/** Whether what is there for a sentence is no translation of it at all. */
const isUntranslated = (draft: Draft): boolean =>
  stateOf(draft) === 'missing' ||
  draft.faults.some((fault) => fault === SAME || fault.kind === 'wrong_language');

/** The most of an engine's own words in a failure, in characters. */
const MAX_SAID = 200;

/** The failure of an engine that has translated no sentence. */
function nothingTranslated({ provider, model }: Translator, said: string): StageFailure {
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

/** What became of one question. Plain JSON, so that it can be kept as a step. */
interface Outcome {
  /** The numbers of the sentences that were asked; none if the question was too much for the engine. */
  asked: number[];
  texts: { at: number; text: string; unknown?: readonly string[] }[];
  usage: AuditUsage;
  /** Whether the answer was cut off. */
  cut: boolean;
  /** The sentences whose translations may belong to neighbours. */
  suspect: number[];
  said?: string;
}

/** Asks an engine about drafts, and takes what it answers. */
function createAsking(
  drafts: readonly Draft[],
  job: TranslationJob,
  translator: Translator,
  context: TranslationContext,
) {
  const { step = (_name, work) => work(), progress } = context;
  const pace = createPace(translator.limits, context.now);
  const usage: AuditUsage = { calls: 0, tokens: 0, cached: 0 };
  const total = drafts.filter(({ sentence }) => sentence.kind !== 'as_is').length;
  let questions = 0;
  let silent = 0;
  let said = '';
  /** The share of a question that was answered where an answer was cut off or incomplete; 1 if none was. */
  let share = 1;
  let wasCut = false;

  /** Sentences that are translated already, to be asked after the others where ends are lost. */
  const fillersFor = (batch: readonly Draft[]): Draft[] => {
    // Alone, a sentence cannot be taken for another one.
    if (share >= 1 || (batch.length === 1 && !wasCut)) return [];
    const wanted = Math.min(
      Math.ceil(batch.length / Math.max(share * 0.9, 0.1)) + 1 - batch.length,
      batch.length + 1,
    );
    const chosen = new Set(batch);
    const able = drafts.filter(
      (draft) => draft.text !== null && draft.faults.length === 0 && !chosen.has(draft),
    );
    return able.slice(-wanted);
  };

  const ask = async (batch: readonly Draft[]): Promise<Outcome> => {
    const fillers = fillersFor(batch);
    const question = questionOf(batch, fillers, job);
    const asked = batch.map(({ at }) => at);
    const turn = pace.begins(question.tasks.length);
    let given;
    try {
      given = await translator.translate(question, {
        signal: context.signal,
        runId: context.runId,
        timeoutMs: pace.timeoutMs(question.tasks.length),
      });
    } catch (error) {
      pace.ends(turn, false);
      const isSlow = error instanceof StageFailure && error.failure.code === 'provider_timeout';
      if (batch.length === 1 || !(isSlow || isTooLong(error))) throw error;
      if (!pace.isTooMuch(batch.length, isSlow ? 'slow' : 'large')) throw error;
      return {
        asked: [],
        texts: [],
        usage: { calls: 1, tokens: 0, cached: 0 },
        cut: false,
        suspect: [],
      };
    }
    pace.ends(turn, true);
    const { cut = false, usage: used, said: words } = given;
    const [answers, isUnsure] = inPlace(given.answers, question);
    const unknown = new Map(answers.map((answer) => [answer.id, answer.unknown]));
    const around = [...question.before, ...question.after];
    const all = placedTexts(answers, question.tasks, around);
    const placed = all.slice(0, batch.length);
    // Sentences that are known already show whether the others are in their places.
    const isMoved = fillers.some(({ text }, index) => {
      const again = all[batch.length + index];
      return again !== undefined && text !== null && !areAlike(text, again);
    });
    const texts = fittedAll(placed, batch);
    const pairs = batch.map(({ sentence }, index) => [sentence.text, texts[index]] as const);
    const isShort = !cut && texts.some((text) => text === undefined);
    const hasAny = texts.some((text) => text !== undefined);
    // Of a short answer, too few lengths are known to tell which sentences were joined.
    const suspect =
      isMoved || isUnsure || (isShort && hasAny && (isMending(batch) || batch.length < 5))
        ? asked
        : cut
          ? []
          : misplaced(pairs).map((index) => batch[index]!.at);
    // In a question, sentences may stand beside each other that do not in the recording.
    const isJoined = (index: number): boolean =>
      neighbourFaults(
        pairs.map(([source, text = null]) => [source, text] as const),
        index,
      ).length > 0;
    const joined = pairs.flatMap((_, index) => (isJoined(index) ? [batch[index]!.at] : []));
    return {
      asked,
      texts: texts.flatMap((text, index) => {
        if (text === undefined) return [];
        const left = unknown.get(question.tasks[index]!.id);
        return { at: batch[index]!.at, text, ...(left && { unknown: left }) };
      }),
      usage: used,
      cut,
      suspect: [...suspect, ...joined],
      ...(words !== undefined && { said: words }),
    };
  };

  const take = (outcome: Outcome): void => {
    addUsage(usage, outcome.usage);
    if (outcome.asked.length === 0) return;
    const suspects = new Set(outcome.suspect);
    const kept: Pair[] = [];
    for (const { at, text, unknown } of outcome.texts) {
      const draft = drafts[at]!;
      if (draft.isTooLong) shorten(draft, text, drafts, job);
      else consider(draft, text, job, suspects.has(at), unknown);
      if (draft.text === text && draft.faults.length === 0 && !draft.isSuspect) {
        kept.push({ source: draft.sentence.text, text });
      }
    }
    silent = outcome.texts.length > 0 ? 0 : silent + 1;
    if (silent === 0) pace.worked();
    wasCut ||= outcome.cut;
    if (outcome.said !== undefined && said === '') said = outcome.said;
    if (outcome.texts.length > 0) {
      const now = outcome.texts.length / outcome.asked.length;
      if (outcome.cut || now < 1) share = Math.min(now, 0.95);
    } else if (outcome.cut) share = 0.5;
    if (kept.length > 0) context.remember?.(kept);
    progress?.(
      (0.98 *
        drafts.filter(({ text, sentence }) => text !== null && sentence.kind !== 'as_is').length) /
        total,
    );
  };

  /** Asks one question, and returns the drafts that are still to be asked. */
  const one = async (name: string, batch: readonly Draft[]): Promise<Draft[]> => {
    questions += 1;
    const outcome = await step(`${name} ${questions}`, () => ask(batch));
    take(outcome);
    const done = new Set(outcome.asked);
    const rest = batch.filter(({ at }) => !done.has(at));
    const isSilent = outcome.asked.length > 0 && outcome.texts.length === 0;
    if (!outcome.cut && !isSilent) return rest;
    // Perhaps it was too much for the model.
    if (isSilent && batch.length > 1) pace.isTooMuch(batch.length, 'silent');
    const isGoing = !isSilent || batch.length > 1;
    const answered = new Set(outcome.texts.map(({ at }) => at));
    return isGoing
      ? [...rest, ...batch.filter(({ at }) => done.has(at) && !answered.has(at))]
      : rest;
  };

  return {
    usage,
    said: () => said,
    /** Asks about drafts, as many at a time as the engine can take. */
    async all(name: string, open: readonly Draft[]): Promise<void> {
      const waiting = [...open];
      const inProgress = new Set<Promise<void>>();
      const failures: unknown[] = [];
      const mayAsk = (): boolean =>
        failures.length === 0 &&
        waiting.length > 0 &&
        inProgress.size < pace.parallel() &&
        silent < MAX_SILENT;
      for (;;) {
        while (mayAsk()) {
          const size = Math.max(1, Math.floor(pace.size() * Math.max(share, 0.4)));
          const turn: Promise<void> = one(name, nextBatch(waiting, size))
            .then((rest) => void waiting.unshift(...rest))
            .catch((error: unknown) => void failures.push(error))
            .finally(() => void inProgress.delete(turn));
          inProgress.add(turn);
        }
        if (inProgress.size === 0) break;
        await Promise.race(inProgress);
      }
      if (failures.length > 0) throw failures[0];
    },
    /** Asks about drafts one by one, as long as that brings something. */
    async each(name: string, open: readonly Draft[]): Promise<void> {
      let [hits, misses] = [0, 0];
      for (const draft of open) {
        if (silent >= MAX_SILENT || misses >= Math.max(MAX_MISSES, 4 * hits)) break;
        await one(name, [draft]);
        if (draft.faults.length === 0 && !draft.isSuspect) hits += 1;
        else misses += 1;
      }
    },
  };
}

function addUsage(usage: AuditUsage, more: AuditUsage): void {
  usage.calls += more.calls;
  usage.tokens += more.tokens;
  usage.cached += more.cached;
}

/** Takes the first drafts of a queue, as many as fit into a question. */
function nextBatch(waiting: Draft[], size: number): Draft[] {
  let room = MOST_COLUMNS;
  let count = 0;
  while (count < Math.min(size, waiting.length)) {
    room -= columns(waiting[count]!.sentence.text);
    if (count > 0 && room < 0) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Translations in the form of their sentences; undefined for those without one. */
function fittedAll(
  placed: readonly (string | undefined)[],
  batch: readonly Draft[],
): (string | undefined)[] {
  const given = placed.flatMap((text, index) =>
    text === undefined ? [] : [[batch[index]!.sentence.text, text] as const],
  );
  const bare = withoutFrames(given);
  let next = 0;
  return placed.map((text, index) =>
    text === undefined ? undefined : fitted(batch[index]!.sentence, bare[next++]!),
  );
}

const isMending = (batch: readonly Draft[]): boolean =>
  batch.every(({ mended, isTooLong }) => mended || isTooLong);

/** A question about drafts, and about others whose answers do not matter. */
function questionOf(
  batch: readonly Draft[],
  fillers: readonly Draft[],
  job: TranslationJob,
): Question {
  const [first, last] = [batch[0]!.at, batch.at(-1)!.at];
  // Sentences from everywhere have the one before each beside it.
  const isRun = batch.length > (last - first + 1) / 2;
  const texts = (from: number, to: number) =>
    job.sentences.slice(Math.max(0, from), Math.max(0, to)).map(({ text }) => withoutTags(text));
  const taskOf = (draft: Draft, index: number): Task => {
    const speaker = nameOf(draft.sentence.speaker);
    const [before] = isRun ? [] : texts(draft.at - 1, draft.at);
    return {
      id: String(index + 1),
      text: draft.sentence.text,
      ...(speaker === undefined ? {} : { speaker }),
      ...(before === undefined ? {} : { before }),
      ...(index < batch.length ? problemOf(draft, job) : {}),
    };
  };
  return {
    from: job.from,
    to: job.to,
    ...(job.formality && { formality: job.formality }),
    ...(job.topic ? { topic: job.topic } : {}),
    before: isRun ? texts(first - CONTEXT.before, first) : [],
    after: isRun ? texts(last + 1, last + 1 + CONTEXT.after) : [],
    terms: namedTerms([...batch, ...fillers], job.terms),
    tasks: [...batch, ...fillers].map(taskOf),
  };
}

function namedTerms(asked: readonly Draft[], terms: readonly TranslationTerm[]) {
  const text = asked.map(({ sentence }) => withoutTags(sentence.text)).join(' ');
  return termsIn(text, terms)
    .slice(0, MAX_TERMS)
    .map(({ canonical, translation = canonical }) => ({ term: canonical, translation }));
}

/** Why a sentence is asked again; nothing for one that is asked for the first time, or that has no answer yet. */
function problemOf(draft: Draft, job: TranslationJob): Partial<Task> {
  const { text, faults, isTooLong: isLong } = draft;
  // A translation that may be that of a neighbour must not lead astray.
  if (text === null || (faults.length === 0 && !isLong)) return {};
  if (!isLong) return { previous: text, problem: faults.map(({ message }) => message).join(' ') };
  return {
    previous: text,
    problem: 'The translation is too long to be read in its time: say it in fewer characters.',
    maxCharacters: Math.max(SHORT, roomOf(draft.sentence, text, job.profile)),
  };
}

const WEIGHTS = new Map(
  TRANSLATION_FAULTS.map((kind, at) => [kind, 2 ** (TRANSLATION_FAULTS.length - at)]),
);
const weightOf = (faults: readonly Fault[]): number =>
  faults.reduce((sum, { kind }) => sum + WEIGHTS.get(kind)!, 0);

/**
 * Takes a translation if it is better than the one so far.
 * @param isSuspect whether it may be that of a neighbour
 * @param unknown the words that the engine has left as they are
 */
function consider(
  draft: Draft,
  text: string,
  job: TranslationJob,
  isSuspect: boolean,
  unknown: readonly string[] = [],
): void {
  const faults = faultsOf(draft.sentence, text, job);
  if (unknown.length > 0 && !faults.some(({ kind }) => kind === 'source_language')) {
    const left = unknown.slice(0, MAX_UNKNOWN).map((word) => `“${word}”`);
    const message = `The engine does not know ${left.join(', ')}, which it left as it is.`;
    faults.push({ kind: 'source_language', message });
  }
  if (faults.some(({ kind }) => kind === 'missing')) return;
  if (text === draft.text && isBelievable(draft.sentence, faults, job.from)) {
    Object.assign(draft, { faults: [], isSuspect, insists: true });
    return;
  }
  if (draft.isSuspect && draft.text !== null) {
    // What is said again, in another question, belongs to its sentence.
    const isConfirmed = !isSuspect && areAlike(draft.text, text);
    Object.assign(draft, {
      text,
      faults,
      isSuspect: isSuspect || (!isConfirmed && faults.length > 0),
    });
    return;
  }
  const isBetter = draft.text === null || weightOf(faults) < weightOf(draft.faults);
  if (!isBetter) return;
  Object.assign(draft, { text, faults, isSuspect });
}

/**
 * Whether a model that insists on the sentence itself may be right: one word, or three that seem to be a name, can be the
 * same in both languages, but not the small words of one.
 */
function isBelievable(
  { text, kind }: Pick<Sentence, 'text' | 'kind'>,
  faults: readonly Fault[],
  from: string | null,
): boolean {
  const words = withoutTags(text).match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? [];
  const small = from === null ? null : languageOf(from).classes;
  return (
    // A sound is described in ordinary words.
    kind !== 'sound' &&
    faults.every((fault) => fault.kind === 'source_language') &&
    words.length <= 3 &&
    (words.length < 2 || words.every((word) => !/^\p{Ll}/u.test(word))) &&
    !words.some((word) => small?.has(word.toLowerCase()))
  );
}

/** Marks translations that say what another sentence says, or lack a name that the others have. */
function noteNeighbours(drafts: readonly Draft[], from: string | null): void {
  for (const draft of drafts) draft.faults = draft.faults.filter((fault) => !isNeighbours(fault));
  const pairs = drafts.map(({ sentence, text }) => [sentence.text, text] as const);
  const same = new Set(sameTranslations(pairs));
  const moved = new Set(movedTranslations(pairs));
  const lost = namesLostHere(pairs, from);
  drafts.forEach(({ faults, isKept, remembered }, at) => {
    const isOpen = !isKept && remembered !== 'person';
    const beside = isOpen && same.has(at) ? [SAME] : neighbourFaults(pairs, at);
    faults.push(...(isOpen && moved.has(at) && beside.length === 0 ? [MOVED] : beside));
    if (remembered !== 'person') faults.push(...(lost.get(at) ?? []));
  });
}

/** Marks the translations of an engine if there is a fault that all of them share. */
function noteAll(drafts: readonly Draft[], job: TranslationJob): void {
  const made = drafts.flatMap((draft) =>
    draft.text === null || draft.remembered === 'person' || draft.isKept
      ? []
      : [{ draft, source: draft.sentence.text, text: draft.text, faults: draft.faults }],
  );
  const fault = faultOfAll(made, job);
  if (!fault) return;
  for (const { draft } of made) if (stateOf(draft) === 'translated') draft.faults = [fault];
}

/** Whether a new translation cannot be read in the time of its sentence; what is remembered is not asked again. */
const isFast = ({ sentence, text, remembered }: Draft, { profile }: TranslationJob): boolean =>
  text !== null &&
  remembered === undefined &&
  lengthOf(text) > Math.max(SHORT, roomOf(sentence, text, profile) + TOLERATED);

/** Takes a translation of fewer characters, if it is as good. */
function shorten(draft: Draft, text: string, drafts: readonly Draft[], job: TranslationJob): void {
  draft.isTooLong = false;
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
}

/** The characters that can be read while a sentence is shown. */
function roomOf({ start, end }: Sentence, text: string, { speed }: Profile): number {
  const seconds = end - start;
  if (speed.unit === 'characters') return Math.floor(seconds * speed.perSecond);
  const words = countWords(withoutTags(text));
  return Math.floor((lengthOf(text) * seconds * speed.perMinute) / 60 / Math.max(1, words));
}

/**
 * The characters of a translation as a reader counts them.
 * @example
 * lengthOf('<i>Nein</i>!'); // => 5
 */
const lengthOf = (text: string): number => graphemes(withoutTags(text));
