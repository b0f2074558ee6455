/** The quality report as a summary that follows the edits. */
import { useComputed } from '@preact/signals';
import { summaryOf } from '../../../server/captions/rules/quality.ts';
import { doubtfulPhrases } from '../../../server/captions/doubtful-phrases.ts';
import { confidenceSummary } from '../../../server/contract/confidence.ts';
import { hearingSentences } from '../../../server/contract/hearing.ts';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { offerInWords, offersOf } from '../../../server/terminology/decide/offers.ts';
import { OnDemand, onDemand } from '../../components/on-demand.tsx';
import { duration, number, position } from '../../texts/format.ts';
import { panels as panelsText } from '../../texts/desk-parts.ts';
import { profiles as rulesText } from '../../texts/profiles-and-rebuilding.ts';
import { said } from '../../texts/said.ts';
import { SPEED_LIMIT } from '../../../server/captions/width.ts';
import type { Desk } from '../desk/desk.ts';
import { profileNamed } from '../editing/profile-rules.ts';
import { decisionOn } from '../editing/review.ts';
import { settings } from '../editing/settings.ts';

const accuracyCheck = onDemand(() =>
  import('../evidence/accuracy-check.tsx').then((part) => part.AccuracyCheck),
);

/** The summary. */
export function ReportPanel({ desk }: { desk: Desk }) {
  const { review, playback, result, check, navigation } = desk;
  const summary = summaryOf(review.judged.value);
  const profile = profileNamed(settings.profile.value, review.language);
  const score = check.score.value;
  const decisions = review.decisions.value;
  const corrected = review.corrections.filter(({ id }) => decisionOn(decisions, id) === 'accepted');
  const open = review.corrections.filter(({ id }) => decisionOn(decisions, id) === 'open');
  const { words, metadata } = result.transcript;
  const { engine, model } = metadata;
  const by = [model, engine].filter((name) => typeof name === 'string').join(', ');
  // As many as are marked.
  const doubted = useComputed(
    () => doubtfulPhrases(words, settings.doubtBelow.value).filter((phrase) => phrase > 0).length,
  );
  const unsure = metadata['unsureWords'] === undefined ? {} : { unsureWords: doubted.value };
  const took = totalOf(result);
  const hasCaptions = summary.cueCount > 0;
  const ofCaptions = (value: string): string => (hasCaptions ? value : '');
  const rows: readonly (readonly [string, string])[] = [
    [panelsText.score, score === null ? '' : panelsText.percent(score)],
    [panelsText.reportRules, profile ? said.sentence(profile.title) : rulesText.own],
    [
      panelsText.reportDoubt,
      said.sentence(confidenceSummary({ ...metadata, ...unsure }, words.length)),
    ],
    [
      panelsText.reportHearing,
      hearingSentences(result.transcript.metadata)
        .flatMap((sentences) => sentences.replace('. It ', '.\nIt ').split('\n'))
        .map(said.sentence)
        .join(' '),
    ],
    [panelsText.reportCues, number(summary.cueCount)],
    [panelsText.reportWarnings, ofCaptions(number(navigation.left.value.warning))],
    [
      panelsText.reportLongest,
      ofCaptions(
        panelsText.reportChars(
          summary.maxLineLength,
          profile ? profile.maxLineChars / profile.narrow : review.settings.maxLineChars,
        ),
      ),
    ],
    [panelsText.reportFastest, ofCaptions(panelsText.reportCps(summary.maxCharsPerSecond))],
    [panelsText.reportTerms, ofCaptions(String(corrected.length))],
    [
      panelsText.reportOffers,
      offersOf(open)
        .map((offer) => said.sentence(offerInWords(offer)))
        .join('; '),
    ],
    [panelsText.reportLength, duration(playback.length.value)],
    [panelsText.reportBy, by],
    [panelsText.reportTook, took === null ? '' : duration(took / 1000)],
  ];
  return (
    <>
      {hasCaptions && <OnDemand of={accuracyCheck} desk={desk} />}
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

const BARS = 120;
const HEIGHT = 60;
/** The highest speed drawn, in characters per second. */
const MOST = 30;

/** The chart; a click seeks. */
function SpeedChart({ desk: { review, playback, navigation } }: { desk: Desk }) {
  const cues = review.cues.value;
  const length = Math.max(playback.length.value, cues.at(-1)?.end ?? 0, 1);
  const speeds = new Float64Array(BARS);
  for (const [index, { quality }] of review.judged.value.entries()) {
    const bar = Math.min(BARS - 1, Math.floor((cues[index]!.start / length) * BARS));
    speeds[bar] = Math.max(speeds[bar]!, quality.charsPerSecond);
  }
  const heightOf = (speed: number): number => (Math.min(speed, MOST) / MOST) * HEIGHT;
  const limit = HEIGHT - heightOf(SPEED_LIMIT);
  return (
    <figure class="chart">
      <figcaption>{panelsText.chart}</figcaption>
      <svg
        viewBox={`0 0 ${BARS} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${panelsText.chart}. ${panelsText.chartNote(SPEED_LIMIT)}`}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          navigation.seek(((event.clientX - box.left) / box.width) * length);
        }}
      >
        {Array.from(speeds, (speed, at) => (
          <rect
            key={at}
            x={at + 0.1}
            y={HEIGHT - heightOf(speed)}
            width={0.8}
            height={heightOf(speed)}
            class={speed > SPEED_LIMIT ? 'over' : ''}
          />
        ))}
        <line x1={0} x2={BARS} y1={limit} y2={limit} />
      </svg>
      <p class="hint chart-times">
        <span>{position(0)}</span>
        <span>{panelsText.chartNote(SPEED_LIMIT)}</span>
        <span>{position(length)}</span>
      </p>
    </figure>
  );
}
