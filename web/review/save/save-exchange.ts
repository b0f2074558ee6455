/**
 * Exchanges a review with the service: reads and merges what others have saved, then writes over
 * the version that was read. The last common version is stored, so that offline edits can be merged
 * later.
 */
import { signal, type Signal } from '@preact/signals';
import { ApiProblem } from '../../api/request.ts';
import type { readReview, writeReview } from '../../api/runs.ts';
import type { ServiceCopy } from '../../storage/service-copies.ts';
import { initialDecisions } from '../model/corrections.ts';
import {
  cuesIn,
  decisionsFrom,
  isTakenAt,
  regionsOf,
  seenCues,
  splicesFrom,
  type Versions,
  type Region,
  type AcceptedChange,
} from '../model/merge-reviews.ts';
import { listedSpeakers, sharedCue } from '../model/cue-speakers.ts';
import type { Review } from '../editing/review.ts';
import {
  allDecisions,
  decidedOnly,
  isSameReview,
  reviewInput,
  sharedReview,
  withKnownSpeakers,
} from './save-document.ts';
import { type SharedReview } from '../model/shared-review.ts';
import type { Decision } from '../model/history.ts';
import type { ReviewCue, SharedCue } from '../model/cue.ts';

/**
 * `here`: only in this browser; `choose`: waiting for the user to choose between versions;
 * `refused`: see `problem`.
 */
type SaveState = 'here' | 'saving' | 'saved' | 'choose' | 'refused';

/** The service and the stored copies, replaced in tests. */
export interface ReviewService {
  read: typeof readReview;
  write: typeof writeReview;
  load(runId: string): Promise<ServiceCopy | undefined>;
  keep(runId: string, copy: ServiceCopy): Promise<void>;
}

export interface ReviewExchange {
  readonly state: Signal<SaveState>;
  /** The conflicts to resolve before anything more is saved. */
  readonly conflicts: Signal<readonly Conflict[]>;
  /** The colleagues' changes that were merged into the review. */
  readonly news: Signal<readonly AcceptedChange[]>;
  readonly finished: Signal<boolean>;
  /** The tag of the last version that both sides had; null if there was none. */
  tag(): string | null;
  /**
   * Reads the stored copy again, because another tab or another key may have saved in the meantime.
   */
  forget(): void;
  /**
   * Reads, merges and writes.
   * @param asks whether to read the service's version even if there is nothing to write
   */
  exchange(key: string, asks: boolean, stop: AbortSignal): Promise<void>;
  /** Resolves a conflict; false if there is none any more. */
  choose(key: string, side: 'mine' | 'theirs'): Promise<boolean>;
  /** Sends unsaved changes once, while the page is being closed. */
  sendLast(key: string): Promise<void>;
}

/** The most attempts to save while others save at the same time. */
const MAX_ROUNDS = 5;
/** The largest body that a browser sends while the page is being closed. */
const MAX_KEEPALIVE_CHARS = 20_000;

