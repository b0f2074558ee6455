/** The earlier versions of a review, whom it is assigned to, and whether it is approved. */
import * as limits from './limits.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** Text with something in it; PostgreSQL stores no null characters. */
const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$', description });

/** A version of a review: what one person left after a session of work. */
export const ReviewVersion = closed({
  id: Type.String(),
  runId: Type.String(),
  person: Type.Union([Type.String(), Type.Null()], {
    description:
      'the address whose key saved it, or what the link of a guest is called; null if it is not known',
  }),
  guest: Type.Boolean({ description: 'whether it was saved by a link' }),
  name: Type.Union([Type.String(), Type.Null()], { description: 'a named version is kept' }),
  isCurrent: Type.Boolean({ description: 'whether it is the review as it is now' }),
  startedAt: dateTime(),
  savedAt: dateTime(),
});
export type ReviewVersion = Static<typeof ReviewVersion>;

/** The versions of a review, newest first. */
export const ReviewVersionList = closed({ versions: Type.Array(ReviewVersion) });

/** A name for a version; null takes it away. */
export const ReviewVersionPatch = closed({
  name: Type.Union([
    words(limits.REVIEW_VERSIONS.maxNameChars, 'what the version is called'),
    Type.Null(),
  ]),
});

/** How far the work on a review is. */
export const REVIEW_STATES = ['open', 'in_review', 'approved'] as const;
export type ReviewStateName = (typeof REVIEW_STATES)[number];

const person = () => words(limits.REVIEW_VERSIONS.maxPersonChars, 'an address or a name');
const due = () =>
  Type.String({
    pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
    description: 'a day, such as 2026-12-01',
  });

/** Whom a review is assigned to, and whether it is approved. */
export const ReviewState = closed({
  runId: Type.String(),
  state: enumeration(REVIEW_STATES),
  assignee: Type.Union([person(), Type.Null()]),
  due: Type.Union([due(), Type.Null()]),
  approval: Type.Union(
    [
      closed({
        name: Type.String({ description: 'who approved it' }),
        at: dateTime(),
        changedSince: Type.Boolean({
          description: 'whether the review has changed since it was approved',
        }),
      }),
      Type.Null(),
    ],
    { description: 'null unless the state is `approved`' },
  ),
});
export type ReviewState = Static<typeof ReviewState>;

/** A change of it: only what is sent changes. */
export const ReviewStatePatch = closed({
  state: Type.Optional(enumeration(REVIEW_STATES)),
  name: Type.Optional(person()),
  assignee: Type.Optional(Type.Union([person(), Type.Null()])),
  due: Type.Optional(Type.Union([due(), Type.Null()])),
});
export type ReviewStatePatch = Static<typeof ReviewStatePatch>;

/** A page of the states of reviews, in the order of the list of runs. */
export const ReviewStateList = closed({
  states: Type.Array(ReviewState),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: 'the `cursor` of the next page; null on the last page',
  }),
});
