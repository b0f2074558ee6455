/** The corrections of terms: what was heard, what it became, why, how sure; to accept or reject. */
import { useMemo } from 'preact/hooks';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { Icon } from '../components/icon.tsx';
import { text } from '../strings.ts';
import type { Commands } from './commands.ts';
import { lastStartedAt } from './cue-at.ts';
import { decideTerms } from './decide-terms.ts';
import { sameKind } from './model/corrections.ts';
import type { Decision } from './model/change.ts';
import { decisionOn, type Review } from './review.ts';

export interface TermsPanelProps {
  review: Review;
  commands: Commands;
}

/** The list; those to review come first. */
export function TermsPanel({ review, commands }: TermsPanelProps) {
  const { corrections } = review;
  // Typing changes no decision, and this list may be long.
  const decisions = review.decisions.value;
  const kinds = useMemo(() => kindsOf(corrections), [corrections]);
  if (corrections.length === 0) return <p>{text.review.termsNone}</p>;
  // The order is that of the start: a decision moves nothing from under the pointer.
  const listed = [
    ...corrections.filter(({ decision }) => decision === 'needs_review'),
    ...corrections.filter(({ decision }) => decision !== 'needs_review'),
  ];
  const open = corrections.filter(({ id }) => decisionOn(decisions, id) === 'open');
  return (
    <>
      <p class="hint">{text.review.termsHint}</p>
      {open.length > 1 && (
        <button type="button" onClick={() => decideTerms(review, open, 'accepted')}>
          {text.review.acceptOpen}
        </button>
      )}
      <ul class="terms">
        {listed.map((correction) => (
          <Term
            key={correction.id}
            correction={correction}
            decision={decisionOn(decisions, correction.id)}
            same={kinds.get(correction) ?? []}
            review={review}
            commands={commands}
          />
        ))}
      </ul>
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

/** The corrections that make the same of the same words, of each. */
function kindsOf(corrections: readonly TermCorrection[]) {
  const kinds = new Map<TermCorrection, readonly TermCorrection[]>();
  for (const correction of corrections) {
    if (kinds.has(correction)) continue;
    const same = sameKind(corrections, correction);
    for (const each of same) kinds.set(each, same);
  }
  return kinds;
}

interface TermProps extends TermsPanelProps {
  correction: TermCorrection;
  decision: Decision;
  /** Those of its kind; itself too. */
  same: readonly TermCorrection[];
}

function Term({ correction, decision, same, review, commands }: TermProps) {
  const { before, after, confidence, reason, start } = correction;
  return (
    <li class={`term ${decision}`}>
      <button
        type="button"
        class="plain term-words"
        onClick={() => {
          const cues = review.cues.peek();
          commands.select(cues[lastStartedAt(cues, start + 0.001)], null);
        }}
      >
        <del>{before}</del> → <ins>{after}</ins>
      </button>
      <span class="term-confidence">{text.review.confidence(confidence)}</span>
      <span class={`state ${decision}`}>{text.review.decisions[decision]}</span>
      <span class="term-actions">
        <button
          type="button"
          aria-label={text.review.acceptLabel(before, after)}
          title={text.review.accept}
          aria-pressed={decision === 'accepted'}
          onClick={() => decideTerms(review, [correction], 'accepted')}
        >
          <Icon name="check" />
        </button>
        <button
          type="button"
          aria-label={text.review.rejectLabel(before, after)}
          title={text.review.reject}
          aria-pressed={decision === 'rejected'}
          onClick={() => decideTerms(review, [correction], 'rejected')}
        >
          <Icon name="cross" />
        </button>
      </span>
      <p class="hint">{reason}</p>
      {same.length > 1 && (
        <p class="term-all">
          <button type="button" class="plain" onClick={() => decideTerms(review, same, 'accepted')}>
            {text.review.acceptAll(same.length)}
          </button>
          <button type="button" class="plain" onClick={() => decideTerms(review, same, 'rejected')}>
            {text.review.rejectAll(same.length)}
          </button>
        </p>
      )}
    </li>
  );
}
