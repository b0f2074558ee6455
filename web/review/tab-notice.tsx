/** The notice that another tab is editing this review, with a button to edit here. */
import { Notice } from '../components/notice.tsx';
import { text } from '../words/review.ts';
import type { WritingTurn } from './writing-turn.ts';

/** The notice; nothing in the writing tab. */
export function TabNotice({ turn }: { turn: WritingTurn }) {
  if (turn.role.value === 'writing') return null;
  const asking = turn.asking.value;
  return (
    <div class="tab-notice" role="status">
      <Notice kind="info">
        <p>
          {text.review.otherTab}
          {asking && ` ${text.review.asking[asking]}`}
        </p>
        <button type="button" aria-disabled={asking === 'asked'} onClick={turn.take}>
          {text.review.editHere}
        </button>
      </Notice>
    </div>
  );
}
