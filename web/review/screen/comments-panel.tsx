/** The panel with the comments on the review: write, answer, settle, delete, download. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ReviewComment } from '../../../server/contract/sharing.ts';
import { TextField } from '../../components/fields.tsx';
import { saveFile } from '../../components/save-file.ts';
import { orFailure } from '../../tab/failure-text.ts';
import { position } from '../../texts/format.ts';
import { guest } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { COMMENTER } from '../../storage/own-comments.ts';
import { storeText, storedText } from '../../storage/web-storage.ts';
import { sharing } from '../../texts/sharing.ts';
import type { Comments } from '../save/comments.ts';
import type { Desk } from '../desk/desk.ts';

const MAX_NAME = 80;
const MAX_TEXT = 2000;

/** The panel. */
export function CommentsPanel({ desk }: { desk: Desk }) {
  const comments = desk.comments.value;
  const problem = useSignal('');
  if (!comments?.isThere.value) return <p class="hint">{sharing.away}</p>;
  const threads = comments.threads.value;
  const settled = threads.filter(({ comment }) => comment.settled);
  const mayWrite = guest.value === null || (guest.value.right !== 'view' && !guest.value.isOver);
  const act = (work: Promise<string>) => void work.then((said) => (problem.value = said));
  const shared = { desk, comments, mayWrite, act };
  const download = () =>
    orFailure(async () => {
      const name = `${desk.review.name.replace(/\.[^.]*$/, '')}.comments.csv`;
      saveFile(await comments.csv(), name, 'text/csv');
      return '';
    });
  return (
    <>
      {mayWrite && <Writing desk={desk} comments={comments} />}
      {problem.value !== '' && <p role="alert">{problem}</p>}
      {isOwnRun(desk.review.runId) && <p class="hint">{sharing.ofFile}</p>}
      {threads.length === 0 && <p class="hint">{sharing.noComments}</p>}
      <ol class="comments">
        {comments.open.value.map((thread) => (
          <OneThread key={thread.comment.id} thread={thread} {...shared} />
        ))}
      </ol>
      {settled.length > 0 && (
        <details class="settled">
          <summary>{sharing.settled(settled.length)}</summary>
          <ol class="comments">
            {settled.map((thread) => (
              <OneThread key={thread.comment.id} thread={thread} {...shared} />
            ))}
          </ol>
        </details>
      )}
      {threads.length > 0 && (
        <button type="button" class="plain" onClick={() => act(download())}>
          {sharing.csv}
        </button>
      )}
    </>
  );
}

interface WritingProps {
  desk: Desk;
  comments: Comments;
  /** The comment to answer; none for one at the playhead. */
  to?: ReviewComment;
  onSent?(): void;
}

/** The form for a comment or an answer. The name is asked once, and kept in this browser. */
function Writing({ desk, comments, to, onSent }: WritingProps) {
  const id = useId();
  const kept = useSignal(storedText('localStorage', COMMENTER));
  const name = useSignal(kept.peek() ?? session.peek()?.email.split('@')[0] ?? '');
  const words = useSignal('');
  /** The time at which the writing began while the recording played, which it may go on to do. */
  const begun = useSignal<number | null>(null);
  const problem = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (to) field.current?.focus();
  }, []);
  const send = async (): Promise<void> => {
    const [says, by] = [words.peek().trim(), name.peek().trim()];
    if (says === '' || by === '') return;
    const place = to ? { parentId: to.id } : { at: begun.peek() ?? desk.playback.time.peek() };
    problem.value = await comments.add({ name: by, text: says, ...place });
    if (problem.peek() !== '') return;
    storeText('localStorage', COMMENTER, by);
    kept.value = by;
    words.value = '';
    begun.value = null;
    onSent?.();
  };
  return (
    <form
      class="writing"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {kept.value === null && (
        <TextField
          label={sharing.yourName}
          hint={sharing.nameHint}
          value={name}
          autocomplete="name"
          maxLength={MAX_NAME}
          required
        />
      )}
      <div class="field">
        <label for={`${id}-text`}>
          {to
            ? sharing.answerTo(to.name)
            : sharing.write(position(begun.value ?? desk.playback.time.value))}
        </label>
        <textarea
          id={`${id}-text`}
          ref={field}
          rows={2}
          maxLength={MAX_TEXT}
          required
          value={words}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            // Where the playhead stands, it may still be moved to the place.
            const { playing, time } = desk.playback;
            const now = playing.peek() ? time.peek() : null;
            begun.value = words.peek() === '' ? null : (begun.peek() ?? now);
          }}
        />
      </div>
      {problem.value !== '' && <p role="alert">{problem}</p>}
      <button type="submit">{to ? sharing.answer : sharing.send}</button>
    </form>
  );
}

interface ThreadProps {
  desk: Desk;
  comments: Comments;
  thread: Comments['threads']['value'][number];
  mayWrite: boolean;
  act(work: Promise<string>): void;
}

function OneThread({ desk, comments, thread, mayWrite, act }: ThreadProps) {
  const { comment, answers } = thread;
  const { id, name, at, settled } = comment;
  const answering = useSignal(false);
  const row = useRef<HTMLLIElement>(null);
  const isShown = comments.shown.value === id;
  useEffect(() => {
    if (isShown) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  const time = position(at);
  return (
    <li ref={row} class="comment" aria-current={isShown}>
      <p class="comment-head">
        <button
          type="button"
          class="plain"
          aria-label={sharing.goTo(time)}
          onClick={() => {
            comments.shown.value = id;
            desk.navigation.seek(at, true);
          }}
        >
          {time}
        </button>
        <strong>{name}</strong>
      </p>
      <p class="comment-words">{comment.text}</p>
      {answers.map((answer) => (
        <div class="answer" key={answer.id}>
          <strong>{answer.name}</strong>
          <p class="comment-words">{answer.text}</p>
        </div>
      ))}
      <p class="actions">
        {mayWrite && !settled && !answering.value && (
          <button
            type="button"
            class="plain"
            aria-label={sharing.answerLabel(name, time)}
            onClick={() => (answering.value = true)}
          >
            {sharing.answer}
          </button>
        )}
        {mayWrite && (
          <button
            type="button"
            class="plain"
            aria-label={(settled ? sharing.reopenLabel : sharing.settleLabel)(name, time)}
            onClick={() => act(comments.settle(id, !settled))}
          >
            {settled ? sharing.reopen : sharing.settle}
          </button>
        )}
        {guest.value === null && (
          <button
            type="button"
            class="plain"
            aria-label={sharing.deleteLabel(name, time)}
            onClick={() => act(comments.delete(id))}
          >
            {sharing.delete}
          </button>
        )}
      </p>
      {answering.value && (
        <Writing
          desk={desk}
          comments={comments}
          to={comment}
          onSent={() => (answering.value = false)}
        />
      )}
    </li>
  );
}
