/** One caption: its number, its times, its text, and how it reads. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JudgedCue } from '../../server/captions/quality.ts';
import { Icon } from '../components/icon.tsx';
import { seconds } from '../format.ts';
import { text } from './strings.ts';
import type { Commands } from './commands.ts';
import { setText } from './model/edits.ts';
import { textOf, type ReviewCue } from './model/cue.ts';
import type { Review } from './review.ts';
import { TimeField } from './time-field.tsx';
import { TypingGroups } from './typing-groups.ts';
import { warningText } from './warning-text.ts';

export interface CueRowProps {
  review: Review;
  commands: Commands;
  cue: ReviewCue;
  judged: JudgedCue;
  /** From 0. */
  index: number;
  count: number;
  /** Pixels from the top of the list. */
  top: number;
  /** Pixels that it was given in the list. */
  height: number;
  isCurrent: boolean;
  onElement(element: HTMLElement | null, previous: HTMLElement | null): void;
}

const typing = new TypingGroups();

/** The row. */
export function CueRow(props: CueRowProps) {
  const { review, commands, cue, judged, index, count, top, height, isCurrent, onElement } = props;
  const row = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = row.current;
    onElement(element, null);
    return () => onElement(null, element);
  }, [onElement]);
  const number = index + 1;
  const readOnly = review.role.value !== 'writing';
  const makeCurrent = () => {
    review.currentId.value = cue.id;
  };
  const sayBadTime = () => {
    review.said.value = text.review.badTime;
  };
  return (
    <div
      ref={row}
      class={`cue ${isCurrent ? 'current' : ''} ${judged.warnings.length > 0 ? 'warned' : ''}`}
      role="listitem"
      aria-label={text.review.cue(number)}
      aria-posinset={number}
      aria-setsize={count}
      aria-current={isCurrent}
      data-id={cue.id}
      data-top={top}
      data-height={height}
      style={{ transform: `translateY(${top}px)` }}
      onFocusIn={makeCurrent}
    >
      <div class="cue-head">
        <button
          type="button"
          class="cue-number"
          tabIndex={isCurrent ? 0 : -1}
          aria-label={text.review.goTo(number)}
          title={text.review.goTo(number)}
          onClick={() => commands.playFrom(cue)}
        >
          {number}
        </button>
        <TimeField
          label={text.review.cueStart(number)}
          value={cue.start}
          reachable={isCurrent}
          readOnly={readOnly}
          onValue={(start) => commands.setTimes({ start })}
          onWrong={sayBadTime}
        />
        <span aria-hidden="true">→</span>
        <TimeField
          label={text.review.cueEnd(number)}
          value={cue.end}
          reachable={isCurrent}
          readOnly={readOnly}
          onValue={(end) => commands.setTimes({ end })}
          onWrong={sayBadTime}
        />
        <span class="cue-length">{seconds(cue.end - cue.start)}</span>
        <span class="cue-figures">
          <span class="cue-lengths">{text.review.lengths(judged.quality.lineLengths)}</span>
          <span class="cue-speed">{text.review.speed(judged.quality.charsPerSecond)}</span>
          {judged.warnings.length === 0 && (
            <span class="fine" title={text.review.fine}>
              <Icon name="check" />
            </span>
          )}
        </span>
      </div>
      <textarea
        class="cue-text"
        rows={Math.max(1, cue.lines.length)}
        aria-label={text.review.cueText(number)}
        spellcheck
        readOnly={readOnly}
        lang={review.language}
        value={textOf(cue)}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          const cues = review.cues.peek();
          // A command may have gone on to another caption already: this text is of this one.
          const at = cues.findIndex(({ id }) => id === cue.id);
          const group = typing.groupOf(cue.id, typed);
          makeCurrent();
          review.edit('text', setText(cues, at, typed), { group, quiet: true });
        }}
        onClick={(event) => commands.listenAt(cue, event.currentTarget.selectionStart)}
        onBlur={() => typing.end()}
      />
      {judged.warnings.length > 0 && (
        <ul class="cue-warnings">
          {judged.warnings.map(({ flag, severity }) => (
            <li key={flag} class={severity}>
              <Icon name={severity === 'warning' ? 'warning' : 'info'} />
              {warningText(flag, cue, judged.quality, review.settings)}
              <button
                type="button"
                class="plain"
                tabIndex={isCurrent ? 0 : -1}
                aria-label={`${text.review.fix}: ${text.review.flags[flag] ?? flag}`}
                onClick={() => commands.fix(cue, flag)}
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
