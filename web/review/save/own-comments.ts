/** The comments on captions that came from a file: they stay in this browser, as those captions do. */
import { csvRow } from '../../../server/captions/files/csv.ts';
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import { LINK } from '../../../server/contract/limits.ts';
import type { ReviewComment } from '../../../server/contract/sharing.ts';
import { keepOwnComments, ownCommentsOf } from '../../storage/own-comments.ts';
import { sharing } from '../../texts/sharing.ts';
import { NotKept, type CommentService } from './comments.ts';

const read = (runId: string): ReviewComment[] => JSON.parse(ownCommentsOf(runId) ?? '[]');

async function change(
  runId: string,
  by: (comments: readonly ReviewComment[]) => ReviewComment[],
): Promise<void> {
  const comments = by(read(runId));
  if (comments.length > LINK.maxComments) throw new NotKept(sharing.tooMany(LINK.maxComments));
  if (!keepOwnComments(runId, JSON.stringify(comments))) throw new NotKept(sharing.notKept);
}

/** The comments of captions from a file, in the place of the service. */
export const ownComments: CommentService = {
  key: () => 'own',
  refuseKey() {},
  every: 60_000,
  async list(_key, runId, tag) {
    const kept = ownCommentsOf(runId) ?? '[]';
    return kept === tag ? null : { comments: read(runId), tag: kept };
  },
  add: (_key, runId, { name, text, at = 0, parentId = null }) =>
    change(runId, (comments) => {
      const of = comments.find(({ id }) => id === parentId);
      const made: ReviewComment = {
        id: crypto.randomUUID(),
        parentId,
        linkId: null,
        name,
        at: of?.at ?? at,
        text,
        settled: false,
        createdAt: new Date().toISOString(),
      };
      return [...comments, made];
    }),
  settle: (_key, runId, id, settled) =>
    change(runId, (comments) =>
      comments.map((each) => (each.id === id ? { ...each, settled } : each)),
    ),
  delete: (_key, runId, id) =>
    change(runId, (comments) => comments.filter((each) => each.id !== id && each.parentId !== id)),
  csv: async (_key, runId) =>
    [
      csvRow(['time', 'name', 'comment', 'settled', 'written', 'id', 'answers']),
      ...read(runId).map((each) =>
        csvRow([
          formatTimestamp(each.at, '.'),
          each.name,
          each.text,
          each.settled ? 'yes' : 'no',
          each.createdAt,
          each.id,
          each.parentId ?? '',
        ]),
      ),
    ].join(''),
};
