/** A dialog over the page; Escape and its button close it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../strings.ts';

export interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose(): void;
  /** What can be chosen, before the button that closes; each closes the dialog. */
  actions?: readonly { label: string; run(): void }[];
  /** What the button that closes says. */
  close?: string;
}

/** The dialog, open as long as it is rendered. */
export function Dialog({
  title,
  children,
  onClose,
  actions = [],
  close = text.close,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
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
              // What it does may take the dialog from the page before that is told.
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
