/** The caption files that were opened together: what was found in each, and all in another format. */
import { useSignal } from '@preact/signals';
import type { Format } from '../review/download.ts';
import { hrefOf } from '../route.ts';
import { convertAll } from './caption-files.ts';
import { captionFiles, type CaptionFile } from './queued.ts';
import { queueSays as says } from './queue-strings.ts';

const FORMATS: readonly Format[] = ['srt', 'vtt', 'ass', 'ttml', 'txt', 'json', 'csv'];

/** The list. */
export function CaptionFilesList() {
  const format = useSignal<Format>('vtt');
  const said = useSignal('');
  const all = captionFiles.value;
  const read = all.filter(({ stored }) => stored.value !== null);
  const isRead = read.length === all.length;
  const convert = async () => {
    said.value = says.converted(await convertAll(format.peek()));
  };
  return (
    <>
      <p role="status">{isRead ? says.allRead(all.length) : says.read(read.length, all.length)}</p>
      <ul class="queue">
        {all.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ul>
      <div class="actions leading">
        <label>
          {says.format}{' '}
          <select
            value={format}
            onChange={(event) => (format.value = event.currentTarget.value as Format)}
          >
            {FORMATS.map((each) => (
              <option key={each} value={each}>
                {each.toUpperCase()}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-disabled={!isRead} onClick={() => isRead && void convert()}>
          {says.convert}
        </button>
      </div>
      <p class="hint" role="status">
        {said}
      </p>
    </>
  );
}

function Row({ entry: { name, stored } }: { entry: CaptionFile }) {
  const found = stored.value;
  if (found === null || typeof found === 'string') {
    return (
      <li>
        <span class="queue-name">{name}</span>
        <span class={`state ${found === null ? 'waiting' : 'failed'}`}>
          {found === null ? says.waiting : says.failed}
        </span>
        {found !== null && <p class="queue-trouble">{found}</p>}
      </li>
    );
  }
  const { runId, result } = found;
  const { warningCount } = result.quality.captions.summary;
  return (
    <li>
      <span class="queue-name">{name}</span>
      <span class="state completed">{says.found(result.captions.cues.length, warningCount)}</span>
      <span class="queue-action">
        <a href={hrefOf({ screen: 'run', runId })} aria-label={says.review(name)}>
          {says.reviewShort}
        </a>
      </span>
    </li>
  );
}
