/**
 * An auditor with a language model: the matcher corrects certain mishears, the model judges the rest, and guards check
 * the model's proposals.
 */
import { withQuietCapitals } from '../terminology/names/quiet-capitals.ts';
import { uncounted } from '../base/compute.ts';
import { StageFailure } from '../contract/failure.ts';
import { CONFIDENCE } from '../terminology/match/judge.ts';
import {
  byPlace,
  decisionOf,
  type Draft,
  isAccepted,
  restrain,
  withoutOverlaps,
} from '../terminology/decide/decide.ts';
import { createMatcher } from '../terminology/match/match.ts';
import { decideByMatcher, decideInRounds } from '../terminology/decide/decide-in-rounds.ts';
import { guardProposal } from '../terminology/decide/proposals.ts';
import { freePlaces } from '../terminology/match/findings.ts';
import { type ChosenModel, askModel } from './ask.ts';
import {
  type AuditContext,
  type AuditOutcome,
  type AuditRequest,
  outcomeOf,
  type AuditUsage,
} from './auditor.ts';
import type { TranscriptWord } from '../contract/results.ts';
import { mapConcurrently } from '../base/concurrency.ts';
import {
  QUESTION_VERSION,
  INSTRUCTIONS,
  type Question,
  questionAbout,
  AuditEdit,
  AuditAnswer,
  readAnswer,
  type Window,
  windowsAround,
} from './audit-question.ts';

/** The number of parallel calls for one run. */
const PARALLEL_CALLS = 4;

/** The outcome of one call. */
type Verdict =
  | { question: Question; edits: AuditEdit[] }
  /** Both attempts at an answer violated the schema. */
  | { question: Question; unreadable: true }
  | { question: Question; failure: StageFailure };

interface Verdicts {
  verdicts: Verdict[];
  usage: AuditUsage;
}

/**
 * Asks for one verdict on each group of windows, and returns them in order. A failed call does not end the others,
 * unless no call has succeeded yet; then no calls are made for the remaining groups, which get the same failure.
 * @throws the signal's reason, once it is aborted
 */
async function askAbout(
  groups: readonly Window[][],
  words: readonly TranscriptWord[],
  asked: ChosenModel,
  context: Pick<AuditContext, 'signal' | 'progress' | 'runId'>,
): Promise<Verdicts> {
  const { signal, progress } = context;
  const usage: AuditUsage = { calls: 0, tokens: 0, cached: 0 };
  let done = 0;
  let answered = false;
  let hopeless: StageFailure | null = null;
  const one = async (windows: Window[]): Promise<Verdict> => {
    const question = questionAbout(windows, words);
    if (hopeless) return { question, failure: hopeless };
    try {
      const edits = await answer(question, asked, context, usage);
      answered = true;
      return edits ? { question, edits } : { question, unreadable: true };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof StageFailure)) throw error;
      if (!answered) hopeless = error;
      return { question, failure: error };
    } finally {
      done += 1;
      progress(done / groups.length);
    }
  };
  const verdicts = await mapConcurrently(groups, PARALLEL_CALLS, one);
  return { verdicts, usage };
}

/** The edits of an answer; null if the model violated the schema twice. */
async function answer(
  question: Question,
  asked: ChosenModel,
  context: Pick<AuditContext, 'signal' | 'runId'>,
  usage: AuditUsage,
): Promise<AuditEdit[] | null> {
  const found = await askModel(
    asked,
    {
      instructions: INSTRUCTIONS,
      text: question.text,
      version: String(QUESTION_VERSION),
      schema: { name: 'terminology_edits', schema: AuditAnswer },
      read: (text) => {
        const reading = readAnswer(text);
        return 'edits' in reading ? { value: reading } : reading;
      },
    },
    context,
    usage,
  );
  return found?.edits ?? null;
}

interface ModelAudit {
  outcome: AuditOutcome;
  /** The failure if every call failed, so that the model gave no answer at all. */
  failure: StageFailure | null;
}

/**
 * Audits with a model. If the model gave no answer at all, the outcome is the matcher's, with everything else open for
 * review.
 */
export async function auditWithModel(
  request: AuditRequest,
  model: ChosenModel,
  context: AuditContext,
): Promise<ModelAudit> {
  const { words, language, minConfidence } = request;
  const terms = withQuietCapitals(request.terms, words);
  const { signal, compute = uncounted } = context;
  signal.throwIfAborted();
  // Evidence below this confidence is left to the model.
  const certain = Math.max(minConfidence, CONFIDENCE.licensedPhrase);
  const { matcher, drafts } = await compute(() => {
    const matcher = createMatcher(terms, { language });
    return { matcher, drafts: decideByMatcher(matcher, words, certain) };
  });
  const made = drafts.filter(isAccepted);
  const open = drafts.filter((draft) => !isAccepted(draft));
  // Part of a multi-word term, next to its other words, is not a term by itself, so a person decides.
  const parts = open
    .filter(({ match }) => match.part)
    .map((draft) => leftToPerson(draft, minConfidence));
  const asked = open.filter(({ match }) => !match.part);
  const groups = windowsAround(asked, words.length);
  const { verdicts, usage } = await askAbout(groups, words, model, context);
  const decided = await compute(() => {
    const judged = bestOfOverlaps(
      verdicts.flatMap((verdict) => judge(verdict, request)),
      [...made, ...parts],
      words.length,
    );
    const restrained = restrain([...made, ...parts, ...judged], words.length);
    return decideInRounds(matcher, words, restrained, certain);
  });
  const note = noteOn(verdicts);
  context.progress(1);
  return {
    outcome: outcomeOf(decided, {
      provider: model.service.provider,
      model: model.model,
      usage,
      ...(note === null ? {} : { note }),
    }),
    failure: wholeFailure(verdicts, model),
  };
}

