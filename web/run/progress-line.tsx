/** Progress: one bar, and one line with what happens now, how far it is and the time left. */
import { progressText } from '../texts/run-progress.ts';

interface ProgressLineProps {
  label: string;
  note?: string;
  /** Of the whole, from 0 to 1; null if unknown. */
  fraction: number | null;
  aside?: string;
}

/** The bar and its line. */
export const ProgressLine = ({ label, note, fraction, aside }: ProgressLineProps) => (
  <div class="step">
    <progress aria-label={label} {...(fraction === null ? {} : { value: fraction })} max={1}>
      {fraction === null ? '' : progressText.percent(fraction)}
    </progress>
    <p>
      <span class="step-label">{label}</span>
      <span class="step-note">{note}</span>
      <span class="step-aside">{aside}</span>
    </p>
  </div>
);
