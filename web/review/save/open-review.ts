/** Opens a review from a result and the journal of its edits. */
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { readJournal, type Journal } from '../../storage/journals.ts';
import { isReadOnly } from '../../tab/guest.ts';
import { text } from '../../texts/review.ts';
import { type Change, openReview } from '../model/history.ts';
import { initialDecisions } from '../model/corrections.ts';
import { overlapOf, reviewCues } from '../model/cue.ts';
import { type Looks, looksOf } from '../model/looks.ts';
import { withRecognisedSpeakers } from '../model/cue-speakers.ts';
import { createReview, type Review } from '../editing/review.ts';
import { tabLock, VIEWING, type TabLock } from '../editing/tab-lock.ts';
import { knowLanguage } from './caption-language.ts';

/** A review, and the lock that decides whether this tab writes it. */
export interface OpenedReview {
  review: Review;
  lock: TabLock;
}

/** What the captions of a file have that the desk does not show; undefined for those of a run. */
function looksOfResult({ captions, metadata }: CaptionerCompletedResult): Looks[] | undefined {
  const isFile = Object(metadata)['file'] !== undefined;
  return isFile ? (captions.cues as readonly Looks[]).map(looksOf) : undefined;
}

/** Opens the review of a run as it was left, or as another tab has it. */
export async function openReviewOf(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
): Promise<OpenedReview> {
  const { corrections, evidentPacks } = result.audit;
  const { words } = result.transcript;
  const asked = result.input['language'];
  const language = typeof asked === 'string' ? asked : 'en';
  const known = knowLanguage(language);
  const source = {
    runId,
    name,
    settings: result.captions.settings,
    language,
    words,
    corrections,
    evidentPacks,
    original: withRecognisedSpeakers(reviewCues(result.captions.cues), words),
    looks: looksOfResult(result),
  };
  const decisions = initialDecisions(corrections, evidentPacks);
  const replay = ({ changes, position }: Journal) =>
    openReview(source.original, decisions, changes.map(asOneStep), position);
  if (isReadOnly()) {
    await known;
    const { state } = replay({ changes: [], position: 0 });
    return { review: createReview(source, state, VIEWING), lock: VIEWING };
  }
  let review: Review | null = null;
  const reload = async () => {
    // Pending journal writes are newer than what would be read.
    if (!review || !(await review.flush())) return;
    review.follow(replay(await readJournal(runId)).state);
  };
  const lock = tabLock(runId, {
    reload,
    flush: async () => (await review?.flush()) ?? true,
  });
  await Promise.all([lock.join(), known]);
  const isFollowing = lock.role.peek() === 'following';
  // A browser that blocks storage opens every review from the start.
  const nothing = { changes: [], position: 0 };
  const { state, dropped } = replay(await readJournal(runId).catch(() => nothing));
  review = createReview(source, state, lock);
  // The writing tab may have continued in the meantime.
  if (isFollowing) await reload();
  const overlaps = source.original.filter((cue, at, all) => overlapOf(cue, all[at + 1]) > 0).length;
  if (overlaps > 0) review.message.value = text.review.overlaps(overlaps);
  const own = state.changes.slice(0, state.position).filter(({ fixed }) => !fixed).length;
  if (own > 0) review.message.value = text.review.restored(own);
  if (dropped > 0) review.message.value = text.review.dropped;
  return { review, lock };
}

/** A stored change without its group, so that typing after a reload is a separate undo step. */
const asOneStep = ({ kind, splices, cueId, decisions = [], fixed }: Change): Change => ({
  kind,
  splices,
  cueId,
  decisions,
  ...(fixed ? { fixed } : {}),
});
