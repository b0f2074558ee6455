/** Opens a dialog as soon as it is in the page. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A reference for a dialog that is open while it is rendered. It opens before the page is drawn,
 * because closing a dialog that is not open yet would do nothing.
 */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return dialog;
}
