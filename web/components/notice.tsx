/** A notice with an icon, a colour and text, so that it never relies on colour alone. */
import type { ComponentChildren } from 'preact';
import { text } from '../texts/shell.ts';
import { Icon } from './icon.tsx';

interface NoticeProps {
  kind: 'info' | 'warning' | 'error';
  title?: string;
  children?: ComponentChildren;
}

/** A notice; screen readers announce an error at once. */
export const Notice = ({ kind, title, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    <Icon name={kind} />
    <div>
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children}
    </div>
  </div>
);

/** The notice, with a reload button. */
export const ReloadNotice = () => (
  <Notice kind="error">
    <p>{text.wrong}</p>
    <button type="button" onClick={() => location.reload()}>
      {text.reload}
    </button>
  </Notice>
);
