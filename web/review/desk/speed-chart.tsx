/**
 * A chart of reading speed over time: one bar for each part of the recording, as high as its
 * fastest caption.
 */
import { SPEED_LIMIT } from '../../../server/captions/rules/reading-speed.ts';
import { position } from '../../format.ts';
import type { Desk } from './desk.ts';
import { panels as panelsText } from '../../texts/panels.ts';

const BARS = 120;
const HEIGHT = 60;
/** The highest speed drawn, in characters per second. */
const MOST = 30;

/** The chart; a click seeks. */
export function SpeedChart({ desk: { review, playback, navigation } }: { desk: Desk }) {
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
