/** Opens a dialog as soon as it is in the page. */
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The fields that people type or choose in; of radio buttons, the chosen one. */
const FIELDS = 'textarea, select, input:not([type=file], [type=radio]), input[type=radio]:checked';

/**
 * A reference for a dialog that is open while it is rendered, with the focus in its first field. It opens before the page is drawn,
 * because closing a dialog that is not open yet would do nothing.
 */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(FIELDS)?.focus();
  }, []);
  return dialog;
}
