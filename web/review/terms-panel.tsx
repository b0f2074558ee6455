/** The corrections of terms, kind by kind, each in its sentence: to accept or to reject. */
import { useMemo } from 'preact/hooks';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { Icon } from '../components/icon.tsx';
import { position } from '../format.ts';
import { text } from './strings.ts';
import type { Commands } from './commands.ts';
import { lastStartedAt } from './cue-at.ts';
import { decideTerms } from './decide-terms.ts';
import { sameKind } from './model/corrections.ts';
import type { Decision } from './model/change.ts';
import { sentenceOf } from './model/sentence.ts';
import { decisionOn, type Review } from './review.ts';

export interface TermsPanelProps {
  review: Review;
  commands: Commands;
}

/** The list; kinds with something to review come first. */
export function TermsPanel({ review, commands }: TermsPanelProps) {
  const { corrections } = review;
  // Typing changes no decision, and this list may be long.
  const decisions = review.decisions.value;
  // The order is that of the start: a decision moves nothing from under the pointer.
  const kinds = useMemo(() => kindsOf(corrections), [corrections]);
  const listed = useMemo(
    () =>
      kinds.map((kind) => (
        <Kind key={kind[0]?.id} kind={kind} review={review} commands={commands} />
      )),
    [kinds, decisions],
  );
  if (corrections.length === 0) return <p>{text.review.termsNone}</p>;
  return (
    <>
      <p class="hint">{text.review.termsHint}</p>
      <ul class="terms">{listed}</ul>
    </>
  );
}

/** The correction that keys decide on: the first open one of the current cue, else the first of it. */
export function currentTerm(review: Review): TermCorrection | undefined {
  const cue = review.cues.peek()[review.currentIndex.peek()];
  if (!cue) return undefined;
  const here = review.corrections.filter(({ start, end }) => start < cue.end && end > cue.start);
  const decisions = review.decisions.peek();
  return here.find(({ id }) => decisionOn(decisions, id) === 'open') ?? here[0];
}

/** The corrections that make the same of the same words, together; those to review come first. */
function kindsOf(corrections: readonly TermCorrection[]): (readonly TermCorrection[])[] {
  const seen = new Set<TermCorrection>();
  const kinds = corrections.flatMap((correction) => {
    if (seen.has(correction)) return [];
    const kind = sameKind(corrections, correction);
    for (const each of kind) seen.add(each);
    return [kind];
  });
  const isOpen = (kind: readonly TermCorrection[]) =>
    kind.some(({ decision }) => decision === 'needs_review');
  return [...kinds.filter(isOpen), ...kinds.filter((kind) => !isOpen(kind))];
}

interface KindProps extends TermsPanelProps {
  kind: readonly TermCorrection[];
}

/** What was heard and what it becomes, then every place of it. Only what is seen can be settled at once. */
function Kind({ kind, review, commands }: KindProps) {
  const [first] = kind;
  if (!first) return null;
  const { before, after, reason } = first;
  return (
    <li class="term-kind">
      <p class="term-words">
        <del>{before}</del> → <ins>{after}</ins>
        {kind.length > 1 && <span class="hint"> {text.review.termTimes(kind.length)}</span>}
      </p>
      <p class="hint">{reason}</p>
      <ul>
        {kind.map((correction) => (
          <Place key={correction.id} correction={correction} review={review} commands={commands} />
        ))}
      </ul>
      {kind.length > 1 && (
        <p class="term-all">
          <button type="button" class="plain" onClick={() => decideTerms(review, kind, 'accepted')}>
            {text.review.acceptAll(kind.length)}
          </button>
          <button type="button" class="plain" onClick={() => decideTerms(review, kind, 'rejected')}>
            {text.review.rejectAll(kind.length)}
          </button>
        </p>
      )}
    </li>
  );
}

interface PlaceProps extends TermsPanelProps {
  correction: TermCorrection;
}

/** One place: its sentence, what is decided, and the buttons to decide. */
function Place({ correction, review, commands }: PlaceProps) {
  const { id, before, after, confidence, start } = correction;
  const decision: Decision = decisionOn(review.decisions.peek(), id);
  const sentence = sentenceOf(review.cues.peek(), correction, decision, review.language);
  const time = position(start);
  return (
    <li class={`term ${decision}`}>
      <button
        type="button"
        class="plain term-sentence"
        lang={review.language}
        title={text.review.termPlace(time)}
        onClick={() => {
          const cues = review.cues.peek();
          commands.select(cues[lastStartedAt(cues, start + 0.001)], null);
        }}
      >
        {sentence ? (
          <>
            {sentence.before}
            <mark>{sentence.words}</mark>
            {sentence.after}
          </>
        ) : (
          text.review.termPlace(time)
        )}
      </button>
      <span class="term-confidence">{text.review.confidence(confidence)}</span>
      <span class={`state ${decision}`}>{text.review.decisions[decision]}</span>
      <span class="term-actions">
        <button
          type="button"
          aria-label={text.review.acceptLabel(before, after, time)}
          title={text.review.accept}
          aria-pressed={decision === 'accepted'}
          onClick={() => decideTerms(review, [correction], 'accepted')}
        >
          <Icon name="check" />
        </button>
        <button
          type="button"
          aria-label={text.review.rejectLabel(before, after, time)}
          title={text.review.reject}
          aria-pressed={decision === 'rejected'}
          onClick={() => decideTerms(review, [correction], 'rejected')}
        >
          <Icon name="cross" />
        </button>
      </span>
    </li>
  );
}
