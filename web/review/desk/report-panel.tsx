/** The quality report as a summary that follows the edits. */
import { summaryOf } from '../../../server/captions/rules/quality.ts';
import { confidenceSummary } from '../../../server/contract/confidence.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { duration } from '../../format.ts';
import type { Desk } from './desk.ts';
import { decisionOn } from './review.ts';
import { SpeedChart } from './speed-chart.tsx';
import { panels as panelsText } from '../../texts/panels.ts';

/** The summary. */
export function ReportPanel({ desk }: { desk: Desk }) {
  const { review, playback, result } = desk;
  const summary = summaryOf(review.judged.value);
  const decisions = review.decisions.value;
  const corrected = review.corrections.filter(({ id }) => decisionOn(decisions, id) === 'accepted');
  const { engine, model } = result.transcript.metadata;
  const by = [model, engine].filter((name) => typeof name === 'string').join(', ');
  const { words } = result.transcript;
  const took = totalOf(result);
  const hasCaptions = summary.cueCount > 0;
  const ofCaptions = (value: string): string => (hasCaptions ? value : '');
  const rows: readonly (readonly [string, string])[] = [
    [panelsText.score, ofCaptions(panelsText.percent(review.score.value))],
    [panelsText.reportDoubt, confidenceSummary(result.transcript.metadata, words.length)],
    [panelsText.reportCues, summary.cueCount.toLocaleString('en')],
    [panelsText.reportWarnings, ofCaptions(summary.warningCount.toLocaleString('en'))],
    [
      panelsText.reportLongest,
      ofCaptions(panelsText.reportChars(summary.maxLineLength, review.settings.maxLineChars)),
    ],
    [panelsText.reportFastest, ofCaptions(panelsText.reportCps(summary.maxCharsPerSecond))],
    [panelsText.reportTerms, ofCaptions(String(corrected.length))],
    [panelsText.reportLength, duration(playback.length.value)],
    [panelsText.reportBy, by],
    [panelsText.reportTook, took === null ? '' : duration(took / 1000)],
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
      {hasCaptions && (
        <>
          <p class="hint">{panelsText.scoreNote}</p>
          <SpeedChart desk={desk} />
        </>
      )}
    </>
  );
}

/** The duration of the run, in milliseconds; null if the result does not say. */
function totalOf({ metadata }: CaptionerCompletedResult): number | null {
  const total = Object(Object(metadata)['timingsMs'])['total'];
  return typeof total === 'number' ? total : null;
}
