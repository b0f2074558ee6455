/** What shows on the desk that a review is shared: the button, the state of a guest, comments in the list. */
import { useComputed } from '@preact/signals';
import { Icon, IconButton } from '../../components/icon.tsx';
import { dateTime } from '../../texts/format.ts';
import { guest } from '../../tab/guest.ts';
import { text } from '../../texts/review.ts';
import { sharing } from '../../texts/sharing.ts';
import type { ReviewCue } from '../model/cue.ts';
import { type Desk, mayShare } from '../desk/desk.ts';
import { reviewWork } from '../../texts/review-work.ts';

/** The button for sharing; nothing for guests, and where the review is not on the service. */
export const ShareButton = ({ desk }: { desk: Desk }) =>
  mayShare(desk) ? (
    <IconButton
      icon="share"
      class="quiet share"
      label={text.review.share}
      title={text.review.share}
      onClick={() => (desk.view.value = 'share')}
    />
  ) : null;

/** What a guest may do, and until when; where that is to comment, a press opens the comments. Nothing for others. */
export function GuestState({ desk }: { desk: Desk }) {
  const link = guest.value;
  if (!link) return null;
  const says = sharing.asGuest[link.right];
  const until = sharing.until(dateTime(link.expiresAt));
  if (link.right !== 'comment') {
    return (
      <span class="saving" title={until}>
        {says}
      </span>
    );
  }
  return (
    <button type="button" class="plain saving" title={until} onClick={() => openComments(desk)}>
      {says}
    </button>
  );
}

/** Whom the review is assigned to, and whether it is approved; a press opens the dialog with both and the versions. */
export function WorkState({ desk }: { desk: Desk }) {
  const state = desk.work.value?.state.value;
  const says = state ? reviewWork.state(state) : '';
  if (!mayShare(desk)) return says === '' ? null : <span class="work-state">{says}</span>;
  return (
    <button
      type="button"
      class={says === '' ? 'plain' : 'plain work-state'}
      tabIndex={-1}
      onClick={() => (desk.view.value = 'work')}
    >
      {says === '' ? reviewWork.versionsTitle : says}
    </button>
  );
}

function openComments({ tab, part }: Desk): void {
  tab.value = 'comments';
  part.value = 'check';
}

const NONE: readonly never[] = [];

/** The open comments at a caption. */
export function CueComments({ desk, cue }: { desk: Desk; cue: ReviewCue }) {
  const { comments, review } = desk;
  const here = useComputed(() => comments.value?.byCue.value.get(cue.id) ?? NONE).value;
  if (here.length === 0) return null;
  const isReachable = review.currentId.value === cue.id;
  return (
    <ul class="cue-warnings">
      {here.map(({ comment, answers }) => (
        <li key={comment.id} class="comment-line">
          <Icon name="comment" />
          <span class="comment-words">
            {sharing.shown(comment.name, comment.text, answers.length)}
          </span>
          <button
            type="button"
            class="plain"
            tabIndex={isReachable ? 0 : -1}
            aria-label={sharing.openLabel(comment.name)}
            onClick={() => {
              openComments(desk);
              comments.value!.shown.value = comment.id;
            }}
          >
            {sharing.open}
          </button>
        </li>
      ))}
    </ul>
  );
}
