/** The row of a caption: the text, with the number, times and figures above it. */
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Violation } from '../../../server/captions/rules/check.ts';
import { Icon } from '../../components/icon.tsx';
import { seconds, sentence } from '../../format.ts';
import { CueMarks } from './cue-marks.tsx';
import type { Desk } from './desk.ts';
import { setText } from '../model/edits.ts';
import { textOf, type ReviewCue } from '../model/cue.ts';
import { violationsOf } from './profile-check.ts';
import type { Judged } from '../model/judge.ts';
import { settings } from './settings.ts';
import { CueSpeakers } from './speaker-mark.tsx';
import { text } from '../../texts/review.ts';
import { rememberText } from './text-cursor.ts';
import { pressInText } from './text-keys.ts';
import { TimeField } from './time-field.tsx';
import { TypingGroups } from './typing-groups.ts';
import { warningText } from './warning-text.ts';

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
  onElement(element: HTMLElement | null, previous: HTMLElement | null): void;
}

const typing = new TypingGroups();

/** The row. */
export function CueRow(props: CueRowProps) {
  const { desk, cue, judged, index, count, top, height, isCurrent, onElement } = props;
  const { review, selection } = desk;
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = row.current;
    onElement(element, null);
    return () => onElement(null, element);
  }, [onElement]);
  const number = index + 1;
  const violations = useComputed(() => violationsOf(desk.check, cue.id)).value;
  const isByRules = settings.profile.value !== '';
  const isWarned = isByRules ? violations.length > 0 : judged.warnings.length > 0;
  const isSelected = selection.ids.value.has(cue.id);
  const readOnly = review.role.value !== 'writing';
  const makeCurrent = () => {
    review.currentId.value = cue.id;
  };
  return (
    <div
      ref={row}
      class={`cue ${isCurrent ? 'current' : ''} ${isSelected ? 'selected' : ''} ${isWarned ? 'warned' : ''}`}
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
          value={textOf(cue)}
          onInput={(event) => {
            const typed = event.currentTarget.value;
            const cues = review.cues.peek();
            // A command may have moved to another caption already, but this text belongs to this
            // one.
            const at = cues.findIndex(({ id }) => id === cue.id);
            const group = typing.groupOf(cue.id, typed);
            makeCurrent();
            desk.typingPause.typed();
            review.edit('text', setText(cues, at, typed), { group, quiet: true });
          }}
          onKeyDown={(event) => pressInText(event, desk)}
          onClick={(event) => {
            selection.clear();
            desk.commands.listenAt(cue, event.currentTarget.selectionStart);
          }}
          onBlur={(event) => {
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
                  class="plain"
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
    </div>
  );
}

interface CueViolationProps {
  desk: Desk;
  cue: ReviewCue;
  violation: Violation;
  isReachable: boolean;
}

/** A violation of a profile's rule. */
const CueViolation = ({ desk, cue, violation, isReachable }: CueViolationProps) => (
  <li class="warning" title={violation.sentence}>
    <Icon name="warning" />
    {sentence(violation.says)}
    {violation.fix && (
      <button
        type="button"
        class="plain"
        tabIndex={isReachable ? 0 : -1}
        aria-label={`${text.review.fix}: ${violation.says}`}
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
    review.message.value = text.review.badTime;
  };
  const shared = { reachable: isCurrent, readOnly, onWrong: sayBadTime };
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
      <span aria-hidden="true">→</span>
      <TimeField
        label={text.review.cueEnd(number)}
        value={cue.end}
        {...shared}
        onValue={(end) => commands.setEdge('end', end)}
      />
      <CueSpeakers desk={desk} cue={cue} />
      <span class="cue-length">{seconds(cue.end - cue.start)}</span>
      <span class="cue-figures">
        <span class="cue-lengths">{text.review.lengths(judged.quality.lineLengths)}</span>
        <span class="cue-speed">{text.review.speed(judged.quality.charsPerSecond)}</span>
      </span>
    </div>
  );
}
