/** The row of a caption: the text, with the number, times and figures above it. */
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { seconds } from '../../texts/format.ts';
import { type ReviewCue, textOf } from '../model/cue.ts';
import { type Judged, warningText } from '../model/judge.ts';
import { text } from '../../texts/review.ts';
import { said } from '../../texts/said.ts';
import type { Desk } from '../desk/desk.ts';
import { settings } from '../editing/settings.ts';
import type { FoundViolation } from '../editing/profile-rules.ts';
import { rememberText } from '../editing/selection.ts';
import { colourOf } from '../editing/speakers.ts';
import { TypingGroups } from '../editing/typing-groups.ts';
import { hasItalics, type Mark, MarkedWords } from './marked-words.tsx';
import { badTime, TimeField } from './time-field.tsx';

export interface CueRowProps {
  desk: Desk;
  cue: ReviewCue;
  judged: Judged;
  /** From 0. */
  index: number;
  count: number;
  /** Pixels from the top of the list. */
  top: number;
  /** The height assumed by the list, in pixels. */
  height: number;
  isCurrent: boolean;
  /** Whether the playhead is in it. */
  isHeard: boolean;
  onElement(element: HTMLElement | null, previous: HTMLElement | null): void;
}

const typing = new TypingGroups();

/** The row. */
export function CueRow(props: CueRowProps) {
  const { desk, cue, judged, index, count, top, height, isCurrent, isHeard, onElement } = props;
  const { review, selection } = desk;
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = row.current;
    onElement(element, null);
    return () => onElement(null, element);
  }, [onElement]);
  const number = index + 1;
  const violations = useComputed(() => desk.check.violations.value?.get(cue.id)).value ?? [];
  const isByRules = settings.profile.value !== '';
  const isWarned = isByRules ? violations.length > 0 : judged.warnings.length > 0;
  const isSelected = selection.ids.value.has(cue.id);
  const readOnly = review.role.value !== 'writing';
  const Said = desk.saved.value?.CueComments;
  const makeCurrent = () => {
    review.currentId.value = cue.id;
  };
  return (
    <div
      ref={row}
      class={`cue ${isCurrent ? 'current' : ''} ${isSelected ? 'selected' : ''} ${isWarned ? 'warned' : ''} ${isHeard ? 'at-playhead' : ''}`}
      role="listitem"
      aria-label={isSelected ? text.review.cueSelected(number) : text.review.cue(number)}
      aria-posinset={number}
      aria-setsize={count}
      aria-current={isCurrent}
      data-id={cue.id}
      data-top={top}
      data-height={height}
      style={{ transform: `translateY(${top}px)` }}
      onFocusIn={makeCurrent}
    >
      <div class="cue-words">
        <CueMarks desk={desk} cue={cue} index={index} />
        <textarea
          class="cue-text"
          rows={Math.max(1, cue.lines.length)}
          aria-label={text.review.cueText(number)}
          tabIndex={isCurrent ? 0 : -1}
          spellcheck
          readOnly={readOnly}
          lang={review.language}
          value={review.typedIn(cue.id) ?? textOf(cue)}
          onInput={(event) => {
            const { value: typed } = event.currentTarget;
            makeCurrent();
            desk.typingPause.typed();
            review.type({ cueId: cue.id, text: typed, group: typing.groupOf(cue.id, typed) });
            // The field has another height at once.
            if (typed.split('\n').length !== cue.lines.length) review.applyTyped();
          }}
          onKeyDown={(event) => pressInText(event, desk)}
          onClick={(event) => {
            selection.clear();
            desk.commands.listenAt(cue, event.currentTarget.selectionStart);
          }}
          onBlur={(event) => {
            review.applyTyped();
            rememberText(event.currentTarget);
            typing.end();
          }}
        />
      </div>
      <CueHead {...props} isSelected={isSelected} readOnly={readOnly} />
      {isWarned && (
        <ul class="cue-warnings">
          {isByRules &&
            violations.map((violation) => (
              <CueViolation
                key={violation.rule}
                desk={desk}
                cue={cue}
                violation={violation}
                isReachable={isCurrent}
              />
            ))}
          {!isByRules &&
            judged.warnings.map(({ flag, severity }) => (
              <li key={flag} class={severity}>
                <Icon name={severity === 'warning' ? 'warning' : 'info'} />
                {warningText(flag, cue, judged, review.settings)}
                <button
                  type="button"
                  class="plain fix"
                  tabIndex={isCurrent ? 0 : -1}
                  aria-label={`${text.review.fix}: ${text.review.flags[flag] ?? flag}`}
                  onClick={() => void desk.commands.fix(cue, flag)}
                >
                  {text.review.fix}
                </button>
              </li>
            ))}
        </ul>
      )}
      {Said && <Said desk={desk} cue={cue} />}
    </div>
  );
}

interface CueViolationProps {
  desk: Desk;
  cue: ReviewCue;
  violation: FoundViolation;
  isReachable: boolean;
}

/** A violation of a profile's rule. */
const CueViolation = ({ desk, cue, violation, isReachable }: CueViolationProps) => (
  <li class="warning" title={violation.sentence}>
    <Icon name="warning" />
    {said.violation(violation.says)}
    {(violation.fix ?? violation.parts) && (
      <button
        type="button"
        class="plain fix"
        tabIndex={isReachable ? 0 : -1}
        aria-label={`${text.review.fix}: ${said.violation(violation.says)}`}
        onClick={() => desk.check.fix(cue, violation.rule)}
      >
        {text.review.fix}
      </button>
    )}
  </li>
);

