/** A modal dialog; Escape and its button close it. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../words/shell.ts';

export interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose(): void;
  /** Buttons shown before the close button; each also closes the dialog. */
  actions?: readonly { label: string; run(): void }[];
  /** The label of the close button. */
  close?: string;
}

/** The dialog, open while it is rendered: from the start, so that whoever closes it at once is heard. */
export function Dialog({
  title,
  children,
  onClose,
  actions = [],
  close = text.close,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body" tabIndex={0} role="group" aria-labelledby={id}>
        {children}
      </div>
      <div class="actions">
        {actions.map(({ label, run }) => (
          <button
            type="button"
            key={label}
            onClick={() => {
              dialog.current?.close();
              // The action may remove the dialog before its close event is handled.
              onClose();
              run();
            }}
          >
            {label}
          </button>
        ))}
        <button type="button" onClick={() => dialog.current?.close()}>
          {close}
        </button>
      </div>
    </dialog>
  );
}
