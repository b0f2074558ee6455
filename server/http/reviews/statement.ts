/** The statement of conformance about the captions of all talks, to be filled in by a person. */
import type { TalkEvidence } from '../../contract/evidence.ts';
import { markdownTable } from '../documents/html.ts';
import { renderPage } from '../documents/page.ts';
import type { ReportWords } from '../../evidence/wording.ts';
import { plain } from './report-page.ts';
import { reportWords } from './report-words.ts';

/** What is known of the captions of a talk, in a line. */
export function sentenceOf(
  talk: TalkEvidence,
  { say, percent }: ReportWords = reportWords('en'),
): string {
  const { state, facts, approval, measured } = talk;
  if (state !== 'completed') return say('noCaptions', { state: say(`state-${state}`) });
  const parts = [
    facts ? say('someCaptions', { captions: facts.captions, doubts: facts.doubts }) : say('unread'),
    approval
      ? say(approval.changedSince ? 'approvedSince' : 'approvedBy', { name: approval.name })
      : say(facts?.reviewed ? 'reviewed' : 'notReviewed'),
    measured
      ? say('measuredBy', {
          value: percent(measured.accuracy.value),
          low: percent(measured.accuracy.low),
          high: percent(measured.accuracy.high),
          person: measured.person,
        })
      : say('notMeasured'),
  ];
  return parts.join('; ');
}

/** The levels that the template has, of which a person chooses one. */
const OPEN = '[Supports / Partially Supports / Does Not Support / Not Applicable]';

/** The statement: figures that are known, and what a person has to decide left open. A task: names of talks are in it. */
export function statementHtml({
  talks,
  baseUrl,
  isAll,
  language,
}: {
  talks: readonly TalkEvidence[];
  baseUrl: string;
  /** Whether these are all talks of the workspace. */
  isAll: boolean;
  language: string;
}): string {
  const words = reportWords(language);
  const { say } = words;
  const completed = talks.filter(({ state }) => state === 'completed');
  const count = (has: (talk: TalkEvidence) => boolean): number => completed.filter(has).length;
  const known = say('known', {
    talks: talks.length,
    completed: completed.length,
    checked: count((talk) => talk.approval !== null || talk.facts?.reviewed === true),
    measured: count((talk) => talk.measured !== null),
    above: count((talk) => talk.measured?.state === 'above'),
  });
  const remarks = say('remarksOpen');
  const person = `${say('notLookedAt')} ${remarks}`;
  const markdown = [
    `# ${say('statement')}`,
    say('drawnUp', { day: new Date().toISOString().slice(0, 10), place: plain(baseUrl) }),
    say('organisation'),
    `## ${say('criteria')}`,
    markdownTable(
      ['criterion', 'level', 'remarks'].map((name) => say(name)),
      [
        ['1.2.1 Audio-only and Video-only (Prerecorded) (Level A)', OPEN, person],
        ['1.2.2 Captions (Prerecorded) (Level A)', OPEN, `${known} ${remarks}`],
        ['1.2.3 Audio Description or Media Alternative (Prerecorded) (Level A)', OPEN, person],
        ['1.2.4 Captions (Live) (Level AA)', OPEN, person],
        ['1.2.5 Audio Description (Prerecorded) (Level AA)', OPEN, person],
      ],
    ),
    `## ${say('clauses')}`,
    markdownTable(
      ['clause', 'level', 'remarks'].map((name) => say(name)),
      [
        '7.1.1 Captioning playback',
        '7.1.2 Captioning synchronization',
        '7.1.3 Preservation of captioning',
        '7.1.4 Captions characteristics',
        '7.1.5 Spoken subtitles',
      ].map((clause) => [clause, OPEN, `${say('playerDecidesThis')} ${remarks}`]),
    ),
    `## ${say('talks')}`,
    markdownTable(
      ['talk', 'madeOn', 'captionsOfTalk'].map((name) => say(name)),
      talks.map((talk) => [
        plain(talk.name),
        talk.createdAt.slice(0, 10),
        plain(sentenceOf(talk, words)),
      ]),
    ) || say('noTalks'),
    isAll ? '' : say('onlyNewest', { count: talks.length }),
  ];
  const html = renderPage(
    {
      title: say('statement'),
      name: '',
      description: say('toBeFilledIn'),
      updated: new Date().toISOString().slice(0, 10),
      markdown: markdown.filter((part) => part !== '').join('\n\n'),
      whole: '',
    },
    { baseUrl, place: null, language },
  );
  return language === 'en' ? html : withEnglishCells(html);
}

/** Marks what is quoted from the English of the template: criteria, clauses and levels. */
const withEnglishCells = (html: string): string =>
  html.replaceAll(/<td>(?=\d\.\d\.\d |\[Supports)/g, '<td lang="en" dir="ltr">');
