/** The captions as a dense grid, one row each: columns to choose, sorted by time, length, speed, warnings or doubts. */
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Menu } from '../../components/menu.tsx';
import { useSize } from '../../components/use-size.ts';
import { gridText as texts } from '../../texts/caption-files.ts';
import type { Desk } from '../desk/desk.ts';
import { GRID_COLUMNS, type GridColumn, settings } from '../editing/settings.ts';
import { textOf, withoutTags } from '../model/cue.ts';
import { speakerOf } from '../model/cue-speakers.ts';
import { gridOrder, type GridOrder } from '../model/grid-order.ts';

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

/** The grid. A row makes its caption current; Enter, or a second click, goes on to its text. */
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
  const { figures, positions } = rows;
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
        return withoutTags(textOf(cue)).replaceAll('\n', ' | ');
    }
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
                  onClick={() => navigation.select(cues[at], null)}
                  onDblClick={() => toText(at)}
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
                      {cell(name, at)}
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
