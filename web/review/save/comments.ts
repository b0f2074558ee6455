/** The comments on a review: read again every few seconds, and placed at the captions. */
import {
  computed,
  effect,
  type ReadonlySignal,
  signal,
  type Signal,
  untracked,
} from '@preact/signals';
import type { ReviewComment, ReviewCommentInput } from '../../../server/contract/sharing.ts';
import { ApiProblem, NoAnswer } from '../../api/request.ts';
import { commentService } from '../../api/sharing.ts';
import { bearerHere, guest, type Bearer } from '../../tab/guest.ts';
import { sharing } from '../../texts/sharing.ts';
import { lastStartedAt } from '../model/cue.ts';
import type { Review } from '../editing/review.ts';

/** A comment with its answers. */
interface Thread {
  readonly comment: ReviewComment;
  readonly answers: readonly ReviewComment[];
}

export interface Comments {
  /** By time. */
  readonly threads: ReadonlySignal<readonly Thread[]>;
  /** Those that are not settled. */
  readonly open: ReadonlySignal<readonly Thread[]>;
  /** The open ones by the id of the caption at which they are shown. */
  readonly byCue: ReadonlySignal<ReadonlyMap<number, readonly Thread[]>>;
  /** Whether the service has this review for the sender. */
  readonly isThere: ReadonlySignal<boolean>;
  /** The id of the comment to bring into view. */
  readonly shown: Signal<string | null>;
  /** These return the reason why nothing was sent; '' if it was. */
  add(input: ReviewCommentInput): Promise<string>;
  settle(id: string, settled: boolean): Promise<string>;
  delete(id: string): Promise<string>;
  /** All of them as CSV. @throws {ApiProblem} @throws {NoAnswer} */
  csv(): Promise<string>;
}

/** A comment that this browser does not keep. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** Access to the service, replaced in tests; `every` is the interval of reading, in milliseconds. */
export type CommentService = Bearer & typeof commentService & { every: number };

const serviceHere = (): CommentService => ({
  ...bearerHere(),
  ...commentService,
  every: 3000,
});

const NONE: ReadonlyMap<number, readonly Thread[]> = new Map();

/** Follows the comments until `stop` is aborted. */
export function followComments(
  { runId, cues }: Pick<Review, 'runId' | 'cues'>,
  stop: AbortSignal,
  service: CommentService = serviceHere(),
): Comments {
  const list = signal<readonly ReviewComment[]>([]);
  const isThere = signal(false);
  const threads = computed(() => threadsOf(list.value));
  const open = computed(() => threads.value.filter(({ comment }) => !comment.settled));
  let tag: string | null = null;
  /** Whether the service has refused this bearer. */
  let isRefused = false;
  let reading: Promise<void> | null = null;

  const read = async (key: string): Promise<void> => {
    try {
      const found = await service.list(key, runId, tag, stop);
      isThere.value = true;
      if (!found) return;
      tag = found.tag;
      list.value = found.comments;
    } catch (error) {
      if (stop.aborted || !(error instanceof ApiProblem) || error.isPassing) return;
      isRefused = true;
      // What was read stays visible when a link has ended.
      if (error.status === 401) service.refuseKey();
      else isThere.value = false;
    }
  };
  const look = (): Promise<void> => {
    const key = untracked(service.key);
    if (key === null || isRefused) return Promise.resolve();
    reading ??= read(key).finally(() => {
      reading = null;
    });
    return reading;
  };
  const end = effect(() => {
    // A guest whose link has ended keeps what was read; somebody who signs out does not.
    if (service.key() === null && guest.peek() === null) isThere.value = false;
    tag = null;
    isRefused = false;
    untracked(() => void look());
  });
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible') void look();
  }, service.every);
  stop.addEventListener('abort', () => {
    clearInterval(timer);
    end();
  });

  const send = async (work: (key: string) => Promise<unknown>): Promise<string> => {
    const key = untracked(service.key);
    if (key === null) return sharing.over;
    try {
      await work(key);
    } catch (error) {
      if (error instanceof ApiProblem) return sharing.notSent(error.message);
      if (error instanceof NoAnswer) return sharing.offline;
      if (error instanceof NotKept) return error.message;
      throw error;
    }
    // One that began before this change would not see it.
    await reading;
    await look();
    return '';
  };
  return {
    threads,
    open,
    byCue: computed(() => {
      if (open.value.length === 0) return NONE;
      const placed = new Map<number, Thread[]>();
      for (const thread of open.value) {
        const at = lastStartedAt(cues.value, thread.comment.at + 0.0005);
        const id = cues.value[Math.max(0, at)]?.id ?? -1;
        placed.set(id, [...(placed.get(id) ?? []), thread]);
      }
      return placed;
    }),
    isThere,
    shown: signal(null),
    add: (input) => send((key) => service.add(key, runId, input)),
    settle: (id, settled) => send((key) => service.settle(key, runId, id, settled)),
    delete: (id) => send((key) => service.delete(key, runId, id)),
    csv: () => service.csv(untracked(service.key) ?? '', runId),
  };
}

function threadsOf(comments: readonly ReviewComment[]): Thread[] {
  return comments
    .filter(({ parentId }) => parentId === null)
    .map((comment) => ({
      comment,
      answers: comments.filter(({ parentId }) => parentId === comment.id),
    }))
    .toSorted((a, b) => a.comment.at - b.comment.at);
}
