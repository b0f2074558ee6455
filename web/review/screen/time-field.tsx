/** A field for one time of a caption, typed as the clock of the desk writes it. */
import { useSignal } from '@preact/signals';
import { text } from '../../texts/review.ts';
import type { DeskClock } from '../editing/desk-clock.ts';

/** How a time is typed. */
export const badTime = ({ count, write }: DeskClock): string =>
  count ? text.review.badTimeCode(write(0)) : text.review.badTime;

interface TimeFieldProps {
  label: string;
  /** Seconds. */
  value: number;
  clock: DeskClock;
  /** Whether Tab stops here. */
  reachable: boolean;
  readOnly: boolean;
  onValue(seconds: number): void;
  /** Called when the typed text is not a time. */
  onWrong(): void;
}

/** The field; text that is not a time is rejected and reported. */
export function TimeField(props: TimeFieldProps) {
  const { label, value, clock, reachable, readOnly, onValue, onWrong } = props;
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
      title={wrong.value ? badTime(clock) : label}
      value={typed.value ?? clock.write(value)}
      onInput={(event) => {
        typed.value = event.currentTarget.value;
        wrong.value = false;
      }}
      onChange={(event) => {
        // Escape has restored the old value.
        if (typed.peek() === null) return;
        const seconds = clock.read(event.currentTarget.value);
        wrong.value = seconds === null;
        if (seconds === null) return onWrong();
        // Show the old time again, in case the neighbours do not allow the new one.
        typed.value = null;
        event.currentTarget.value = clock.write(value);
        onValue(seconds);
      }}
      onKeyDown={(event) => {
        if (event.code !== 'Escape') return;
        typed.value = null;
        wrong.value = false;
        event.currentTarget.value = clock.write(value);
      }}
      onBlur={() => {
        typed.value = null;
        wrong.value = false;
      }}
    />
  );
}
