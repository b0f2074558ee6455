/** The focus after an action that takes its own button from the page. */
import { useEffect } from 'preact/hooks';

/**
 * If the focused element disappears after a press or a key, the list of captions takes the focus,
 * so that shortcuts keep working and Tab continues from there.
 */
export function useFocusFallback(): void {
  useEffect(() => {
    const watch = () => {
      const held = document.activeElement;
      // If the user is typing, the captions move the focus themselves.
      if (!held || held === document.body || held instanceof HTMLTextAreaElement) return;
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (held.isConnected || document.activeElement !== document.body) return;
          document.querySelector<HTMLElement>('.cue-list')?.focus({ preventScroll: true });
        }),
      );
    };
    addEventListener('click', watch, true);
    addEventListener('keydown', watch, true);
    return () => {
      removeEventListener('click', watch, true);
      removeEventListener('keydown', watch, true);
    };
  }, []);
}