/** Creates the exchange of a review. */
export function reviewExchange(review: Review, service: ReviewService): ReviewExchange {
  const { runId } = review;
  const state = signal<SaveState>('here');
  const conflicts = signal<readonly Conflict[]>([]);
  const news = signal<readonly AcceptedChange[]>([]);
  const finished = signal(false);
  const initial = initialDecisions(review.corrections, review.evidentPacks);
  const untouched: SharedReview = {
    cues: review.original.map(sharedCue),
    decisions: [],
    speakers: [],
    finished: false,
  };
  const nothing: ServiceCopy = { tag: null, seen: null, sent: null, finished: false };
  let copy = nothing;
  let isLoaded = false;
  /** The other version, while there are conflicts. */
  let other: { review: SharedReview; tag: string } | null = null;

  const seen = (): SharedReview => copy.seen ?? untouched;
  const mine = (): SharedReview => {
    review.applyTyped();
    const cues = review.cues.peek().map(sharedCue);
    return {
      cues,
      decisions: decidedOnly(review.decisions.peek(), initial),
      speakers: listedSpeakers(cues, seen().speakers),
      finished: finished.peek(),
    };
  };
  const keep = async (now: Partial<ServiceCopy>): Promise<void> => {
    copy = { ...copy, ...now, finished: finished.peek() };
    // If the browser blocks storage, the copy lasts as long as the page.
    await service.keep(runId, copy).catch(() => {});
  };
  const sides = (theirs: SharedReview): Sides => ({ seen: seen(), theirs, initial });
  /** Once no conflicts are left, both sides have seen the other version. */
  const settle = (now: SharedReview, tag: string): Promise<void> => {
    if (conflicts.peek().length > 0) return keep({ seen: now, sent: null });
    other = null;
    return keep({ tag, seen: now, sent: null });
  };

  /** Reads the service's version; false if this tab may no longer write. */
  const look = async (key: string, stop: AbortSignal): Promise<boolean> => {
    const { tag, sent } = copy;
    const found = await service.read(key, runId, tag, stop);
    if (review.role.peek() === 'following') return false;
    // A page that was closed meanwhile, and is shown again, has sent its last changes.
    if (copy.tag !== tag) return look(key, stop);
    if (found === 'same') {
      if (sent) await keep({ sent: null });
      return true;
    }
    if (!found) {
      // The review was deleted on the service: the next change made here creates it again.
      if (tag !== null || sent)
        await keep({ tag: null, seen: tag ? mine() : copy.seen, sent: null });
      return true;
    }
    const stored = sharedReview(found.review, initial);
    if (sent && isSameReview(sent, stored)) {
      await keep({ tag: found.tag, seen: sent, sent: null });
      return true;
    }
    const theirs = withKnownSpeakers(stored, seen());
    other = { review: theirs, tag: found.tag };
    const isFirst = tag === null && review.state.peek().position === 0;
    if (theirs.finished !== seen().finished) finished.value = theirs.finished;
    const joined = mergeReviews(review, sides(theirs));
    if (!isFirst) news.value = [...news.peek(), ...joined.taken];
    conflicts.value = joined.conflicts;
    await settle(joined.seen, found.tag);
    return true;
  };

  const write = async (key: string): Promise<boolean> => {
    const sending = mine();
    if (review.role.peek() === 'viewing' || isSameReview(sending, seen())) {
      state.value = copy.tag === null ? 'here' : 'saved';
      return true;
    }
    state.value = 'saving';
    const { tag } = copy;
    await keep({ sent: sending });
    try {
      const saved = await service.write(key, runId, reviewInput(sending), tag);
      await keep({ tag: saved, seen: sending, sent: null });
      state.value = isSameReview(mine(), sending) ? 'saved' : 'here';
      return true;
    } catch (error) {
      // An error answer means that nothing was saved; without an answer it is unknown.
      if (error instanceof ApiProblem) await keep({ sent: null });
      if (!isOutrun(error)) throw error;
      return false;
    }
  };

  return {
    state,
    conflicts,
    news,
    finished,
    tag: () => copy.tag,
    forget() {
      isLoaded = false;
    },
    async exchange(key, isAsked, stop) {
      if (!isLoaded) {
        isLoaded = true;
        copy = (await service.load(runId).catch(() => {})) ?? nothing;
        finished.value ||= copy.finished;
      }
      let asks = isAsked;
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        if ((asks || copy.sent || other) && !(await look(key, stop))) return;
        if (conflicts.peek().length > 0) {
          state.value = 'choose';
          return;
        }
        if (await write(key)) return;
        asks = true;
      }
    },
    async choose(key, side) {
      if (!other) return false;
      const { review: theirs, tag } = other;
      const chosen = chooseSide(review, sides(theirs), key, side);
      conflicts.value = chosen.conflicts;
      await settle(chosen.seen, tag);
      return true;
    },
    async sendLast(key) {
      if (!isLoaded || copy.sent || conflicts.peek().length > 0) return;
      if (review.role.peek() === 'viewing') return;
      const last = mine();
      if (isSameReview(last, seen())) return;
      const { tag } = copy;
      const kept = keep({ sent: last });
      const body = reviewInput(last);
      // A longer body may not be sent now; it is saved when the review is next opened.
      const keepalive = JSON.stringify(body).length < MAX_KEEPALIVE_CHARS;
      const saved = await service.write(key, runId, body, tag, { keepalive }).catch(() => null);
      await kept;
      if (saved) await keep({ tag: saved, seen: last, sent: null });
    },
  };
}

/** Whether somebody else has saved in the meantime. */
const isOutrun = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 412 || error.status === 428);

