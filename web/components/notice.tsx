/** Something to know, to mind or to mend: a picture, a colour and words, never colour alone. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface NoticeProps {
  kind: 'info' | 'warning' | 'error';
  title?: string;
  children?: ComponentChildren;
}

/** A notice; an error is told to screen readers at once. */
export const Notice = ({ kind, title, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    <Icon name={kind} />
    <div>
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children}
    </div>
  </div>
);
