/** GET /workspace/evidence: all talks of a workspace with what is known of their captions, as JSON and CSV; and the statement about them. */
import { Elysia } from 'elysia';
import { csvRow } from '../../captions/files/csv.ts';
import { type TalkEvidence, TalkEvidenceList } from '../../contract/evidence.ts';
import { RUN } from '../../contract/limits.ts';
import type { Static } from '../../contract/schema.ts';
import { latestAccuracies } from '../../reviews/measurements.ts';
import { statesOf } from '../../reviews/review-states.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response, text } from '../openapi/responses.ts';
import type { PublicAddress } from '../request.ts';
import { readerLanguage } from '../reader-language.ts';
import { pageOfPeople } from './report-page.ts';
import { statementHtml } from './statement.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { factsOf, type LibraryServices } from '../runs/library.ts';
import { nameOf, PageQuery, pageOf } from '../runs/run-representation.ts';

/** The most talks in the table and in the statement, of which the newest count. */
const MOST_TALKS = 1000;
/** What a talk takes at most, with a long name. */
const BYTES_A_TALK = 2000;

/** What the figures of talks are read from. */
export type EvidenceSources = Omit<LibraryServices, 'guard'>;

/** The routes. */
export function talkEvidenceRoutes({
  guard,
  address,
  ...sources
}: LibraryServices & { address: PublicAddress }) {
  const { runs } = sources;
  const scope = 'captioner:caption:run' as const;
  /** All talks, the worst first. */
  const allOf = async (organizationId: string): Promise<TalkEvidence[]> => {
    const talks: TalkEvidence[] = [];
    let cursor: string | null = null;
    do {
      const asked = { limit: RUN.page.maximum, ...(cursor !== null && { cursor }) };
      const { page, nextCursor } = await pageOf(runs, organizationId, asked);
      talks.push(...(await evidenceOf(sources, page)));
      cursor = nextCursor;
    } while (cursor !== null && talks.length < MOST_TALKS);
    return worstFirst(talks);
  };
  return new Elysia()
    .use(guard)
    .get(
      '/workspace/evidence',
      async ({ query, sender }) => {
        return Response.json(await evidencePage(sources, sender.organizationId, query));
      },
      {
        scope,
        query: wireQuery(PageQuery),
        response: { 200: wireAnswer(TalkEvidenceList) },
        detail: detail({
          operationId: 'listEvidence',
          summary: 'List the talks of your workspace with the state and accuracy of their captions',
          description:
            'Newest first: captions, open points, review, approval, and the latest measured accuracy with its interval. Pages and cursors are those of the list of runs.',
          tags: ['Captioning'],
          responses: {
            200: answer('The talks on this page.', { talks: [], nextCursor: null }),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .get(
      '/workspace/evidence.csv',
      async ({ sender }) =>
        new Response(csvOf(await allOf(sender.organizationId)), {
          headers: {
            'content-type': 'text/csv; charset=utf-8',
            'content-disposition': 'attachment; filename="captions-of-all-talks.csv"',
            'cache-control': 'no-store',
          },
        }),
      {
        scope,
        detail: detail({
          operationId: 'getEvidenceTable',
          summary: 'Get the same as CSV, the worst talks first',
          description: 'Of the newest 1,000 talks.',
          tags: ['Captioning'],
          responses: { 200: { description: 'The table.', content: text('text/csv') } },
        }),
      },
    )
    .get(
      '/workspace/statement.html',
      async ({ request, sender }) => {
        const { organizationId: workspace } = sender;
        const talks = await allOf(workspace);
        const asked = {
          talks,
          baseUrl: address.of(request),
          isAll: talks.length < MOST_TALKS,
          language: readerLanguage(request),
        };
        const size = talks.length * BYTES_A_TALK;
        return pageOfPeople(await sources.pool.do(statementHtml, asked, { workspace, size }), {
          'content-disposition': 'attachment; filename="statement-of-conformance.html"',
          vary: 'accept-language',
        });
      },
      {
        scope,
        detail: detail({
          operationId: 'getStatement',
          summary: 'Get a statement of conformance to fill in, with the figures of your talks',
          description:
            'The rows of an accessibility conformance report (VPAT 2.5: WCAG 1.2, EN 301 549 7.1) about captions. Whether a criterion is supported is left to a person.',
          tags: ['Captioning'],
          responses: { 200: { description: 'The page.', content: text('text/html') } },
        }),
      },
    );
}

/** A page of the talks of a workspace, newest first. Throws a Problem: 422 for a cursor that is none. */
export async function evidencePage(
  sources: EvidenceSources,
  organizationId: string,
  query: Static<typeof PageQuery>,
): Promise<Static<typeof TalkEvidenceList>> {
  const { page, nextCursor } = await pageOf(sources.runs, organizationId, query);
  return { talks: await evidenceOf(sources, page), nextCursor };
}

/** What is known of some runs, in their order. */
async function evidenceOf(
  sources: Omit<EvidenceSources, 'runs'>,
  page: readonly RunSummary[],
): Promise<TalkEvidence[]> {
  const ids = page.map(({ id }) => id);
  const { database } = sources;
  const [facts, states, accuracies] = [
    await factsOf(sources, page),
    new Map((await statesOf(database, ids)).map((state) => [state.runId, state])),
    await latestAccuracies(database, ids),
  ];
  return page.map((run) => {
    const state = states.get(run.id);
    return {
      runId: run.id,
      name: nameOf(run),
      createdAt: new Date(run.createdAt).toISOString(),
      state: run.state,
      facts: facts.get(run.id) ?? null,
      review: state?.state ?? 'open',
      assignee: state?.assignee ?? null,
      due: state?.due ?? null,
      approval: state?.approval ?? null,
      measured: accuracies.get(run.id) ?? null,
    };
  });
}

/** How bad a talk stands, in classes: without captions is worst, above the goal is best. */
function rankOf({ state, facts, approval, measured }: TalkEvidence): number {
  if (state !== 'completed') return 0;
  if (measured?.state === 'below') return 1;
  if (!facts?.reviewed && !approval) return 2;
  if (approval?.changedSince) return 3;
  if (!measured) return 4;
  return measured.state === 'above' ? 6 : 5;
}

/** Orders talks: the worst first; within a class the less accurate, then those with more open points. */
const worstFirst = (talks: readonly TalkEvidence[]): TalkEvidence[] =>
  talks.toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      (one.measured?.accuracy.value ?? 1) - (other.measured?.accuracy.value ?? 1) ||
      (other.facts?.doubts ?? 0) - (one.facts?.doubts ?? 0),
  );

const COLUMNS = [
  'talk',
  'run',
  'made',
  'state',
  'minutes',
  'captions',
  'open points',
  'review done',
  'work',
  'assigned to',
  'due',
  'approved by',
  'changed since approval',
  'accuracy',
  'interval from',
  'interval to',
  'goal',
  'measured by',
  'measured on',
];

const csvOf = (talks: readonly TalkEvidence[]): string =>
  [
    COLUMNS,
    ...talks.map(({ facts, approval, measured, ...talk }) => [
      talk.name,
      talk.runId,
      talk.createdAt,
      talk.state,
      facts ? (facts.seconds / 60).toFixed(1) : '',
      facts?.captions ?? '',
      facts?.doubts ?? '',
      facts ? yesOrNo(facts.reviewed) : '',
      talk.review,
      talk.assignee ?? '',
      talk.due ?? '',
      approval?.name ?? '',
      approval ? yesOrNo(approval.changedSince) : '',
      ...(measured
        ? [
            measured.accuracy.value.toFixed(4),
            measured.accuracy.low.toFixed(4),
            measured.accuracy.high.toFixed(4),
            measured.goal,
            measured.person,
            measured.startedAt,
          ]
        : ['', '', '', '', '', '']),
    ]),
  ]
    .map((row) => csvRow(row))
    .join('');

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');
