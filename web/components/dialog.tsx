/** A modal dialog; Escape and its button close it. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../texts/shell.ts';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose(): void;
  /** Buttons beside the close button; each also closes the dialog. Enter in a field presses the first one, the main one; `danger` if nothing brings back what it deletes. */
  actions?: readonly { label: string; danger?: boolean; run(): void }[];
  /** The label of the close button. */
  close?: string;
}

/** The dialog, open while it is rendered. */
export function Dialog({
  title,
  children,
  onClose,
  actions = [],
  close = text.close,
}: DialogProps) {
  const dialog = useModal();
  const id = useId();
  const act = (run: () => void) => {
    dialog.current?.close();
    // The action may remove the dialog before its close event is handled.
    onClose();
    run();
  };
  const [first] = actions;
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body" tabIndex={0} role="group" aria-labelledby={id}>
        {first ? (
          <form
            id={`${id}-form`}
            onSubmit={(event) => {
              event.preventDefault();
              act(first.run);
            }}
          >
            {children}
          </form>
        ) : (
          children
        )}
      </div>
      <div class="actions">
        {actions.map((action) =>
          action === first ? (
            <button
              type="submit"
              class={action.danger ? 'danger' : 'primary'}
              form={`${id}-form`}
              key={action.label}
            >
              {action.label}
            </button>
          ) : (
            <button type="button" key={action.label} onClick={() => act(action.run)}>
              {action.label}
            </button>
          ),
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          {close}
        </button>
      </div>
    </dialog>
  );
}

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
