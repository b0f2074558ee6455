/** The title of the page: what is open, for tabs, the history and screen readers. */
import { useEffect } from 'preact/hooks';
import { text } from './strings.ts';

/** Names the page after what it shows, as long as that is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? text.name : `${title} · ${text.name}`;
    return () => {
      document.title = text.name;
    };
  }, [title]);
}
