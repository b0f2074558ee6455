/** One step on the way: what it is, how far, how long. */
import { Icon } from '../components/icon.tsx';
import { text } from '../strings.ts';

export interface ProgressLineProps {
  state: 'waiting' | 'active' | 'done';
  label: string;
  note?: string;
  /** 0..1; null where nobody knows. */
  fraction?: number | null;
  aside?: string;
}

/** The line. */
export const ProgressLine = ({ state, label, note, fraction, aside }: ProgressLineProps) => (
  <li class={`step ${state}`}>
    <span class="step-mark">{state === 'done' ? <Icon name="check" /> : null}</span>
    <span class="step-label">{label}</span>
    <span class="step-note">{note}</span>
    {state === 'active' && fraction !== undefined && (
      <progress aria-label={label} {...(fraction === null ? {} : { value: fraction })} max={1}>
        {fraction === null ? '' : text.run.percent(fraction)}
      </progress>
    )}
    <span class="step-aside">{aside}</span>
  </li>
);