interface CueHeadProps extends CueRowProps {
  isSelected: boolean;
  readOnly: boolean;
}

/** The line above the text. A click on the number plays; with Shift or Ctrl it selects. */
function CueHead({ desk, cue, judged, index, isCurrent, isSelected, readOnly }: CueHeadProps) {
  const { review, commands, selection } = desk;
  const number = index + 1;
  const sayBadTime = () => {
    review.message.value = badTime(desk.clock.peek());
  };
  const clock = desk.clock.value;
  const shared = { clock, reachable: isCurrent, readOnly, onWrong: sayBadTime };
  return (
    <div class="cue-head">
      <button
        type="button"
        class="cue-number"
        tabIndex={isCurrent ? 0 : -1}
        aria-label={text.review.goTo(number)}
        title={text.review.goToHint(number)}
        // Keeps the focus, and so the current caption, until the click has changed the selection.
        onMouseDown={(event) => {
          if (event.shiftKey || event.ctrlKey || event.metaKey) event.preventDefault();
        }}
        onClick={(event) => {
          if (event.shiftKey) selection.extendTo(index);
          else if (event.ctrlKey || event.metaKey) selection.toggle(cue.id);
          else commands.playFrom(cue);
        }}
      >
        {isSelected ? '✓' : ''}
        {number}
      </button>
      <TimeField
        label={text.review.cueStart(number)}
        value={cue.start}
        {...shared}
        onValue={(start) => commands.setEdge('start', start)}
      />
      <span class="arrow" aria-hidden="true">
        →
      </span>
      <TimeField
        label={text.review.cueEnd(number)}
        value={cue.end}
        {...shared}
        onValue={(end) => commands.setEdge('end', end)}
      />
      <span class="cue-length">{seconds(cue.end - cue.start)}</span>
      <CueSpeakers desk={desk} cue={cue} />
      <span class="cue-figures">
        <span class="cue-lengths">{text.review.lengths(judged.quality.lineLengths)}</span>
        <span class="cue-speed">{text.review.speed(judged.quality.charsPerSecond)}</span>
      </span>
    </div>
  );
}

/** Handles a key press in the text of the current caption if it does more than edit that text. */
function pressInText(
  event: KeyboardEvent & { currentTarget: HTMLTextAreaElement },
  { navigation, commands, selection, review }: Desk,
): void {
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  if (event.isComposing || altKey || ctrlKey || metaKey) return;
  const { selectionStart: from, selectionEnd: to, value } = event.currentTarget;
  const isPoint = from === to;
  const at = review.currentIndex.peek();
  const hasNext = at + 1 < review.cues.peek().length;
  const take = (run: () => void) => {
    event.preventDefault();
    selection.clear();
    run();
  };
  switch (event.code) {
    case 'Enter':
    case 'NumpadEnter':
      // Shift+Enter inserts a line break.
      if (!shiftKey) take(() => navigation.next());
      break;
    case 'ArrowDown':
      if (isPoint && !shiftKey && hasNext && !value.includes('\n', to))
        take(() => navigation.next());
      break;
    case 'ArrowUp':
      if (isPoint && !shiftKey && at > 0 && !value.slice(0, from).includes('\n')) {
        take(() => navigation.previous('end'));
      }
      break;
    case 'Backspace':
      // Holding the key down empties this caption, but does not continue into the previous one.
      if (isPoint && from === 0 && at > 0 && !event.repeat) take(commands.mergeBack);
      break;
    case 'Delete':
      if (isPoint && to === value.length && hasNext && !event.repeat) take(commands.merge);
      break;
    case 'Escape':
      if (selection.ids.peek().size > 0) take(selection.clear);
      else take(() => event.currentTarget.closest<HTMLElement>('.cue-list')?.focus());
      break;
    default:
  }
}

/**
 * The marks under the text; nothing if there are none. A text with italics is shown here without its
 * tags while nobody edits it, and the field above it is transparent.
 */
function CueMarks({ desk, cue, index }: { desk: Desk; cue: ReviewCue; index: number }) {
  const { doubts, finder } = desk;
  const found = finder.open.value === 'closed' ? undefined : finder.byCue.value.get(index);
  const marks: Mark[] = [
    ...(found ?? []).map(({ from, to, isMeant }) => ({
      from,
      to,
      look: isMeant ? 'meant' : 'found',
    })),
    ...doubts.of(cue).map(({ from, to }) => ({ from, to, look: 'doubt' })),
  ];
  const whole = textOf(cue);
  const isItalic = hasItalics(whole);
  if (marks.length === 0 && !isItalic) return null;
  return (
    <div
      class={`cue-marks ${isItalic ? 'italics' : ''}`}
      aria-hidden="true"
      lang={desk.review.language}
    >
      <MarkedWords words={whole} marks={marks} />
    </div>
  );
}

/** The speakers of a caption; nothing if there are none. */
function CueSpeakers({ desk, cue }: { desk: Desk; cue: ReviewCue }) {
  const order = desk.speakers.order.value;
  if (!cue.speakers) return null;
  return (
    <span class="cue-speakers">
      {[...new Set(cue.speakers)].map((name) => (
        <span key={name} class={colourOf(order.get(name)!)}>
          {name}
        </span>
      ))}
    </span>
  );
}
