/** Downloads the captions of all files of a list in one format. */
import { useSignal } from '@preact/signals';
import { DOWNLOADS, type Format } from '../review/save/download.ts';
import { queueText as texts } from '../texts/run-ends.ts';

export interface DownloadAllProps {
  /** The format that is chosen at first. */
  first: Format;
  isReady: boolean;
  /** Downloads the files; returns the message about them. */
  onDownload(format: Format): Promise<string>;
}

/** The choice of a format, the button and the outcome. A click during the downloads does nothing. */
export function DownloadAll({ first, isReady, onDownload }: DownloadAllProps) {
  const format = useSignal<Format>(first);
  const message = useSignal('');
  const isBusy = useSignal(false);
  const download = async () => {
    if (!isReady || isBusy.peek()) return;
    isBusy.value = true;
    try {
      message.value = await onDownload(format.peek());
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <div class="actions leading">
        <label>
          {texts.format}{' '}
          <select
            value={format}
            onChange={(event) => (format.value = event.currentTarget.value as Format)}
          >
            {DOWNLOADS.map((each) => (
              <option key={each} value={each}>
                {each.toUpperCase()}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-disabled={!isReady || isBusy.value}
          onClick={() => void download()}
        >
          {texts.convert}
        </button>
      </div>
      <p class="hint" role="status">
        {message}
      </p>
    </>
  );
}
