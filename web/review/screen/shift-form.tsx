/** Shifts the selected captions, otherwise the current one and all that follow. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../../texts/review.ts';
import type { Desk } from '../desk/desk.ts';
import { readDifference } from '../../texts/format.ts';
import type { Review } from '../editing/review.ts';
import { shift as shiftText } from '../../texts/desk-parts.ts';

interface ShiftFormProps {
  review: Review;
  /** The number of selected captions; 0 if there is no selection. */
  selected: number;
  commands: Desk['commands'];
  onDone(): void;
}

/** The form; its field is focused. Escape closes it, and the focus returns to where it was. */
export function ShiftForm({ review, selected, commands, onDone }: ShiftFormProps) {
  const by = useSignal('0.5');
  const wrong = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    field.current?.select();
    field.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <form
      class="shift"
      onKeyDown={(event) => {
        if (event.code !== 'Escape') return;
        event.preventDefault();
        onDone();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const seconds = readDifference(by.peek());
        wrong.value = seconds === null;
        if (seconds === null) {
          review.message.value = shiftText.badShift;
          return;
        }
        commands.shift(seconds);
        onDone();
      }}
    >
      <label>
        {selected > 0 ? shiftText.shiftSelected(selected) : shiftText.shiftAsk}{' '}
        {/* A number field would report an empty value while it holds only a minus sign. */}
        <input
          ref={field}
          type="text"
          inputMode="text"
          spellcheck={false}
          aria-invalid={wrong}
          value={by}
          onInput={(event) => {
            by.value = event.currentTarget.value;
            wrong.value = false;
          }}
        />
      </label>
      <button type="submit">{shiftText.shiftDo}</button>
      <button type="button" onClick={onDone}>
        {text.cancel}
      </button>
    </form>
  );
}
