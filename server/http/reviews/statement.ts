/** The statement of conformance about the captions of all talks, to be filled in by a person. */
import type { TalkEvidence } from '../../contract/evidence.ts';
import { markdownTable } from '../documents/html.ts';
import { renderPage } from '../documents/page.ts';
import { percent, plain } from './report-page.ts';

/** What is known of the captions of a talk, in a line. */
export function sentenceOf(talk: TalkEvidence): string {
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

/** The statement: figures that are known, and what a person has to decide left open. A task: names of talks are in it. */
export function statementHtml({
  talks,
  baseUrl,
  isAll,
}: {
  talks: readonly TalkEvidence[];
  baseUrl: string;
  /** Whether these are all talks of the workspace. */
  isAll: boolean;
}): string {
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
    isAll ? '' : `Only the newest ${talks.length} talks are listed.`,
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
