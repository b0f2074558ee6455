/** The captions as a dense grid, one row each: columns to choose, sorted by time, length, speed, warnings or doubts. */
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Menu } from '../../components/menu.tsx';
import { useSize } from '../../components/use-size.ts';
import { gridText as texts } from '../../texts/caption-files.ts';
import { text } from '../../texts/review.ts';
import type { Desk } from '../desk/desk.ts';
import { GRID_COLUMNS, type GridColumn, settings } from '../editing/settings.ts';
import { textOf, withoutTags } from '../model/cue.ts';
import { speakerOf } from '../model/cue-speakers.ts';
import { setText } from '../model/edit-text.ts';
import { gridOrder, type GridOrder } from '../model/grid-order.ts';
import { TypingGroups } from '../editing/typing-groups.ts';
import { badTime, TimeField } from './time-field.tsx';

/** The height of a row, in pixels: where fingers point, they have more room. */
const rowHeight = (): number => (matchMedia('(pointer: coarse)').matches ? 44 : 28);
/** The rows that are drawn beyond the visible ones. */
const MORE = 20;

/** The columns by which the grid is sorted. */
const ORDERS: Readonly<Partial<Record<GridColumn, GridOrder>>> = {
  start: 'start',
  length: 'length',
  speed: 'speed',
  warnings: 'warnings',
  doubts: 'doubts',
};

/** What stands between the lines of a caption in its one row; typed there, it begins a new line. */
const BETWEEN = '|';

