/**
 * The toolbar: the most common commands as labelled icons, for captions, times and history. One Tab
 * stop.
 */
import { useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { useRoving } from '../components/roving.ts';
import { Tool } from '../components/tool.tsx';
import type { Desk } from './desk.ts';
import { hintOf } from './key-hint.ts';
import type { TimingMode } from './model/edits.ts';
import { settings } from './settings.ts';
import { text } from '../words/review.ts';
import { cursor, selection } from './text-cursor.ts';
import { NUDGE } from './time-commands.ts';

const MODES: readonly TimingMode[] = ['push', 'roll', 'ripple', 'free'];

/** The toolbar. */
export function Tools({ desk }: { desk: Desk }) {
  const { review, commands, view } = desk;
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const { position, changes } = review.state.value;
  const says = text.review;
  return (
    <div class="tools" role="toolbar" aria-label={says.tools} ref={frame}>
      {/* These keep the cursor in place: it marks where to split and where typing continues. */}
      <div class="tool-group" role="group" aria-label={says.toolGroups.edit}>
        <Tool
          keep
          icon="split"
          label={says.split}
          hint={hintOf('split')}
          run={() => commands.split(cursor())}
        />
        <Tool keep icon="merge" label={says.merge} hint={hintOf('merge')} run={commands.merge} />
        <Tool
          keep
          icon="insert"
          label={says.insert}
          hint={hintOf('insert')}
          run={commands.insert}
        />
        <Tool keep icon="bin" label={says.delete} hint={hintOf('delete')} run={commands.remove} />
        <Menu
          label={says.more}
          class="tool"
          items={[
            { label: says.lines, run: commands.rebreak },
            { label: says.wordBack, run: () => commands.moveWord('previous') },
            { label: says.wordOn, run: () => commands.moveWord('next') },
            { label: says.italics, run: () => commands.italics(selection()) },
            { label: says.selectAll, run: desk.selection.all },
            { label: says.rebuild, run: () => (view.value = 'rebuild') },
            { label: says.script, run: () => (view.value = 'script') },
          ]}
        >
          <Icon name="more" />
          <span>{says.more}</span>
        </Menu>
      </div>
      <div class="tool-group" role="group" aria-label={says.toolGroups.time}>
        <Tool
          keep
          icon="start"
          label={says.in}
          title={says.inHere}
          hint={hintOf('startHere')}
          run={commands.startHere}
        />
        <Tool
          keep
          icon="end"
          label={says.out}
          title={says.outHere}
          hint={hintOf('endHere')}
          run={commands.endHere}
        />
        <Tool
          keep
          icon="earlier"
          label={says.sooner}
          title={says.earlier}
          hint={hintOf('earlier')}
          run={() => commands.nudge(-NUDGE)}
        />
        <Tool
          keep
          icon="later"
          label={says.laterShort}
          title={says.later}
          hint={hintOf('later')}
          run={() => commands.nudge(NUDGE)}
        />
        <Menu
          label={says.timing}
          class="tool"
          items={[
            { label: says.shift, run: () => (view.value = 'shift') },
            { label: says.closeGap, run: commands.closeGap },
            ...MODES.map((mode) => ({
              label: says.modes[mode],
              checked: settings.mode.value === mode,
              run: () => {
                settings.mode.value = mode;
              },
            })),
            ...(['snapSpeech', 'snapShots', 'snapFrames', 'snapNeighbours'] as const).map(
              (name) => ({
                label: says.snaps[name],
                checked: settings[name].value,
                run: () => {
                  settings[name].value = !settings[name].peek();
                },
              }),
            ),
          ]}
        >
          <Icon name="magnet" />
          <span>{says.timing}</span>
        </Menu>
      </div>
      <div class="tool-group" role="group" aria-label={says.toolGroups.history}>
        <Tool
          keep
          icon="undo"
          label={says.undo}
          hint={hintOf('undo')}
          off={position === 0}
          run={review.undo}
        />
        <Tool
          keep
          icon="redo"
          label={says.redo}
          hint={hintOf('redo')}
          off={position === changes.length}
          run={review.redo}
        />
        <Tool icon="compare" label={says.compare} run={() => (view.value = 'compare')} />
      </div>
    </div>
  );
}

/** The buttons for find, the command palette and the shortcut sheet. */
export const FindTools = ({ desk: { finder, view } }: { desk: Desk }) => (
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