/** A draft for review, unless its confidence is too low to be shown even without a model. */
const leftToPerson = ({ match, correction }: Draft, minConfidence: number): Draft => {
  const isShown = decisionOf(match, minConfidence) !== 'rejected';
  return { match, correction: { ...correction, decision: isShown ? 'needs_review' : 'rejected' } };
};

/** The decisions on the candidates of a verdict and on its other proposals. */
function judge(verdict: Verdict, { words, minConfidence }: AuditRequest): Draft[] {
  const { question } = verdict;
  const { candidates } = question;
  if (!('edits' in verdict)) {
    const why = 'failure' in verdict ? 'failed' : 'gave no valid answer';
    return Array.from(candidates.values(), (draft) =>
      decidedAs(draft, 'needs_review', `The language model ${why}.`),
    );
  }
  const judged: Draft[] = [];
  const judgedIds = new Set<string>();
  for (const edit of verdict.edits) {
    const candidate = candidates.get(edit.id);
    const place = question.placeOf(edit);
    const guarded =
      place && guardProposal(words, { ...edit, ...place }, question.terms, minConfidence);
    const draft =
      guarded ?? (candidate && edit.decision === 'ignore' ? leftAlone(candidate) : null);
    if (!draft) continue;
    judged.push(draft);
    judgedIds.add(edit.id);
  }
  const spoken = new Set(verdict.edits.map(({ id }) => id));
  for (const [id, candidate] of candidates) {
    if (judgedIds.has(id)) continue;
    judged.push(
      spoken.has(id) ? decidedAs(candidate, 'needs_review', MISFIT) : leftAlone(candidate),
    );
  }
  return judged;
}

/** The reason given for a candidate if no guard accepts the model's answer. */
const MISFIT = 'The answer of the language model does not match the words.';

const leftAlone = (candidate: Draft): Draft =>
  decidedAs(candidate, 'rejected', 'The language model left the words unchanged.');

const decidedAs = (
  { match, correction }: Draft,
  decision: 'needs_review' | 'rejected',
  why: string,
): Draft => ({
  match,
  correction: { ...correction, decision, reason: `${correction.reason} ${why}` },
});

/**
 * Chooses between overlapping verdicts: one that changes something wins, then the more confident one. None touches
 * earlier edits.
 */
function bestOfOverlaps(
  judged: readonly Draft[],
  made: readonly Draft[],
  wordCount: number,
): Draft[] {
  const order = { accepted: 0, needs_review: 1, rejected: 2 };
  const ranked = judged.toSorted(
    (a, b) =>
      order[a.correction.decision] - order[b.correction.decision] ||
      b.correction.confidence - a.correction.confidence ||
      byPlace(a, b),
  );
  const taken = freePlaces(wordCount);
  for (const { correction } of made) taken.take(correction.firstWord, correction.lastWord);
  return withoutOverlaps(ranked, taken);
}

function noteOn(verdicts: readonly Verdict[]): string | null {
  const failed = verdicts.filter((verdict) => 'failure' in verdict).length;
  const unreadable = verdicts.filter((verdict) => 'unreadable' in verdict).length;
  const parts = [
    failed > 0 ? `${failed} of ${verdicts.length} calls to the language model failed` : '',
    unreadable > 0 ? `${unreadable} of ${verdicts.length} answers were invalid` : '',
  ].filter((part) => part !== '');
  return parts.length === 0
    ? null
    : `${parts.join(', ')}; the candidates in question are left for review.`;
}

/**
 * The failure of an audit that is impossible, because every call failed, or because there were several and all answers
 * had the wrong format. A single invalid answer only leaves its few candidates for review.
 */
function wholeFailure(verdicts: readonly Verdict[], asked: ChosenModel): StageFailure | null {
  if (verdicts.length === 0 || verdicts.some((verdict) => 'edits' in verdict)) return null;
  const failed = verdicts.find((verdict) => 'failure' in verdict);
  if (failed) return failed.failure;
  if (verdicts.length === 1) return null;
  return new StageFailure({
    code: 'audit_unparseable',
    message: `${asked.model} did not follow the answer schema of the audit in any of ${verdicts.length} calls.`,
    retryable: false,
    provider: asked.service.provider,
    model: asked.model,
    suggestions: [],
  });
}
