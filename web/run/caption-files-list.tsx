/** The caption files that were opened together: the results for each, and all in another format. */
import { hrefOf } from '../route.ts';
import { convertAll } from './caption-files.ts';
import { DownloadAll } from './download-all.tsx';
import { captionFiles, type CaptionFile } from './queue-state.ts';
import { queueText as texts } from '../texts/queue.ts';

/** The list. */
export function CaptionFilesList() {
  const all = captionFiles.value;
  const read = all.filter(({ stored }) => stored.value !== null);
  const isRead = read.length === all.length;
  return (
    <>
      <p role="status">
        {isRead ? texts.allRead(all.length) : texts.read(read.length, all.length)}
      </p>
      <ul class="queue">
        {all.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ul>
      <DownloadAll
        first="vtt"
        isReady={isRead}
        onDownload={async (format) => texts.converted(await convertAll(format))}
      />
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
          {found === null ? texts.waiting : texts.failed}
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
      <span class="state completed">{texts.found(result.captions.cues.length, warningCount)}</span>
      <span class="queue-action">
        <a href={hrefOf({ screen: 'run', runId })} aria-label={texts.review(name)}>
          {texts.reviewShort}
        </a>
      </span>
    </li>
  );
}
