/**
 * Buttons that change the times of the current caption, like dragging in the timeline. They are
 * above the list and not in it, because a growing row would move others away from under the
 * pointer.
 */
import { useRef } from 'preact/hooks';
import { useRoving } from '../../components/toolbar.tsx';
import { text } from '../../texts/review.ts';
import type { Desk } from './desk.ts';
import { NUDGE } from './time-commands.ts';

/** The buttons. */
export function TimeButtons({ desk: { review, commands, selection } }: { desk: Desk }) {
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const chosen = selection.indices.value.length;
  const { nudgeEdge, nudge, startHere, endHere } = commands;
  const index = review.currentIndex.value;
  const groups: readonly (readonly [string, readonly TimeButton[]])[] = [
    [
      text.review.start,
      [
        ['−', text.review.startEarlier, () => nudgeEdge('start', -NUDGE)],
        ['+', text.review.startLater, () => nudgeEdge('start', NUDGE)],
        ['⇥', text.review.startHere, startHere],
      ],
    ],
    [
      text.review.both,
      [
        ['−', text.review.earlier, () => nudge(-NUDGE)],
        ['+', text.review.later, () => nudge(NUDGE)],
      ],
    ],
    [
      text.review.end,
      [
        ['−', text.review.endEarlier, () => nudgeEdge('end', -NUDGE)],
        ['+', text.review.endLater, () => nudgeEdge('end', NUDGE)],
        ['⇥', text.review.endHere, endHere],
      ],
    ],
  ];
  return (
    <div class="time-buttons" role="toolbar" aria-label={text.review.timeButtons} ref={frame}>
      <span class="time-buttons-for">
        {chosen > 0
          ? text.review.selected(chosen)
          : index < 0
            ? ''
            : text.review.current(index + 1)}
      </span>
      {groups.map(([name, buttons]) => (
        <div role="group" aria-label={name} key={name}>
          <span aria-hidden="true">{name}</span>
          {buttons.map(([shown, label, run]) => (
            <button
              type="button"
              key={label}
              aria-label={label}
              title={label}
              // Keep the cursor in the text.
              onMouseDown={(event) => event.preventDefault()}
              onClick={run}
            >
              {shown}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** The symbol, the label and the command. */
type TimeButton = readonly [string, string, () => unknown];
