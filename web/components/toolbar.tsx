/** Toolbars: buttons with an icon and a label, and one tab stop, within which arrow keys move. */
import { useLayoutEffect } from 'preact/hooks';
import { isFromRight } from './direction.ts';
import { Icon, type IconName } from './icon.tsx';

/** The elements that arrow keys reach; fields keep their own keys and tab stops. */
const REACHED = 'button:not([disabled]), a[href], summary';

/**
 * Turns an element into one tab stop. Left and right move between buttons, up and down between the
 * entries of a list. When the focused button is removed, the next one receives the focus.
 */
export function useRoving(frame: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const all = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(REACHED)];
    const stopAt = (wanted: Element | null) => {
      const among = all();
      const one = among.find((each) => each === wanted) ?? among[0];
      for (const each of among) each.tabIndex = each === one ? 0 : -1;
    };
    const current = (): Element | null =>
      all().find((each) => each.tabIndex === 0 && each.hasAttribute('tabindex')) ?? null;
    const press = (event: KeyboardEvent) => {
      const from = event.target instanceof Element ? event.target.closest(REACHED) : null;
      if (!from || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      // An open menu handles its own keys.
      if (from.closest('[role=menu]')) return;
      const among = all();
      const at = among.findIndex((each) => each === from);
      const entry = from.closest('li');
      const onward = isFromRight(element) ? -1 : 1;
      const to = {
        ArrowRight: at + onward,
        ArrowLeft: at - onward,
        ArrowDown: entry
          ? among.findIndex((each, i) => i > at && each.closest('li') !== entry)
          : -1,
        ArrowUp: entry
          ? among.findLastIndex((each, i) => i < at && each.closest('li') !== entry)
          : -1,
        Home: 0,
        End: among.length - 1,
      }[event.code];
      if (to === undefined) return;
      // At either end the focus stays, and the key still does nothing else.
      event.preventDefault();
      among[to]?.focus();
    };
    let held: Element | null = null;
    let moveLimitAt = 0;
    const focus = (event: FocusEvent) => {
      if (!(event.target instanceof Element)) return;
      held = event.target;
      const stop = event.target.closest(REACHED);
      moveLimitAt = all().findIndex((each) => each === stop);
      stopAt(stop);
    };
    const leave = (event: FocusEvent) => {
      // An element that is removed from the page also loses the focus, which then goes nowhere.
      if (event.relatedTarget !== null) held = null;
    };
    stopAt(current());
    const changes = new MutationObserver(() => {
      stopAt(current());
      if (!held || held.isConnected) return;
      held = null;
      // Not immediately, or the key that removed it would press the next one too.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const among = all();
        const next = among[Math.max(0, Math.min(moveLimitAt, among.length - 1))] ?? element;
        next.focus({ preventScroll: true });
      });
    });
    changes.observe(element, { childList: true, subtree: true });
    element.addEventListener('focusout', leave);
    element.addEventListener('keydown', press);
    element.addEventListener('focusin', focus);
    return () => {
      changes.disconnect();
      element.removeEventListener('keydown', press);
      element.removeEventListener('focusin', focus);
      element.removeEventListener('focusout', leave);
    };
  }, []);
}

interface ToolProps {
  icon: IconName;
  label: string;
  /** The accessible name, if the label alone is not clear enough. */
  title?: string;
  /** The keyboard shortcut. */
  hint?: string | undefined;
  off?: boolean;
  /** Whether it is on; only for toggles. */
  pressed?: boolean;
  /** Keeps the focus where it is. */
  keep?: boolean;
  run(): unknown;
}

/** A toolbar button. */
export const Tool = ({
  icon,
  label,
  title = label,
  hint,
  off = false,
  pressed,
  keep,
  run,
}: ToolProps) => (
  <button
    type="button"
    class="tool"
    aria-disabled={off}
    aria-pressed={pressed}
    aria-label={title}
    title={hint ? `${title} (${hint})` : title}
    onMouseDown={(event) => {
      // Firefox moves the focus for a pointer whatever is prevented earlier.
      if (keep) event.preventDefault();
    }}
    onClick={run}
  >
    <Icon name={icon} />
    <span>{label}</span>
  </button>
);
