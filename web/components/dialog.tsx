/** A dialog over the page; Escape and its button close it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../strings.ts';

export interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose(): void;
}

/** The dialog, open as long as it is rendered. */
export function Dialog({ title, children, onClose }: DialogProps) {
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
        <button type="button" onClick={() => dialog.current?.close()}>
          {text.close}
        </button>
      </div>
    </dialog>
  );
}
