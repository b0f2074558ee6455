/** Tracks the size of an element as it changes. */
import type { Signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** Keeps the width or the height of an element in a signal, in CSS pixels. */
export function useSize(
  element: { readonly current: Element | null },
  side: 'width' | 'height',
  size: Signal<number>,
): void {
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) size.value = entry.contentRect[side];
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
}
