/** The notice shown when only reloading helps. */
import { text } from '../texts/shell.ts';
import { Notice } from './notice.tsx';

/** The notice, with a reload button. */
export const ReloadNotice = () => (
  <Notice kind="error">
    <p>{text.wrong}</p>
    <button type="button" onClick={() => location.reload()}>
      {text.reload}
    </button>
  </Notice>
);
