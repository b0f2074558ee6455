/** A report on captions as a page for people. */
import type { Measurement } from '../../contract/evidence.ts';
import type { Report } from '../../evidence/report.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { markdownTable } from '../documents/html.ts';
import { PAGE_POLICY, renderPage } from '../documents/page.ts';
import { formatTimestamp } from '../../captions/timestamps.ts';

/** The rows of a table on the page; the JSON has all of them. */
const MOST_ROWS = 400;

/** The addresses of a report. */
export interface ReportPlaces {
  baseUrl: string;
  json: string;
  pdf: string | null;
  /** Where the sound is played; null if these readers do not hear it. */
  sound: string | null;
}

/** The page of a report as HTML. A task: texts of people are on it. */
export function reportHtml({ report, places }: { report: Report; places: ReportPlaces }): string {
  const title = reportTitle(report);
  return renderPage(
    {
      title,
      name: '',
      description: 'What was measured, by whom, and what was not checked.',
      updated: report.madeAt.slice(0, 10),
      markdown: reportMarkdown(report, places),
      whole: '',
    },
    { baseUrl: places.baseUrl, place: null },
  );
}

/** What a report is called. */
export const reportTitle = ({ run }: Report): string => `Report on the captions of ${run.name}`;

/** The answer with such a page. */
export const pageOfPeople = (html: string, headers: Record<string, string> = {}): Response =>
  new Response(html, {
    headers: {
      ...COMMON_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      ...headers,
    },
  });

/** Text of people as Markdown that shows it as it is. */
export const plain = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);

