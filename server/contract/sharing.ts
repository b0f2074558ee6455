/** Handing on a review: links that open it without a key, and comments on it. */
import * as limits from './limits.ts';
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** What a link allows, each including those before it: read; comment; save the review. */
export const LINK_RIGHTS = ['view', 'comment', 'edit'] as const;
export type LinkRight = (typeof LINK_RIGHTS)[number];

/** The beginning of every token of a link, which distinguishes it from an API key. */
export const LINK_PREFIX = 'link_';

const right = () =>
  enumeration(LINK_RIGHTS, { description: 'read; comment as well; save the review as well' });

/** Text with something in it; PostgreSQL stores no null characters. */
const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$', description });

const linkName = () =>
  words(limits.LINK.maxLinkNameChars, 'what it is called, such as who it is for');

/** A link to make. */
export const ReviewLinkInput = closed({
  right: right(),
  days: Type.Optional(
    Type.Integer({ ...limits.LINK.days, description: 'the days for which it is valid' }),
  ),
  name: Type.Optional(linkName()),
  sound: Type.Optional(
    Type.Boolean({ description: 'whether its guests hear the sound that stays with the run' }),
  ),
  video: Type.Optional(
    Type.Boolean({ description: 'whether its guests see the video that stays with the run' }),
  ),
});

/** Another name for a link. */
export const ReviewLinkPatch = closed({ name: Type.Union([linkName(), Type.Null()]) });

const link = {
  id: Type.String(),
  runId: Type.String(),
  right: right(),
  createdAt: dateTime(),
  expiresAt: dateTime(),
  soundBytes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description:
      'the size of the recording that whoever has the link hears, its own or that of the run; null if there is none',
  }),
  videoBytes: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description: 'the size of the video that they see; null if there is none',
  }),
  name: Type.Union([Type.String(), Type.Null()]),
  opened: Type.Integer({ minimum: 0, description: 'how often it was opened' }),
  lastOpenedAt: Type.Union([dateTime(), Type.Null()]),
};

/** A valid link, without its token. */
export const ReviewLink = closed(link);
export type ReviewLink = Static<typeof ReviewLink>;

/** A new link with its token. */
export const NewReviewLink = closed({
  ...link,
  token: Type.String({ description: 'sent as `Authorization: Bearer link_…`' }),
  url: Type.String({ description: 'opens the review in a browser; the token is after the #' }),
});
export type NewReviewLink = Static<typeof NewReviewLink>;

/** A link in a list, for the workspace that made it. */
export const ListedReviewLink = closed({
  ...link,
  url: Type.Union([Type.String(), Type.Null()], {
    description: 'opens the review in a browser; null for a link made before version 1.26',
  }),
  people: Type.Array(Type.String(), { description: 'the names of those who commented by it' }),
});
export type ListedReviewLink = Static<typeof ListedReviewLink>;

/** The valid links to a review, newest first. */
export const ReviewLinkList = closed({ links: Type.Array(ListedReviewLink) });

const name = () => words(limits.LINK.maxNameChars, 'what its author is called');
const at = () =>
  Type.Number({
    minimum: 0,
    maximum: limits.REVIEW.lastSecond,
    description: 'seconds from the start of the recording',
  });

/** A comment to make: at a time, or as an answer to another. */
export const ReviewCommentInput = closed({
  name: name(),
  text: words(limits.LINK.maxCommentChars, 'the comment'),
  at: Type.Optional(at()),
  parentId: Type.Optional(
    Type.String({ maxLength: 100, description: 'the comment that it answers, instead of `at`' }),
  ),
});
export type ReviewCommentInput = Static<typeof ReviewCommentInput>;

/** Settles a comment with its answers, or opens it again. */
export const ReviewCommentPatch = closed({ settled: Type.Boolean() });

/** A comment on a review. */
export const ReviewComment = closed({
  id: Type.String(),
  parentId: Type.Union([Type.String(), Type.Null()], {
    description: 'the comment that it answers; null for one of its own',
  }),
  linkId: Type.Union([Type.String(), Type.Null()], {
    description: 'the link it came by; null if it was made with an API key',
  }),
  name: name(),
  at: at(),
  text: Type.String(),
  settled: Type.Boolean(),
  createdAt: dateTime(),
});
export type ReviewComment = Static<typeof ReviewComment>;

/** The comments on a review, oldest first. */
export const ReviewCommentList = closed({ comments: Type.Array(ReviewComment) });