/** Captions that two people have changed differently. */
interface Conflict {
  /** Identifies the place in the other version; stable as long as that version is. */
  readonly key: string;
  readonly mine: readonly ReviewCue[];
  readonly theirs: readonly SharedCue[];
}

/** The last version that both have seen, and the other side's version. */
interface Sides {
  readonly seen: SharedReview;
  readonly theirs: SharedReview;
  /** The decisions as the run left them. */
  readonly initial: ReadonlyMap<string, Decision>;
}

/** The result of a merge. */
interface MergedReview {
  taken: readonly AcceptedChange[];
  conflicts: readonly Conflict[];
  /** The version that both have seen from now on. */
  seen: SharedReview;
}

const keyOf = ({ theirs }: Region): string => `${theirs.from}-${theirs.to}`;
const isTaken = ({ kind }: Region): boolean => kind === 'theirs' || kind === 'joined';

/** Takes over the other side's changes where only they made any, and returns the conflicts. */
function mergeReviews(review: Review, { seen, theirs, initial }: Sides): MergedReview {
  const { state } = review;
  review.applyTyped();
  review.applyTyped();
  const { cues, decisions, nextId, position } = state.peek();
  const versions = versionsOf(review, seen, theirs);
  const regions = regionsOf(versions);
  const { splices, taken } = splicesFrom(regions, cues, theirs.cues, nextId, isTaken);
  const timeOf = timesOf(review);
  const decided = decisionsFrom(
    {
      base: allDecisions(seen, initial),
      mine: decisions,
      theirs: allDecisions(theirs, initial),
    },
    (id) => isTakenAt(regions, versions, isTaken, timeOf(id)),
  );
  if (splices.length + decided.length > 0) {
    const isFirst = position === 0;
    review.edit(isFirst ? 'opened' : 'colleague', splices, {
      decisions: decided,
      quiet: true,
      fixed: isFirst,
      arrived: true,
    });
  }
  return {
    taken,
    conflicts: conflictsOf(regions, review, theirs),
    seen: { ...theirs, cues: seenCues(regions, versions) },
  };
}

/**
 * Resolves one conflict. Taking the other side's captions also takes the decisions on terms in
 * them; keeping mine counts from now on as a change to theirs.
 */
function chooseSide(
  review: Review,
  { seen, theirs, initial }: Sides,
  key: string,
  side: 'mine' | 'theirs',
): Pick<MergedReview, 'conflicts' | 'seen'> {
  const versions = versionsOf(review, seen, theirs);
  const regions = regionsOf(versions);
  const chosen = regions.find((region) => region.kind === 'conflict' && keyOf(region) === key);
  if (chosen && side === 'theirs') {
    const { cues, decisions, nextId } = review.state.peek();
    const isChosen = (region: Region): boolean => region === chosen;
    const { splices } = splicesFrom(regions, cues, theirs.cues, nextId, isChosen);
    const timeOf = timesOf(review);
    const theirDecisions = [...allDecisions(theirs, initial)].filter(([id]) =>
      isTakenAt(regions, versions, isChosen, timeOf(id)),
    );
    review.edit('colleague', splices, {
      quiet: true,
      decisions: decisionsFrom(
        { base: decisions, mine: decisions, theirs: new Map(theirDecisions) },
        () => true,
      ),
    });
  }
  const settled = regions.map((region): Region =>
    region === chosen ? { ...region, kind: 'mine' } : region,
  );
  const now = { ...theirs, cues: seenCues(settled, versions) };
  const left = regionsOf(versionsOf(review, now, theirs));
  return { seen: now, conflicts: conflictsOf(left, review, theirs) };
}

const versionsOf = (review: Review, seen: SharedReview, theirs: SharedReview): Versions => ({
  base: seen.cues,
  mine: review.cues.peek().map(sharedCue),
  theirs: theirs.cues,
});

const conflictsOf = (
  regions: readonly Region[],
  review: Review,
  theirs: SharedReview,
): Conflict[] =>
  regions
    .filter(({ kind }) => kind === 'conflict')
    .map((region) => ({
      key: keyOf(region),
      mine: cuesIn(review.cues.peek(), region.mine),
      theirs: cuesIn(theirs.cues, region.theirs),
    }));

const timesOf = ({ corrections }: Review): ((id: string) => number) => {
  const times = new Map(corrections.map(({ id, start, end }) => [id, (start + end) / 2]));
  return (id) => times.get(id) ?? -1;
};