/** A share with one decimal, as reports have it. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The report as Markdown, from which the page and the PDF are set. */
export function reportMarkdown(
  report: Report,
  { json, pdf, sound }: Omit<ReportPlaces, 'baseUrl'>,
): string {
  const { facts, run, files, review, heard, measurements, agreement } = report;
  const changes =
    report.sessions.length > 0
      ? report.sessions.flatMap(({ person, changes: { listed: some } }) =>
          some.map((change) => ({ ...change, who: person ?? 'not known' })),
        )
      : facts.changes.listed.map((change) => ({ ...change, who: '' }));
  const listed = changes.slice(0, MOST_ROWS);
  const parts = [
    `# ${plain(reportTitle(report))}`,
    `Made on ${report.madeAt} by ${plain(report.service.name)} ${plain(report.service.version)}. **This is no legal advice.** The [signed report](${json}) says the same and more, and can be checked [in a browser](/app#/verify) or with \`captioner verify\`.${pdf === null ? '' : ` [The same as a PDF](${pdf}).`}`,
    '## What rules ask',
    markdownTable(
      ['Rule', 'Point', 'Status', 'What is behind it'],
      report.points.map(({ rule, point, status, basis, source }) => [
        rule,
        `[${plain(point)}](${source})`,
        `**${status}**`,
        plain(basis),
      ]),
    ),
    '## Accuracy',
    measurements.length === 0
      ? 'Nobody has measured the accuracy of these captions.'
      : measurements.map((one) => measurementMarkdown(one, sound)).join('\n\n'),
    agreement
      ? `${plain(agreement.people.join(' and '))} judged ${agreement.passages} passages both, and agree on ${percent(agreement.share)} of ${agreement.words} words${agreement.kappa === null ? '' : ` (Cohen’s kappa ${agreement.kappa.toFixed(2)})`}.`
      : '',
    '## The captions',
    markdownTable(
      ['Figure', 'Value'],
      [
        ['Recording', formatTimestamp(facts.seconds, '.')],
        ['Captions, words', `${facts.captions}, ${facts.words}`],
        [
          'Words that a person heard in a measurement',
          `${heard.words} (${percent(heard.share)}). ${heard.note}`,
        ],
        ['Words changed by people', String(facts.changes.words)],
        [
          'Review',
          review
            ? `last saved ${review.savedAt}, ${review.finished ? 'marked as done' : 'not marked as done'}`
            : 'nobody has saved one',
        ],
        [
          'Starts of captions, against the recogniser’s times of words',
          facts.synchrony
            ? `median ${facts.synchrony.median} s off, 95 % at most ${facts.synchrony.percentile95} s, within half a second ${percent(facts.synchrony.withinHalfSecond)}, of ${facts.synchrony.compared} captions`
            : 'not compared',
        ],
        [
          'Characters a second',
          facts.readingSpeed
            ? `median ${facts.readingSpeed.median}, fastest ${facts.readingSpeed.fastest}`
            : 'none',
        ],
        ['Longest line', `${facts.longestLine} characters`],
        ['Speakers named, sounds described', `${facts.speakersNamed}, ${facts.soundsDescribed}`],
        [
          'Stretches heard without captions',
          report.unheard === null
            ? 'nobody looked'
            : `${report.unheard}, together ${report.unheardSeconds} s`,
        ],
      ].map(([name = '', value = '']) => [plain(name), plain(value)]),
    ),
    '## Rules of publishers',
    'Line lengths, times and reading speeds; rules about the picture are not checked here.',
    markdownTable(
      ['Rules', 'Score', 'Captions that break one', 'Broken rules'],
      report.rules.map(({ title: publisher, score, captions, broken }) => [
        plain(publisher),
        score.toFixed(2),
        `${captions} of ${facts.captions}`,
        plain(
          Object.entries(broken)
            .map(([rule, count]) => `${rule.replaceAll('_', ' ')} ${count}`)
            .join(', '),
        ) || 'none',
      ]),
    ),
    '## Files',
    markdownTable(
      ['File', 'SHA-256'],
      [
        ...files.map(({ format, sha256 }) => [`captions.${format}`, `\`${sha256}\``]),
        ['sound', report.sound.sha256 ? `\`${report.sound.sha256}\`` : plain(report.sound.note)],
        ['run', `\`${run.id}\``],
      ],
    ),
    listed.length > 0 ? '## What people changed' : '',
    markdownTable(
      ['Time', 'Before', 'After', 'Who'],
      listed.map(({ at, before, after, who }) => [
        formatTimestamp(at, '.'),
        plain(before),
        plain(after),
        plain(who),
      ]),
    ),
    changes.length > listed.length ? `The signed report lists ${changes.length}.` : '',
    report.sessions.length > 0 ? '## Who changed what, and when' : '',
    markdownTable(
      ['Who', 'From', 'To', 'Words changed'],
      report.sessions.map(({ person, guest, startedAt, savedAt, changes }) => [
        `${plain(person ?? 'not known')}${guest ? ' (by a link)' : ''}`,
        startedAt,
        savedAt,
        String(changes.words),
      ]),
    ),
    report.approval
      ? `Approved by ${plain(report.approval.name)} on ${report.approval.at}${report.approval.changedSince ? ', and **changed since**' : ''}.`
      : 'Nobody has approved these captions.',
    '## Notes',
    report.notes.map((note) => `- ${plain(note)}`).join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function measurementMarkdown(measurement: Measurement, sound: string | null): string {
  const { person, startedAt, seed, seedBy, goal, figures, passages, sample } = measurement;
  const { accuracy, errors, counted, judged, words, state } = figures;
  const judgedOnes = sample.filter(({ judgedAt }) => judgedAt !== null);
  const said = {
    above: 'the interval is above the goal',
    below: 'the interval is below the goal',
    ended: 'all passages are judged, and the goal is within the interval',
    open: 'it has not ended',
  }[state];
  return [
    `### By ${plain(person)}, ${startedAt.slice(0, 10)}`,
    accuracy
      ? `**${percent(accuracy.value)} of the words are right (95 % interval ${percent(accuracy.low)} to ${percent(accuracy.high)})**, from ${counted} of ${passages} passages. The goal is ${percent(goal)}: ${said}.`
      : `No figure yet: it comes after 50 passages, and ${judged} of them were judged.`,
    `Heard: ${words} words; passages: ${judged}. They were drawn with the seed \`${seed}\`, which ${seedBy === 'service' ? 'the service drew' : 'a person chose'}.`,
    markdownTable(
      ['Errors', 'Number'],
      Object.entries(errors).map(([name, number]) => [name, String(number)]),
    ),
    markdownTable(
      ['Figures of the sample', 'Value'],
      [
        ['right with case and punctuation', figures.withPunctuation],
        ['NER', figures.ner],
        [
          'words of names right',
          figures.names.said > 0 ? figures.names.right / figures.names.said : null,
        ],
      ].map(([name, value]) => [String(name), typeof value === 'number' ? percent(value) : 'none']),
    ),
    markdownTable(
      ['Time', 'Shown', 'Heard'],
      judgedOnes
        .slice(0, MOST_ROWS)
        .map(({ start, playFrom, playTo, shown, said: heard }) => [
          sound
            ? `[${formatTimestamp(start, '.')}](${sound}#t=${playFrom.toFixed(2)},${playTo.toFixed(2)})`
            : formatTimestamp(start, '.'),
          plain(shown) || '(nothing)',
          shown === heard ? 'the same' : plain(heard ?? '') || '(nothing)',
        ]),
    ),
  ].join('\n\n');
}
