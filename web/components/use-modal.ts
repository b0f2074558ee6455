/** Opens a dialog as soon as it is in the page. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A reference for a dialog that is open while it is rendered. It is open before the page is drawn:
 * whoever closed it before it is open would close nothing.
 */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return dialog;
}
