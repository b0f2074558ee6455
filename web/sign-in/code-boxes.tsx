/**
 * Six boxes for the digits of a code: a pasted code fills them all, and the focus moves on by
 * itself.
 */
import { useEffect, useRef } from 'preact/hooks';
import { signIn as texts } from '../texts/sign-in.ts';

const LENGTH = 6;

export interface CodeBoxesProps {
  disabled: boolean;
  /** Called once all digits are entered. */
  onCode(code: string): void;
}

/** The boxes; the first is focused when they become enabled. */
export function CodeBoxes({ disabled, onCode }: CodeBoxesProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const boxes = (): HTMLInputElement[] => [...frame.current!.querySelectorAll('input')];
  useEffect(() => {
    if (!disabled) boxes()[0]?.focus();
  }, [disabled]);

  /** Enters digits into the boxes, starting at one of them. */
  const fill = (at: number, typed: string): void => {
    const all = boxes();
    const digits = typed.replaceAll(/\D/g, '');
    for (const [offset, digit] of [...digits].entries()) {
      const box = all[at + offset];
      if (box) box.value = digit;
    }
    if (digits === '') all[at]!.value = '';
    else all[Math.min(LENGTH - 1, at + digits.length)]?.focus();
    const code = all.map(({ value }) => value).join('');
    if (code.length === LENGTH) onCode(code);
  };

  const move = (at: number, event: KeyboardEvent): void => {
    const all = boxes();
    if (event.code === 'Backspace' && all[at]?.value === '' && at > 0) {
      event.preventDefault();
      all[at - 1]!.value = '';
      all[at - 1]?.focus();
    } else if (event.code === 'ArrowLeft') all[at - 1]?.focus();
    else if (event.code === 'ArrowRight') all[at + 1]?.focus();
  };

  return (
    <fieldset class="code-boxes" ref={frame} disabled={disabled}>
      <legend>{texts.code}</legend>
      {Array.from({ length: LENGTH }, (_, at) => (
        <input
          key={at}
          type="text"
          inputMode="numeric"
          autocomplete={at === 0 ? 'one-time-code' : 'off'}
          aria-label={texts.digit(at + 1)}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={(event) => move(at, event)}
          onInput={(event) => fill(at, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}
