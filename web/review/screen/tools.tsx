/**
 * The toolbar: the most common commands as labelled icons, for captions, times and history; and the buttons for the
 * times of the current caption. Each is one Tab stop.
 */
import { batch } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { useRoving, Tool } from '../../components/toolbar.tsx';
import type { Desk } from '../desk/desk.ts';
import { hintOf } from '../desk/keys.ts';
import type { TimingMode } from '../model/edit-times.ts';
import { settings } from '../editing/settings.ts';
import { guest } from '../../tab/guest.ts';
import { text } from '../../texts/review.ts';
import { cursor, selection } from '../editing/selection.ts';
import { NUDGE } from '../desk/commands.ts';

const MODES: readonly TimingMode[] = ['push', 'roll', 'ripple', 'free'];

/** The toolbar. */
export function Tools({ desk }: { desk: Desk }) {
  const { review, commands, view } = desk;
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const { position, changes } = review.state.value;
  const texts = text.review;
  /** On a phone, the tools are a sheet over the captions: it closes to show what was done. */
  const once = (run: () => unknown) => () =>
    batch(() => {
      if (view.peek() === 'tools') view.value = null;
      run();
    });
  /** A tool that keeps the cursor in place: it marks where to split and where typing continues. */
  const tool = (
    icon: IconName,
    label: string,
    action: string,
    run: () => unknown,
    more: { title?: string; off?: boolean } = {},
  ) => <Tool keep icon={icon} label={label} hint={hintOf(action)} run={run} {...more} />;
  return (
    <div class="tools" role="toolbar" aria-label={texts.tools} ref={frame}>
      <div class="tool-group" role="group" aria-label={texts.toolGroups.edit}>
        {tool(
          'split',
          texts.split,
          'split',
          once(() => commands.split(cursor())),
        )}
        {tool('merge', texts.merge, 'merge', once(commands.merge))}
        {tool('insert', texts.insert, 'insert', once(commands.insert))}
        {tool('bin', texts.delete, 'delete', once(commands.remove))}
        <Menu
          label={texts.more}
          class="tool"
          items={[
            { label: texts.lines, run: once(commands.rebreak) },
            { label: texts.wordBack, run: once(() => commands.moveWord('previous')) },
            { label: texts.wordOn, run: once(() => commands.moveWord('next')) },
            { label: texts.italics, run: once(() => commands.italics(selection())) },
            { label: texts.selectAll, run: once(desk.selection.all) },
            {
              label: texts.grid,
              checked: settings.grid.value,
              run: once(() => (settings.grid.value = !settings.grid.peek())),
            },
            { label: texts.rebuild, run: () => (view.value = 'rebuild') },
            { label: texts.script, run: () => (view.value = 'script') },
            { label: texts.translate, run: once(() => (desk.translation.value = true)) },
          ]}
        >
          <Icon name="more" />
          <span>{texts.more}</span>
        </Menu>
      </div>
      <div class="tool-group" role="group" aria-label={texts.toolGroups.time}>
        {tool('start', texts.in, 'startHere', once(commands.startHere), { title: texts.inHere })}
        {tool('end', texts.out, 'endHere', once(commands.endHere), { title: texts.outHere })}
        {tool('earlier', texts.sooner, 'earlier', () => commands.nudge(-NUDGE), {
          title: texts.earlier,
        })}
        {tool('later', texts.laterShort, 'later', () => commands.nudge(NUDGE), {
          title: texts.later,
        })}
        <Menu
          label={texts.timing}
          class="tool"
          items={[
            { label: texts.shift, run: () => (view.value = 'shift') },
            { label: texts.closeGap, run: once(commands.closeGap) },
            { label: texts.retime, run: () => (view.value = 'retime') },
            { label: texts.frames, run: () => (view.value = 'frames') },
            ...MODES.map((mode) => ({
              label: texts.modes[mode],
              checked: settings.mode.value === mode,
              run: () => {
                settings.mode.value = mode;
              },
            })),
            ...(
              ['seekSelects', 'snapSpeech', 'snapShots', 'snapFrames', 'snapNeighbours'] as const
            ).map((name) => ({
              label: texts.timingOptions[name],
              checked: settings[name].value,
              run: () => {
                settings[name].value = !settings[name].peek();
              },
            })),
          ]}
        >
          <Icon name="magnet" />
          <span>{texts.timing}</span>
        </Menu>
      </div>
      <div class="tool-group" role="group" aria-label={texts.toolGroups.history}>
        {tool('undo', texts.undo, 'undo', review.undo, { off: position === 0 })}
        {tool('redo', texts.redo, 'redo', review.redo, { off: position === changes.length })}
        <Tool icon="compare" label={texts.compare} run={() => (view.value = 'compare')} />
      </div>
    </div>
  );
}

/** The buttons for find, the transcript, translations, the command palette and the shortcut sheet. */
export const FindTools = ({ desk: { finder, view, translation } }: { desk: Desk }) => (
  <div class="tool-group" role="group" aria-label={text.review.toolGroups.find}>
    <Tool
      icon="find"
      label={text.review.find}
      hint={hintOf('replace')}
      run={() => {
        view.value = null;
        finder.show('replace');
      }}
    />
    <Tool
      icon="lines"
      label={text.review.transcript}
      hint={hintOf('transcript')}
      pressed={settings.transcript.value}
      run={() => {
        view.value = null;
        settings.transcript.value = !settings.transcript.peek();
      }}
    />
    {/* Translations are for those with a key. */}
    {guest.value === null && (
      <Tool
        icon="translate"
        label={text.review.translate}
        hint={hintOf('translate')}
        pressed={translation.value}
        run={() => {
          view.value = null;
          translation.value = !translation.peek();
        }}
      />
    )}
    <Tool
      icon="list"
      label={text.review.commands}
      hint={hintOf('palette')}
      run={() => {
        view.value = 'palette';
      }}
    />
    <Tool
      icon="keys"
      label={text.review.keys}
      hint="?"
      run={() => {
        view.value = 'keys';
      }}
    />
  </div>
);

/** Buttons that move the current caption, and set its edges to the playhead. */
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
