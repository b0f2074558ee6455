/** The page title, which names the current screen in tabs, the history and screen readers. */
import { useEffect } from 'preact/hooks';
import { text } from '../texts/shell.ts';

/** Sets the page title while a component is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? text.name : `${title} · ${text.name}`;
    return () => {
      document.title = text.name;
    };
  }, [title]);
}
