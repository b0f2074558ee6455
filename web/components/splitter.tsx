/** A bar between two parts of a screen that moves their border, with the pointer or arrow keys. */
import type { Signal } from '@preact/signals';
import { isFromRight } from './direction.ts';

interface SplitterProps {
  label: string;
  /** The direction of the bar itself: a vertical one stands between two columns. */
  direction: 'vertical' | 'horizontal';
  /** The size of the part before the bar; null for what the layout gives it. */
  size: Signal<number | null>;
  least: number;
  most: number;
  /** The size without a choice of the user, as far as it is known beforehand. */
  usual: number;
  /** The size as it is now. */
  measure(bar: HTMLElement): number;
  /** What a pixel of movement adds to the size: negative if the part lies behind the bar. */
  aPixel?(bar: HTMLElement): number;
}

/** Key presses that take the bar from one end to the other. */
const STEPS = 24;

/** The bar. A double click, or Enter, gives the size back to the layout. */
export function Splitter({
  label,
  direction,
  size,
  least,
  most,
  usual,
  measure,
  aPixel = () => 1,
}: SplitterProps) {
  const set = (to: number) => {
    size.value = Math.round(Math.max(least, Math.min(most, to)) * 10) / 10;
  };
  // The part before a vertical bar lies to its right where text begins there.
  const growth = (bar: HTMLElement): number =>
    direction === 'vertical' && isFromRight(bar) ? -aPixel(bar) : aPixel(bar);
  const press = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const { currentTarget: bar, code } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = ((most - least) / STEPS) * Math.sign(growth(bar));
    const [less, more] =
      direction === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (code === less) set(measure(bar) - step);
    else if (code === more) set(measure(bar) + step);
    else if (code === 'Home') set(least);
    else if (code === 'End') set(most);
    else if (code === 'Enter') size.value = null;
    else return;
    event.preventDefault();
  };
  const down = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const { currentTarget: bar, pointerId } = event;
    const at = (of: PointerEvent) => (direction === 'vertical' ? of.clientX : of.clientY);
    const [from, before, by] = [at(event), measure(bar), growth(bar)];
    bar.setPointerCapture(pointerId);
    const stop = new AbortController();
    const { signal } = stop;
    const move = (moved: PointerEvent) => set(before + (at(moved) - from) * by);
    bar.addEventListener('pointermove', move, { signal });
    bar.addEventListener('pointerup', () => stop.abort(), { signal });
    bar.addEventListener('pointercancel', () => stop.abort(), { signal });
  };
  return (
    <div
      class={`splitter ${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      title={label}
      aria-orientation={direction}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={size.value ?? usual}
      onKeyDown={press}
      onPointerDown={down}
      onDblClick={() => (size.value = null)}
    />
  );
}