/** The grid. A row makes its caption current: its times and its text are typed in place. Its number leads to the list. */
export function GridView({ desk }: { desk: Desk }) {
  const { review, check, doubts, clock, navigation } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const scrolled = useSignal(0);
  const height = useSignal(600);
  const row = useMemo(rowHeight, []);
  const order = useSignal<GridOrder>('start');
  useSize(frame, 'height', height);
  const cues = review.cues.value;
  const rows = useComputed(() => {
    const all = review.cues.value;
    const judged = review.judged.value;
    const figures = {
      start: all.map(({ start }) => start),
      length: all.map(({ start, end }) => end - start),
      speed: judged.map(({ quality }) => quality.charsPerSecond),
      warnings: check.counts.value,
      doubts: all.map((cue) => doubts.of(cue).length),
    };
    return { figures, positions: gridOrder(figures, order.value) };
  }).value;
  const { figures } = rows;
  /** Rows stay where they are while one types in them, until another is pressed. */
  const isEdited = useSignal(false);
  const held = useRef(rows.positions);
  if (!isEdited.value || held.current.length !== cues.length) held.current = rows.positions;
  const positions = held.current;
  /** Whether the text of the caption that becomes current takes the focus. */
  const goesOn = useRef(false);
  const columns = GRID_COLUMNS.filter((name) => settings.gridColumns.value.includes(name));
  const from = Math.max(0, Math.floor(scrolled.value / row) - MORE);
  const to = Math.min(positions.length, Math.ceil((scrolled.value + height.value) / row) + MORE);
  const currentId = review.currentId.value;
  const current = positions.findIndex((at) => cues[at]?.id === currentId);
  useLayoutEffect(() => {
    const list = frame.current;
    if (!list || current < 0) return;
    const top = current * row;
    if (top < list.scrollTop || top + 2 * row > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 3;
  }, [current, order.value]);
  const toText = (at: number): void => {
    settings.grid.value = false;
    navigation.select(cues[at], 'end');
  };
  const cell = (name: GridColumn, at: number): string => {
    const cue = cues[at]!;
    switch (name) {
      case 'start':
        return clock.value.write(cue.start);
      case 'end':
        return clock.value.write(cue.end);
      case 'length':
        return (cue.end - cue.start).toFixed(2);
      case 'speed':
        return String(Math.round(figures.speed[at] ?? 0));
      case 'warnings':
        return figures.warnings[at] ? String(figures.warnings[at]) : '';
      case 'doubts':
        return figures.doubts[at] ? String(figures.doubts[at]) : '';
      case 'speaker':
        return speakerOf(cue);
      default:
        return withoutTags(textOf(cue)).replaceAll('\n', ` ${BETWEEN} `);
    }
  };
  /** The field in which the current caption is typed; null where the column has none. */
  const field = (name: GridColumn, at: number) => {
    const cue = cues[at]!;
    if (cue.id !== currentId || review.role.value !== 'writing') return null;
    if (name === 'start' || name === 'end') {
      return (
        <TimeField
          label={name === 'start' ? text.review.cueStart(at + 1) : text.review.cueEnd(at + 1)}
          value={cue[name]}
          clock={clock.value}
          reachable
          readOnly={false}
          onWrong={() => (review.message.value = badTime(clock.peek()))}
          onValue={(seconds) => desk.commands.setEdge(name, seconds)}
        />
      );
    }
    // Where the mark is a part of the text, lines cannot be told from it.
    if (name !== 'text' || textOf(cue).includes(BETWEEN)) return null;
    const next = () => {
      const following = cues[positions[current + 1] ?? -1];
      if (!following) return;
      goesOn.current = true;
      navigation.select(following, null);
    };
    return <TextCell key={cue.id} {...{ desk, at, goesOn, next }} />;
  };
  return (
    <div class="grid-view">
      <div class="grid-head">
        <Menu
          label={texts.columns}
          items={GRID_COLUMNS.map((name) => ({
            label: texts.names[name],
            checked: columns.includes(name),
            run: () => {
              const others = settings.gridColumns.peek().filter((each) => each !== name);
              settings.gridColumns.value = columns.includes(name) ? others : [...others, name];
            },
          }))}
        />
        <button type="button" onClick={() => (settings.grid.value = false)}>
          {texts.list}
        </button>
      </div>
      <div
        class="grid-rows"
        ref={frame}
        style={{ '--row': `${row}px` }}
        onFocusIn={({ target }) => (isEdited.value = target instanceof HTMLInputElement)}
        onScroll={(event) => (scrolled.value = event.currentTarget.scrollTop)}
      >
        <table aria-label={texts.label} aria-rowcount={positions.length + 1}>
          <thead>
            <tr>
              <th scope="col">#</th>
              {columns.map((name) => {
                const by = ORDERS[name];
                return (
                  <th
                    scope="col"
                    key={name}
                    class={`col-${name}`}
                    aria-sort={
                      by && by === order.value
                        ? by === 'start'
                          ? 'ascending'
                          : 'descending'
                        : undefined
                    }
                  >
                    {by ? (
                      <button type="button" class="plain" onClick={() => (order.value = by)}>
                        {texts.names[name]}
                      </button>
                    ) : (
                      texts.names[name]
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {from > 0 && <tr style={{ height: `${from * row}px` }} />}
            {positions.slice(from, to).map((at) => {
              const { id } = cues[at]!;
              return (
                <tr
                  key={id}
                  aria-current={id === currentId}
                  class={figures.warnings[at] ? 'warned' : undefined}
                  onClick={({ target }) => {
                    navigation.select(cues[at], null);
                    isEdited.value = target instanceof HTMLInputElement;
                  }}
                >
                  <td>
                    <button
                      type="button"
                      class="plain"
                      tabIndex={id === currentId ? 0 : -1}
                      aria-label={texts.open(at + 1)}
                      onClick={(event) => {
                        event.stopPropagation();
                        toText(at);
                      }}
                    >
                      {at + 1}
                    </button>
                  </td>
                  {columns.map((name) => (
                    <td
                      key={name}
                      class={`col-${name}`}
                      {...(name === 'text' && { lang: review.language, dir: 'auto' })}
                    >
                      {field(name, at) ?? cell(name, at)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {to < positions.length && (
              <tr style={{ height: `${(positions.length - to) * row}px` }} />
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const typing = new TypingGroups();

interface TextCellProps {
  desk: Desk;
  /** From 0. */
  at: number;
  goesOn: { current: boolean };
  /** Goes on to the caption in the row below. */
  next(): void;
}

/** The text of the current caption in one row. Every key is kept at once; Enter goes on to the next caption. */
function TextCell({ desk: { review, typingPause }, at, goesOn, next }: TextCellProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (goesOn.current) input.current?.focus();
    goesOn.current = false;
  }, []);
  const cue = review.cues.value[at]!;
  /** As it is typed; what is kept has no spaces around the mark. */
  const typed = useSignal<string | null>(null);
  return (
    <input
      ref={input}
      type="text"
      spellcheck
      aria-label={text.review.cueText(at + 1)}
      value={typed.value ?? textOf(cue).replaceAll('\n', ` ${BETWEEN} `)}
      onInput={({ currentTarget: { value } }) => {
        typed.value = value;
        typingPause.typed();
        const lines = value.split(BETWEEN).map((line) => line.trim());
        const group = typing.groupOf(cue.id, value);
        const cues = review.cues.peek();
        const index = cues.findIndex(({ id }) => id === cue.id);
        review.edit('text', setText(cues, index, lines.join('\n')), { group, quiet: true });
      }}
      onKeyDown={(event) => {
        if (event.code === 'Enter' && !event.isComposing) next();
      }}
      onBlur={() => {
        typed.value = null;
        typing.end();
      }}
    />
  );
}
