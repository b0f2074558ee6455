/** The area for dropping or choosing a recording. A file may be dropped anywhere on the page. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { megabytes } from '../format.ts';
import { text } from '../words/shell.ts';
import { chooseFile, chosenFiles, fileRemark } from './chosen-file.ts';

const ACCEPTED =
  'video/*,audio/*,.mp3,.mp4,.m4a,.mov,.mkv,.webm,.wav,.flac,.ogg,.opus,.aac,.srt,.vtt,.ass,.ttml,.json';

/** The drop area with its file field. */
export function DropZone() {
  const input = useRef<HTMLInputElement>(null);
  const over = useSignal(false);
  useFileDrop(over);
  useSignalEffect(() => {
    // Lets the same file be chosen again: a dropped file is not in the field.
    if (chosenFiles.value.length > 0 && input.current) input.current.value = '';
  });
  const files = chosenFiles.value;
  const [file] = files;
  return (
    <div class={`drop ${over.value ? 'over' : ''} ${file ? 'chosen' : ''}`}>
      <Icon name="upload" />
      {file ? (
        <p class="drop-title">
          {files.length > 1 ? text.start.files(files.length) : file.name}{' '}
          <small>{megabytes(files.reduce((sum, { size }) => sum + size, 0))}</small>
        </p>
      ) : (
        <p class="drop-title">{over.value ? text.start.letGo : text.start.drop}</p>
      )}
      {files.length > 1 && (
        <ul class="drop-files hint">
          {files.map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <label class="button">
        {file ? text.start.another : text.start.choose}
        <input
          ref={input}
          type="file"
          multiple
          accept={ACCEPTED}
          class="visually-hidden"
          aria-describedby="drop-hint"
          onChange={(event) => chooseFile([...(event.currentTarget.files ?? [])])}
        />
      </label>
      <p class="hint" id="drop-hint">
        {text.start.hint} {text.start.mp3Hint} {text.start.captionsHint}
      </p>
      <p class="remark" role="status">
        {fileRemark}
      </p>
    </div>
  );
}

/** Takes files dropped anywhere, so that a file that misses the field does not replace the page. */
function useFileDrop(over: { value: boolean }): void {
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      over.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false;
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      over.value = false;
      chooseFile([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', drag);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', drag);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, [over]);
}
