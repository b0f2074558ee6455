/** Form fields with a label and a hint. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: string | undefined;
}

/** The attributes that connect a control to its label and hint. */
interface Named {
  id: string;
  'aria-describedby': string | undefined;
}

/** A control with its label above and its hint below. */
function Field({
  label,
  hint,
  control,
}: FieldProps & { control: (named: Named) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, 'aria-describedby': hint ? `${id}-hint` : undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type Writing = HTMLInputElement | HTMLTextAreaElement;

/** Writes the typed or chosen value to a signal. */
const into =
  (value: Signal<string>) =>
  ({ currentTarget }: { currentTarget: Writing }): void => {
    value.value = currentTarget.value;
  };

interface TextFieldProps extends FieldProps {
  value: Signal<string>;
  type?: 'text' | 'date';
  placeholder?: string;
  required?: boolean;
  autocomplete?: 'name';
  inputMode?: 'email';
  maxLength?: number;
  /** The id of the list of what is offered. */
  list?: string;
}

/** A single-line field. */
export const TextField = ({ label, hint, value, ...input }: TextFieldProps) => (
  <Field
    label={label}
    hint={hint}
    control={(named) => (
      <input type="text" {...input} {...named} value={value} onInput={into(value)} />
    )}
  />
);

/** A multi-line text field. */
export const TextArea = ({
  value,
  rows,
  ...about
}: FieldProps & { value: Signal<string>; rows: number }) => (
  <Field
    {...about}
    control={(named) => <textarea {...named} rows={rows} value={value} onInput={into(value)} />}
  />
);

/** What can be chosen: values with their texts. */
type Options = readonly (readonly [value: string, text: string])[];

interface DropDownProps extends Partial<Named> {
  /** Read aloud where no label stands beside it. */
  label?: string;
  value: string;
  options: Options;
  onChoose(value: string): void;
}

/** A drop-down list by itself. */
export const DropDown = ({ label, value, options, onChoose, ...named }: DropDownProps) => (
  <select
    {...named}
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    {options.map(([name, shown]) => (
      <option value={name} key={name}>
        {shown}
      </option>
    ))}
  </select>
);

/** A drop-down list, with its label and its hint. */
export const Select = ({
  value,
  options,
  ...about
}: FieldProps & { value: Signal<string>; options: Options }) => (
  <Field
    {...about}
    control={(named) => (
      <DropDown
        {...named}
        value={value.value}
        options={options}
        onChoose={(chosen) => (value.value = chosen)}
      />
    )}
  />
);

/** Radio buttons for two or three options. */
export function Choice({
  label,
  value,
  options,
}: FieldProps & { value: Signal<string>; options: Options }) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map(([option, shown]) => (
        <label class="check" key={option}>
          <input
            type="radio"
            name={name}
            checked={value.value === option}
            onChange={() => (value.value = option)}
          />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A checkbox. */
export const Check = ({
  label,
  hint,
  title,
  value,
}: FieldProps & { title?: string; value: Signal<boolean> }) => (
  <label class="check" title={title}>
    <input
      type="checkbox"
      checked={value}
      onChange={(event) => {
        value.value = event.currentTarget.checked;
      }}
    />
    <span>
      {label}
      {hint && <span class="hint">{hint}</span>}
    </span>
  </label>
);

/** A number with a slider; whatever is typed, the value stays within its bounds. */
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
  // What is being typed stays, also when the page is drawn meanwhile.
  const typed = useSignal<string | null>(null);
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
        value={typed.value ?? value.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onChange={(event) => {
          take(event.currentTarget.valueAsNumber);
          typed.value = null;
          event.currentTarget.value = String(value.peek());
        }}
        onBlur={() => (typed.value = null)}
      />
    </div>
  );
}
