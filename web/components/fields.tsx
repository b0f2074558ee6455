/** Fields of a form, each with its label and what it is for. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: string;
}

/** One line of text. */
export function TextField({
  label,
  hint,
  value,
  placeholder,
}: FieldProps & { value: Signal<string>; placeholder?: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={placeholder}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** Several lines of text. */
export function TextArea({
  label,
  hint,
  value,
  rows,
}: FieldProps & { value: Signal<string>; rows: number }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** One of a few. */
export function Select({
  label,
  hint,
  value,
  options,
}: FieldProps & { value: Signal<string>; options: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => {
          value.value = event.currentTarget.value;
        }}
      >
        {options.map(([name, shown]) => (
          <option value={name} key={name}>
            {shown}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** A number between bounds; whatever is typed, the value keeps within them. */
export function NumberField({
  label,
  value,
  minimum,
  maximum,
  step,
}: FieldProps & { value: Signal<number>; minimum: number; maximum: number; step: number }) {
  const id = useId();
  const take = (typed: number): void => {
    if (Number.isFinite(typed)) value.value = Math.min(maximum, Math.max(minimum, typed));
  };
  const shared = { min: minimum, max: maximum, step };
  return (
    <div class="field number">
      <label for={id}>{label}</label>
      <input
        type="range"
        {...shared}
        value={value}
        aria-label={label}
        onInput={(event) => take(event.currentTarget.valueAsNumber)}
      />
      <input
        id={id}
        type="number"
        {...shared}
        value={value}
        onChange={(event) => {
          take(event.currentTarget.valueAsNumber);
          event.currentTarget.value = String(value.peek());
        }}
      />
    </div>
  );
}
