/** A text field for a time, in the format of captions. */
import { useSignal } from '@preact/signals';
import { formatTimestamp } from '../../../server/captions/timestamps.ts';
import { text } from '../../texts/review.ts';
import { readTime } from '../model/typed-time.ts';

export interface TimeFieldProps {
  label: string;
  /** Seconds. */
  value: number;
  /** Whether Tab stops here. */
  reachable: boolean;
  readOnly: boolean;
  onValue(seconds: number): void;
  /** Called when the typed text is not a time. */
  onWrong(): void;
}

/** The field; text that is not a time is rejected and reported. */
export function TimeField({ label, value, reachable, readOnly, onValue, onWrong }: TimeFieldProps) {
  /**
   * The typed text until it is committed, because the list may be rendered again in the meantime.
   */
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
      value={typed.value ?? formatTimestamp(value)}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        wrong.value = false;
      }}
      onChange={(event) => {
        // Escape has restored the old value.
        if (typed.peek() === null) return;
        const seconds = readTime(event.currentTarget.value);
        wrong.value = seconds === null;
        if (seconds === null) return onWrong();
        // Show the old time again, in case the neighbours do not allow the new one.
        typed.value = null;
        event.currentTarget.value = formatTimestamp(value);
        onValue(seconds);
      }}
      onKeyDown={(event) => {
        if (event.code !== 'Escape') return;
        typed.value = null;
        wrong.value = false;
        event.currentTarget.value = formatTimestamp(value);
      }}
      onBlur={() => {
        typed.value = null;
        wrong.value = false;
      }}
    />
  );
}
