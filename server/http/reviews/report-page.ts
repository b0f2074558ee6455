/** A report on captions as a page for people. */
import type { Measurement } from '../../contract/evidence.ts';
import type { Report } from '../../evidence/report.ts';
import type { ReportWords } from '../../evidence/wording.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { markdownTable } from '../documents/html.ts';
import { PAGE_POLICY, renderPage } from '../documents/page.ts';
import { pdfLanguage, reportWords } from './report-words.ts';
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

/** The page of a report as HTML, in the language in which it was made. A task: texts of people are on it. */
export function reportHtml({
  report,
  places,
  language,
}: {
  report: Report;
  places: ReportPlaces;
  language: string;
}): string {
  const words = reportWords(language);
  const html = renderPage(
    {
      title: reportTitle(report, words),
      name: '',
      description: words.say('about'),
      updated: report.madeAt.slice(0, 10),
      markdown: reportMarkdown(report, places, words),
      whole: '',
    },
    { baseUrl: places.baseUrl, place: null, language },
  );
  return language === 'en' ? html : withEnglishRules(html);
}

/** Marks what rules say, which is quoted in the English of their publishers: the texts of links to them. */
const withEnglishRules = (html: string): string =>
  html.replaceAll(
    /<a href="(?=https:\/\/(?:www\.w3\.org|www\.etsi\.org|www\.ecfr\.gov|dcmp\.org|www\.access-board\.gov)\/)/g,
    '<a lang="en" dir="ltr" href="',
  );

/** What a report is called. */
export const reportTitle = ({ run }: Report, { say }: ReportWords): string =>
  say('title', { name: run.name });

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

const STATUSES = { met: 'met', 'not met': 'notMet', 'not checked': 'notChecked' } as const;

