/** What is told above captions that came from a file: lines that were not read, and an encoding that was guessed. */
import { signal } from '@preact/signals';
import { Notice } from '../../components/notice.tsx';
import { fileText as texts } from '../../texts/caption-files.ts';
import type { Desk } from '../desk/desk.ts';
import { openedFileOf } from '../save/own-captions.ts';

/** The reviews whose notice was dismissed in this page. */
const dismissed = signal<ReadonlySet<string>>(new Set());

/** The notice; nothing if all was read and nothing was guessed. */
export function FileNotice({ desk: { result, review, view } }: { desk: Desk }) {
  const file = openedFileOf(result);
  if (!file || dismissed.value.has(review.runId)) return null;
  const guessed = file.encoding === 'utf-8' ? null : file.encoding;
  const says = texts.notice(file.unread.length, guessed);
  if (says === '') return null;
  return (
    <div class="tab-notice">
      <Notice kind={file.unread.length > 0 ? 'warning' : 'info'}>
        <p>{says}</p>
        <span class="actions">
          <button type="button" onClick={() => (view.value = 'file')}>
            {texts.show}
          </button>
          <button
            type="button"
            class="plain"
            onClick={() => (dismissed.value = new Set([...dismissed.peek(), review.runId]))}
          >
            {texts.dismiss}
          </button>
        </span>
      </Notice>
    </div>
  );
}
