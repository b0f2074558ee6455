/** GET /workspace/evidence: all talks of a workspace with what is known of their captions, as JSON, CSV and a statement. */
import { Elysia } from 'elysia';
import { csvRow } from '../../captions/files/csv.ts';
import { type TalkEvidence, TalkEvidenceList } from '../../contract/evidence.ts';
import { RUN } from '../../contract/limits.ts';
import type { Static } from '../../contract/schema.ts';
import { latestAccuracies } from '../../reviews/measurements.ts';
import { statesOf } from '../../reviews/review-states.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { markdownTable } from '../documents/html.ts';
import { PAGE_POLICY, renderPage } from '../documents/page.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response, text } from '../openapi/responses.ts';
import type { PublicAddress } from '../request.ts';
import { plain } from './report-page.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { factsOf, type LibraryServices } from '../runs/library.ts';
import { nameOf, PageQuery, pageOf } from '../runs/run-representation.ts';

/** The most talks in the table and in the statement, of which the newest count. */
const MOST_TALKS = 1000;

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
        const { page, nextCursor } = await pageOf(runs, sender.organizationId, query);
        return Response.json({
          talks: await evidenceOf(sources, page),
          nextCursor,
        } satisfies Static<typeof TalkEvidenceList>);
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
          headers: fileHeaders('text/csv; charset=utf-8', 'captions-of-all-talks.csv'),
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
      async ({ request, sender }) =>
        new Response(statementOf(await allOf(sender.organizationId), address.of(request)), {
          headers: {
            ...fileHeaders('text/html; charset=utf-8', 'statement-of-conformance.html'),
            'content-security-policy': PAGE_POLICY,
          },
        }),
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

const fileHeaders = (type: string, name: string): Record<string, string> => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
  'cache-control': 'no-store',
});

/** What is known of some runs, in their order. */
async function evidenceOf(
  sources: Omit<LibraryServices, 'guard' | 'runs'>,
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

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** What is said of a talk in the statement. */
function sentenceOf(talk: TalkEvidence): string {
  const { state, facts, approval, measured } = talk;
  if (state !== 'completed') return `no captions (${state})`;
  const parts = [
    facts ? `${facts.captions} captions, ${facts.doubts} open points` : 'captions, not read yet',
    approval
      ? `approved by ${approval.name}${approval.changedSince ? ', changed since' : ''}`
      : facts?.reviewed
        ? 'review done'
        : 'not reviewed',
    measured
      ? `accuracy ${percent(measured.accuracy.value)} (${percent(measured.accuracy.low)} to ${percent(measured.accuracy.high)}), measured by ${measured.person}`
      : 'accuracy not measured',
  ];
  return parts.join('; ');
}

/** The statement: figures that are known, and what a person has to decide left open. */
function statementOf(talks: readonly TalkEvidence[], baseUrl: string): string {
  const completed = talks.filter(({ state }) => state === 'completed');
  const count = (has: (talk: TalkEvidence) => boolean): number => completed.filter(has).length;
  const measured = count((talk) => talk.measured !== null);
  const above = count((talk) => talk.measured?.state === 'above');
  const checked = count((talk) => talk.approval !== null || talk.facts?.reviewed === true);
  const known = `Of ${talks.length} talks in this workspace, ${completed.length} have captions; people finished or approved the review of ${checked}. The accuracy of ${measured} was measured on samples, and is above its goal in ${above}.`;
  const open = '[Supports / Partially Supports / Does Not Support / Not Applicable]';
  const person = 'Captioner does not look at this. [Remarks]';
  const markdown = [
    '# Statement of conformance: captions',
    `Drawn up on ${new Date().toISOString().slice(0, 10)} from ${plain(baseUrl)}. **Fill in what stands in brackets.** The figures are those of the workspace; whether a criterion is supported, and which talks are published, a person decides. This is no legal advice.`,
    'Organisation: [name]. Product or site: [name]. Contact: [address].',
    '## Success criteria 1.2 (WCAG 2.1 and 2.2, as VPAT 2.5 lists them)',
    markdownTable(
      ['Criterion', 'Conformance level', 'Remarks and explanations'],
      [
        ['1.2.1 Audio-only and Video-only (Prerecorded) (Level A)', open, person],
        ['1.2.2 Captions (Prerecorded) (Level A)', open, `${known} [Remarks]`],
        ['1.2.3 Audio Description or Media Alternative (Prerecorded) (Level A)', open, person],
        ['1.2.4 Captions (Live) (Level AA)', open, person],
        ['1.2.5 Audio Description (Prerecorded) (Level AA)', open, person],
      ],
    ),
    '## EN 301 549 V3.2.1, clause 7.1',
    markdownTable(
      ['Clause', 'Conformance level', 'Remarks and explanations'],
      [
        '7.1.1 Captioning playback',
        '7.1.2 Captioning synchronization',
        '7.1.3 Preservation of captioning',
        '7.1.4 Captions characteristics',
        '7.1.5 Spoken subtitles',
      ].map((clause) => [clause, open, 'The player decides this. [Remarks]']),
    ),
    '## The talks, those that need work first',
    markdownTable(
      ['Talk', 'Made', 'Captions'],
      talks.map((talk) => [plain(talk.name), talk.createdAt.slice(0, 10), plain(sentenceOf(talk))]),
    ) || 'There are none.',
    talks.length >= MOST_TALKS ? `Only the newest ${MOST_TALKS} talks are listed.` : '',
  ];
  return renderPage(
    {
      title: 'Statement of conformance: captions',
      name: '',
      description: 'To be filled in by a person.',
      updated: new Date().toISOString().slice(0, 10),
      markdown: markdown.filter((part) => part !== '').join('\n\n'),
      whole: '',
    },
    { baseUrl, place: null },
  );
}