/** The report as Markdown, from which the page and the PDF are set. */
export function reportMarkdown(
  report: Report,
  { json, pdf, sound }: Omit<ReportPlaces, 'baseUrl'>,
  words: ReportWords,
): string {
  const { say, percent, language } = words;
  const { facts, run, files, review, heard, measurements, agreement, service } = report;
  const changes =
    report.sessions.length > 0
      ? report.sessions.flatMap(({ person, changes: { listed: some } }) =>
          some.map((change) => ({ ...change, who: person ?? say('notKnown') })),
        )
      : facts.changes.listed.map((change) => ({ ...change, who: '' }));
  const listed = changes.slice(0, MOST_ROWS);
  const samePdf = pdfLanguage(language) === language ? 'asPdf' : 'asEnglishPdf';
  const made = say('made', {
    day: report.madeAt,
    service: `${plain(service.name)} ${plain(service.version)}`,
    json,
  });
  const parts = [
    `# ${plain(reportTitle(report, words))}`,
    pdf === null ? made : `${made} ${say(samePdf, { pdf })}`,
    `## ${say('asked')}`,
    markdownTable(
      ['rule', 'point', 'status', 'basis'].map((name) => say(name)),
      report.points.map(({ rule, point, status, basis, source }) => [
        rule,
        `[${plain(point)}](${source})`,
        `**${say(STATUSES[status])}**`,
        plain(basis),
      ]),
    ),
    `## ${say('accuracy')}`,
    measurements.length === 0
      ? say('unmeasured')
      : measurements.map((one) => measurementMarkdown(one, sound, words)).join('\n\n'),
    agreement
      ? say('agreement', {
          people: plain(new Intl.ListFormat(language).format(agreement.people)),
          passages: agreement.passages,
          share: percent(agreement.share),
          words: agreement.words,
          kappa:
            agreement.kappa === null ? '' : say('kappa', { kappa: agreement.kappa.toFixed(2) }),
        })
      : '',
    `## ${say('captions')}`,
    markdownTable(
      [say('figure'), say('value')],
      [
        ['recording', formatTimestamp(facts.seconds, '.')],
        ['captionsWords', `${facts.captions}, ${facts.words}`],
        ['heardWords', `${heard.words} (${percent(heard.share)}). ${heard.note}`],
        ['changedWords', String(facts.changes.words)],
        [
          'review',
          review
            ? say(review.finished ? 'reviewDone' : 'reviewOpen', { at: review.savedAt })
            : say('noReview'),
        ],
        [
          'starts',
          facts.synchrony
            ? say('synchrony', {
                median: facts.synchrony.median,
                most: facts.synchrony.percentile95,
                share: percent(facts.synchrony.withinHalfSecond),
                count: facts.synchrony.compared,
              })
            : say('notCompared'),
        ],
        ['speed', facts.readingSpeed ? say('speeds', { ...facts.readingSpeed }) : say('none')],
        ['longestLine', say('characters', { count: facts.longestLine })],
        ['named', `${facts.speakersNamed}, ${facts.soundsDescribed}`],
        [
          'unheard',
          report.unheard === null
            ? say('nobodyLooked')
            : say('unheardFound', { count: report.unheard, seconds: report.unheardSeconds ?? 0 }),
        ],
      ].map(([name = '', value = '']) => [plain(say(name)), plain(value)]),
    ),
    `## ${say('publishers')}`,
    say('publishersHint'),
    markdownTable(
      ['rules', 'score', 'breaking', 'broken'].map((name) => say(name)),
      report.rules.map(({ title: publisher, score, captions, broken }) => [
        plain(publisher),
        score.toFixed(2),
        say('ofCaptions', { some: captions, all: facts.captions }),
        plain(
          Object.entries(broken)
            .map(([rule, count]) => `${say(`rule-${rule}`)} ${count}`)
            .join(', '),
        ) || say('none'),
      ]),
    ),
    `## ${say('files')}`,
    markdownTable(
      [say('file'), 'SHA-256'],
      [
        ...files.map(({ format, sha256 }) => [`captions.${format}`, `\`${sha256}\``]),
        [
          say('sound'),
          report.sound.sha256 ? `\`${report.sound.sha256}\`` : plain(report.sound.note),
        ],
        [say('run'), `\`${run.id}\``],
      ],
    ),
    listed.length > 0 ? `## ${say('changed')}` : '',
    markdownTable(
      ['time', 'before', 'after', 'who'].map((name) => say(name)),
      listed.map(({ at, before, after, who }) => [
        formatTimestamp(at, '.'),
        plain(before),
        plain(after),
        plain(who),
      ]),
    ),
    changes.length > listed.length ? say('listsMore', { count: changes.length }) : '',
    report.sessions.length > 0 ? `## ${say('sessions')}` : '',
    markdownTable(
      ['who', 'from', 'to', 'wordsChanged'].map((name) => say(name)),
      report.sessions.map(({ person, guest, startedAt, savedAt, changes }) => [
        `${plain(person ?? say('notKnown'))}${guest ? ` ${say('byLink')}` : ''}`,
        startedAt,
        savedAt,
        String(changes.words),
      ]),
    ),
    report.approval
      ? say(report.approval.changedSince ? 'approvedChanged' : 'approved', {
          name: plain(report.approval.name),
          at: report.approval.at,
        })
      : say('notApproved'),
    `## ${say('notes')}`,
    report.notes.map((note) => `- ${plain(note)}`).join('\n'),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function measurementMarkdown(
  measurement: Measurement,
  sound: string | null,
  { say, percent }: ReportWords,
): string {
  const { person, startedAt, seed, seedBy, goal, figures, passages, sample } = measurement;
  const { accuracy, errors, counted, judged, words, state } = figures;
  const judgedOnes = sample.filter(({ judgedAt }) => judgedAt !== null);
  return [
    `### ${say('by', { person: plain(person), day: startedAt.slice(0, 10) })}`,
    accuracy
      ? say('measured', {
          value: percent(accuracy.value),
          low: percent(accuracy.low),
          high: percent(accuracy.high),
          counted,
          passages,
          goal: percent(goal),
          state: say(`goal-${state}`),
        })
      : say('noFigure', { judged }),
    say(seedBy === 'service' ? 'drawnByService' : 'drawnByPerson', { words, judged, seed }),
    markdownTable(
      [say('errors'), say('number')],
      Object.entries(errors).map(([name, number]) => [say(`error-${name}`), String(number)]),
    ),
    markdownTable(
      [say('sampleFigures'), say('value')],
      [
        [say('withPunctuation'), figures.withPunctuation],
        ['NER', figures.ner],
        [
          say('namesRight'),
          figures.names.said > 0 ? figures.names.right / figures.names.said : null,
        ],
      ].map(([name, value]) => [
        String(name),
        typeof value === 'number' ? percent(value) : say('none'),
      ]),
    ),
    markdownTable(
      [say('time'), say('shown'), say('heard')],
      judgedOnes
        .slice(0, MOST_ROWS)
        .map(({ start, playFrom, playTo, shown, said: heard }) => [
          sound
            ? `[${formatTimestamp(start, '.')}](${sound}#t=${playFrom.toFixed(2)},${playTo.toFixed(2)})`
            : formatTimestamp(start, '.'),
          plain(shown) || say('nothing'),
          shown === heard ? say('theSame') : plain(heard ?? '') || say('nothing'),
        ]),
    ),
  ].join('\n\n');
}
