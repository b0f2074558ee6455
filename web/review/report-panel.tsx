/** The quality report as a summary that follows the edits. */
import { summaryOf } from '../../server/captions/quality.ts';
import { doubtInWords } from '../../server/contract/doubt.ts';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { duration } from '../format.ts';
import { text } from './strings.ts';
import type { Desk } from './desk.ts';
import { decisionOn } from './review.ts';
import { SpeedChart } from './speed-chart.tsx';

/** The summary. */
export function ReportPanel({ desk: { review, playback, result } }: { desk: Desk }) {
  const summary = summaryOf(review.judged.value);
  const decisions = review.decisions.value;
  const corrected = review.corrections.filter(({ id }) => decisionOn(decisions, id) === 'accepted');
  const { engine, model } = result.transcript.metadata;
  const by = [model, engine].filter((name) => typeof name === 'string').join(', ');
  const { words } = result.transcript;
  const took = totalOf(result);
  const rows: readonly (readonly [string, string])[] = [
    [text.review.score, text.review.percent(review.score.value)],
    [text.review.reportDoubt, doubtInWords(result.transcript.metadata, words.length)],
    [text.review.reportCues, summary.cueCount.toLocaleString('en')],
    [text.review.reportWarnings, summary.warningCount.toLocaleString('en')],
    [
      text.review.reportLongest,
      text.review.reportChars(summary.maxLineLength, review.settings.maxLineChars),
    ],
    [text.review.reportFastest, text.review.reportCps(summary.maxCharsPerSecond)],
    [text.review.reportTerms, String(corrected.length)],
    [text.review.reportLength, duration(playback.length.value)],
    [text.review.reportBy, by],
    [text.review.reportTook, took === null ? '' : duration(took / 1000)],
  ];
  return (
    <>
      <dl class="report">
        {rows
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <p class="hint">{text.review.scoreNote}</p>
      <SpeedChart review={review} playback={playback} />
    </>
  );
}

/** The duration of the run, in milliseconds; null if the result does not say. */
function totalOf({ metadata }: CaptionerCompletedResult): number | null {
  const total = Object(Object(metadata)['timingsMs'])['total'];
  return typeof total === 'number' ? total : null;
}
