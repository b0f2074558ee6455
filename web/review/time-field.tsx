/** A time as captions write it, to be typed. */
import { useSignal } from '@preact/signals';
import { clock } from '../../server/captions/clock.ts';
import { text } from './strings.ts';
import { readTime } from './model/typed-time.ts';

export interface TimeFieldProps {
  label: string;
  /** Seconds. */
  value: number;
  /** Whether Tab stops here. */
  reachable: boolean;
  readOnly: boolean;
  onValue(seconds: number): void;
  /** Something else was typed. */
  onWrong(): void;
}

/** The field; what is no time is not taken, and said to be none. */
export function TimeField({ label, value, reachable, readOnly, onValue, onWrong }: TimeFieldProps) {
  /** What is typed, until it is taken: the list may be drawn anew meanwhile. */
  const typed = useSignal<string | null>(null);
  const wrong = useSignal(false);
  return (
    <input
      class="time"
      type="text"
      inputMode="decimal"
      spellcheck={false}
      readOnly={readOnly}
      tabIndex={reachable ? 0 : -1}
      aria-label={label}
      aria-invalid={wrong}
      title={wrong.value ? text.review.badTime : label}
      value={typed.value ?? clock(value)}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        wrong.value = false;
      }}
      onChange={(event) => {
        // Escape has put it back.
        if (typed.peek() === null) return;
        const seconds = readTime(event.currentTarget.value);
        wrong.value = seconds === null;
        if (seconds === null) return onWrong();
        // What the neighbours do not allow is not taken.
        typed.value = null;
        event.currentTarget.value = clock(value);
        onValue(seconds);
      }}
      onKeyDown={(event) => {
        if (event.code !== 'Escape') return;
        typed.value = null;
        wrong.value = false;
        event.currentTarget.value = clock(value);
      }}
      onBlur={() => {
        typed.value = null;
        wrong.value = false;
      }}
    />
  );
}
