/** Which runs the library shows, and in which order. */
import type { ReviewState } from '../../server/contract/review-versions.ts';
import { byName } from '../texts/format.ts';
import type { RunFacts, WorkflowRun } from '../../server/contract/runs.ts';

/** A run with what is known of it. */
export interface LibraryRun {
  readonly run: WorkflowRun;
  readonly name: string;
  /** What the service knows of it; undefined until it says. */
  readonly known: RunFacts | undefined;
  /** Whom it is assigned to, and whether it is approved; undefined if nobody has said so. */
  readonly review?: ReviewState | undefined;
}

/** The states to choose from; the empty one is any. */
export const STATES = ['', 'completed', 'active', 'ended', 'silent'] as const;
/** What is left to do; the empty one is anything. */
export const WORKS = [
  '',
  'open',
  'unreviewed',
  'reviewed',
  'in_review',
  'approved',
  'changed',
] as const;
/** The orders to choose from. */
export const ORDERS = ['newest', 'oldest', 'name', 'longest', 'doubts', 'due'] as const;

/** The choices of a person; empty ones leave nothing out. */
export interface LibraryFilter {
  readonly search: string;
  readonly state: (typeof STATES)[number];
  readonly work: (typeof WORKS)[number];
  /** BCP 47. */
  readonly language: string;
  /** Whom it is assigned to; null for nobody, '' for whomever. */
  readonly person: string | null;
  readonly order: (typeof ORDERS)[number];
}

/** All runs, newest first. */
export const EVERYTHING: LibraryFilter = {
  search: '',
  state: '',
  work: '',
  language: '',
  person: '',
  order: 'newest',
};

/** The state of a run in the library: one without captions has no speech. */
export const stateOf = ({ run, known }: Pick<LibraryRun, 'run' | 'known'>): string =>
  known?.captions === 0 ? 'silent' : run.state;

const IN_STATE: Readonly<Record<LibraryFilter['state'], (state: string) => boolean>> = {
  '': () => true,
  completed: (state) => state === 'completed',
  active: (state) => state === 'queued' || state === 'running',
  ended: (state) => state === 'failed' || state === 'blocked' || state === 'cancelled',
  silent: (state) => state === 'silent',
};

const HAS_WORK: Readonly<Record<LibraryFilter['work'], (run: LibraryRun) => boolean>> = {
  '': () => true,
  open: ({ known }) => known !== undefined && !known.reviewed && known.doubts > 0,
  unreviewed: ({ known }) => known !== undefined && !known.reviewed,
  reviewed: ({ known }) => known?.reviewed === true,
  in_review: ({ review }) => review?.state === 'in_review',
  approved: ({ review }) => review?.approval?.changedSince === false,
  changed: ({ review }) => review?.approval?.changedSince === true,
};

/** The day on which a run is due; those without one come last. */
const dueOf = ({ review }: LibraryRun): string => review?.due ?? '9999';

const BEFORE: Readonly<
  Record<LibraryFilter['order'], (one: LibraryRun, other: LibraryRun) => number>
> = {
  newest: () => 0,
  oldest: (one, other) => Date.parse(one.run.createdAt) - Date.parse(other.run.createdAt),
  name: (one, other) => byName(one.name, other.name),
  longest: (one, other) => (other.known?.seconds ?? 0) - (one.known?.seconds ?? 0),
  doubts: (one, other) => (other.known?.doubts ?? 0) - (one.known?.doubts ?? 0),
  due: (one, other) => dueOf(one).localeCompare(dueOf(other)),
};

/**
 * The runs to show.
 * @param runs newest first
 */
export function libraryOf(runs: readonly LibraryRun[], filter: LibraryFilter): LibraryRun[] {
  const wanted = filter.search.trim().toLowerCase();
  return runs
    .filter(
      (each) =>
        each.name.toLowerCase().includes(wanted) &&
        IN_STATE[filter.state](stateOf(each)) &&
        HAS_WORK[filter.work](each) &&
        (filter.language === '' || each.known?.language === filter.language) &&
        (filter.person === '' || (each.review?.assignee ?? null) === filter.person),
    )
    .toSorted(BEFORE[filter.order]);
}

/** Whether a filter needs to know all runs, not only the newest. */
export const needsAll = ({ search, ...filter }: LibraryFilter): boolean =>
  search.trim() !== '' ||
  filter.state !== '' ||
  filter.work !== '' ||
  filter.language !== '' ||
  filter.person !== '' ||
  filter.order !== 'newest';
