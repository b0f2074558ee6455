/** A progress line: a step with its fraction and remaining time. */
import { Icon } from '../components/icon.tsx';
import { progressText } from '../texts/run-progress.ts';

export interface ProgressLineProps {
  state: 'waiting' | 'active' | 'done';
  label: string;
  note?: string;
  /** From 0 to 1; null if unknown. */
  fraction?: number | null;
  aside?: string;
}

/** A progress line. */
export const ProgressLine = ({ state, label, note, fraction, aside }: ProgressLineProps) => (
  <li class={`step ${state}`}>
    <span class="step-mark">{state === 'done' ? <Icon name="check" /> : null}</span>
    <span class="step-label">{label}</span>
    <span class="step-note">{note}</span>
    {state === 'active' && fraction !== undefined && (
      <progress aria-label={label} {...(fraction === null ? {} : { value: fraction })} max={1}>
        {fraction === null ? '' : progressText.percent(fraction)}
      </progress>
    )}
    <span class="step-aside">{aside}</span>
  </li>
);
