/** The find and replace bar. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Check } from '../../components/fields.tsx';
import { IconButton } from '../../components/icon.tsx';
import { keyNames } from '../../texts/format.ts';
import { text } from '../../texts/review.ts';
import { find, panels as panelsText } from '../../texts/desk-parts.ts';
import { rememberTerm } from '../../api/terminology.ts';
import { guest } from '../../tab/guest.ts';
import { orFailure } from '../../tab/failure-text.ts';
import { withKey } from '../../tab/session.ts';
import { chordOf, typesInText } from '../editing/chord.ts';
import type { Finder } from '../editing/finder.ts';
import type { Review } from '../editing/review.ts';

interface FindBarProps {
  finder: Finder;
  review: Review;
}

const turn = (option: { value: boolean; peek(): boolean }): void => {
  option.value = !option.peek();
};

/** Shortcuts within the bar, the same as in other editors. */
const SHORT: Readonly<Record<string, (of: FindBarProps) => unknown>> = {
  'Alt+KeyC': ({ finder }) => turn(finder.matchCase),
  'Alt+KeyW': ({ finder }) => turn(finder.wholeWord),
  'Alt+KeyR': ({ finder }) => turn(finder.regex),
  'Ctrl+Alt+Enter': ({ finder }) => finder.open.peek() === 'replace' && finder.replaceAll(),
  'Ctrl+Alt+Shift+Enter': (of) => isRemembered(of.finder) && rememberAll(of),
};

/**
 * Whether a pair of words can be remembered: an expression is not a word that could be misheard, and a guest has no
 * terms.
 */
const isRemembered = ({ open, regex, replacement }: Finder): boolean =>
  guest.value === null &&
  open.value === 'replace' &&
  !regex.value &&
  replacement.value.trim() !== '';

/** Replaces all matches, and adds the pair to the terms of the workspace. */
async function rememberAll({ finder, review }: FindBarProps): Promise<void> {
  const [mishear, term] = [finder.query.peek(), finder.replacement.peek()];
  if (finder.replaceAll() === 0) return;
  await remember(review, mishear, term);
}

/** The bar: Enter finds the next match, Shift+Enter the previous one, Escape closes it. */
export function FindBar({ finder, review }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const mode = finder.open.value;
  // In a layout effect, so that the next keystroke does not go into the caption.
  useLayoutEffect(() => field.current?.select(), [mode, finder.asked.value]);
  const context = finder.context.value;
  return (
    <form
      class="find-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        finder.go(1);
      }}
      onKeyDown={(event) => {
        if (event.code === 'Escape') finder.close();
        const short = typesInText(event) ? undefined : SHORT[chordOf(event) ?? ''];
        if (short) {
          event.preventDefault();
          short({ finder, review });
        } else if (event.key === 'Enter' && event.shiftKey) {
          event.preventDefault();
          finder.go(-1);
        }
      }}
    >
      <label for={`${id}-find`}>{find.findLabel}</label>
      <input
        ref={field}
        id={`${id}-find`}
        type="text"
        spellcheck={!finder.regex.value}
        aria-invalid={finder.isWrong}
        value={finder.query}
        onInput={(event) => {
          finder.query.value = event.currentTarget.value;
        }}
      />
      <span role="status" class="find-count">
        {finder.query.value === ''
          ? ''
          : finder.isWrong.value
            ? find.wrongExpression
            : finder.regex.value && finder.tried.value !== 'quick'
              ? find.tried[finder.tried.value]
              : find.matches(finder.at.value + 1, finder.matches.value.length)}
      </span>
      {mode === 'replace' && (
        <span class="find-replace">
          <label for={`${id}-replace`}>{find.replaceLabel}</label>
          <input
            id={`${id}-replace`}
            type="text"
            value={finder.replacement}
            onInput={(event) => {
              finder.replacement.value = event.currentTarget.value;
            }}
          />
        </span>
      )}
      <span class="find-steps">
        <button type="button" onClick={() => finder.go(-1)}>
          {panelsText.previous}
        </button>
        <button type="submit">{panelsText.next}</button>
        {mode === 'replace' && <ReplaceButtons finder={finder} review={review} />}
        <IconButton icon="cross" class="quiet" label={text.close} onClick={finder.close} />
      </span>
      <span class="find-options">
        <Check label={find.matchCase} title={keyNames('Alt+C')} value={finder.matchCase} />
        <Check label={find.wholeWord} title={keyNames('Alt+W')} value={finder.wholeWord} />
        <Check label={find.regex} title={keyNames('Alt+R')} value={finder.regex} />
      </span>
      {context && (
        <p class="find-context">
          {context[0]}
          <mark>{context[1]}</mark>
          {context[2]}
        </p>
      )}
    </form>
  );
}

function ReplaceButtons({ finder, review }: FindBarProps) {
  return (
    <>
      <button type="button" onClick={finder.replace}>
        {find.replace}
      </button>
      <button type="button" title={keyNames('Ctrl+Alt+Enter')} onClick={finder.replaceAll}>
        {find.replaceAll}
      </button>
      {isRemembered(finder) && (
        <button
          type="button"
          title={find.rememberHint}
          onClick={() => void rememberAll({ finder, review })}
        >
          {find.remember}
        </button>
      )}
    </>
  );
}

/** Adds the pair and reports the result, after asking the user to sign in if necessary. */
async function remember(review: Review, mishear: string, term: string): Promise<void> {
  const pair = { term: term.trim(), mishear: mishear.trim() };
  review.message.value = await orFailure(async () => {
    await withKey((key) => rememberTerm(key, pair));
    return find.remembered(pair.mishear, pair.term);
  });
}
