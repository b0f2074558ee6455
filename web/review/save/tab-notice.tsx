/** The notice that another tab is editing this review, with a button to edit here. */
import { Notice } from '../../components/notice.tsx';
import { tabText } from '../../texts/desk-parts.ts';
import type { TabLock } from './tab-lock.ts';

/** The notice. */
export function TabNotice({ lock }: { lock: TabLock }) {
  const asking = lock.asking.value;
  return (
    <div class="tab-notice" role="status">
      <Notice kind="info">
        <p>
          {tabText.otherTab}
          {asking && ` ${tabText.asking[asking]}`}
        </p>
        <button type="button" aria-disabled={asking === 'asked'} onClick={lock.take}>
          {tabText.editHere}
        </button>
      </Notice>
    </div>
  );
}
