/** The report on a review's captions, by the rules that it is checked against: as a table, and as a page to print. */
import { csvRow } from '../../../server/captions/files/csv.ts';
import { withoutItalics } from '../../../server/captions/italics.ts';
import { profileOf, withSettings } from '../../../server/captions/rules/profiles/profiles.ts';
import type { RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { clockFor } from '../editing/desk-clock.ts';
import { reportText as texts } from '../../texts/profiles-and-rebuilding.ts';
import { said } from '../../texts/said.ts';
import { type CheckedBy, checkerFor } from '../editing/profile-rules.ts';
import type { Review } from '../editing/review.ts';
import { settings } from '../editing/settings.ts';
import { type Flag, warningText } from '../model/judge.ts';

/** A broken rule, with its figure and its limit in a sentence. */
interface Finding {
  says: string;
  /** The rule in its publisher's words, and the page it is from. */
  rule: string;
  source: string;
}

/** A caption with what is said of it. */
interface ReportRow {
  number: number;
  start: number;
  end: number;
  lines: readonly string[];
  longest: number;
  speed: number;
  findings: readonly Finding[];
}

/** The report on captions. */
export interface Report {
  /** The name of the recording. */
  name: string;
  /** BCP 47. */
  language: string;
  /** The rules in words, with the frames a second where they count. */
  rules: string;
  score: number;
  rows: readonly ReportRow[];
  /** Writes a time as the desk does: in time code where it counts frames. */
  write(seconds: number): string;
}

/** The rule of each warning by the limits of a run. */
const RULES: Readonly<Partial<Record<Flag, RuleName>>> = {
  duration_below_minimum: 'min_duration',
  duration_above_maximum: 'max_duration',
  line_count_above_maximum: 'line_count',
  line_length_above_maximum: 'line_length',
  reading_speed_high: 'reading_speed',
  overlaps_next: 'gap',
};

/** The report by the chosen profile, or by the limits of the run. */
export function reportOf(review: Review, picture: CheckedBy): Report {
  const cues = review.cues.peek();
  const { language, name } = review;
  const checker = checkerFor(settings.profile.peek(), language, picture);
  const found = checker?.check(cues, () => false) ?? new Map<number, never>();
  const own = withSettings(profileOf('default', language), review.settings);
  const rows = cues.map((cue, index): ReportRow => {
    const judged = review.judged.peek()[index]!;
    const findings = checker
      ? (found.get(cue.id) ?? []).map((violation) => ({
          says: said.violation(violation.says),
          rule: violation.sentence,
          source: violation.source,
        }))
      : judged.warnings.map(({ flag }) => ({
          says: warningText(flag, cue, judged, review.settings),
          rule: (RULES[flag] && own.rules[RULES[flag]]?.sentence) ?? '',
          source: texts.own,
        }));
    const { lineLengths, charsPerSecond } = judged.quality;
    return {
      number: index + 1,
      start: cue.start,
      end: cue.end,
      lines: cue.lines,
      longest: Math.max(0, ...lineLengths),
      speed: Math.round(charsPerSecond * 10) / 10,
      findings,
    };
  });
  const rate = checker && (checker.picture.frameRate ?? checker.profile.frameRate);
  const title = checker?.profile.title ?? texts.own;
  return {
    name,
    language,
    rules: rate ? texts.atRate(title, rate) : title,
    score: checker ? checker.score(cues, found) : review.score.peek(),
    rows,
    write: clockFor(checker?.grid != null, picture.chosen ?? picture.learnt ?? rate).write,
  };
}

const HEAD = [
  'caption',
  'start',
  'end',
  'seconds',
  'lines',
  'longest_line',
  'cps',
  'checked_against',
  'warnings',
  'rules',
  'text',
];

/** The report as CSV for spreadsheets, one row for each caption. */
export function reportCsv({ rows, rules, write }: Report): string {
  const table = rows.map(({ number, start, end, lines, longest, speed, findings }) => [
    number,
    write(start),
    write(end),
    Math.round((end - start) * 1000) / 1000,
    lines.length,
    longest,
    speed,
    rules,
    findings.map(({ says }) => says).join('\n'),
    findings.map(({ rule, source }) => `${rule} ${source}`.trim()).join('\n'),
    lines.join('\n'),
  ]);
  return [HEAD, ...table].map(csvRow).join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const html = (words: string): string => words.replace(/[&<"]/g, (sign) => ENTITIES[sign] ?? sign);

/** A source as a link, if it is a page. */
const sourceHtml = (source: string): string =>
  source.startsWith('https://')
    ? `<a href="${html(source)}">${html(new URL(source).hostname.replace(/^www\./, ''))}</a>`
    : html(source);

const STYLE = `body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #bbb;padding:.4rem .6rem;text-align:start;vertical-align:top}
td:nth-child(-n+3){font-variant-numeric:tabular-nums;white-space:nowrap}td p{margin:0 0 .3rem}small{color:#555}
thead{display:table-header-group}tr{break-inside:avoid}@media print{body{margin:0;max-width:none}}`;

/** The report as a page to print, with the captions that break a rule. */
export function reportPage({ name, language, rules, score, rows, write }: Report): string {
  const broken = rows.filter(({ findings }) => findings.length > 0);
  const count = broken.reduce((sum, { findings }) => sum + findings.length, 0);
  const body = broken.map(({ number, start, end, lines, findings }) => {
    const text = withoutItalics(lines).map(html).join('<br>');
    const said = findings.map(
      ({ says, rule, source }) =>
        `<p>${html(says)}<br><small>${html(rule)} ${sourceHtml(source)}</small></p>`,
    );
    return `<tr><td>${number}</td><td>${write(start)}</td><td>${write(end)}</td><td lang="${html(language)}" dir="auto">${text}</td><td>${said.join('')}</td></tr>`;
  });
  const head = texts.columns.map((column) => `<th scope="col">${column}</th>`).join('');
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${html(texts.title(name))}</title><style>${STYLE}</style>
<h1>${html(texts.title(name))}</h1>
<p>${html(texts.summary(rules, rows.length, count, score))}</p>
${count === 0 ? '' : table}</html>
`;
}
