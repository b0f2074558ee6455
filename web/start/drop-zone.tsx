/** The area for dropping or choosing a recording. A file may be dropped anywhere on the page. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { megabytes } from '../format.ts';
import { chordOf } from '../review/desk/chord.ts';
import { text } from '../texts/shell.ts';
import { chooseFile, chosenFiles, fileRemark } from './chosen-file.ts';
import { ACCEPTED, listenForFiles, pickFiles } from './file-drop.ts';

/** The drop area with its file field. */
export function DropZone() {
  const input = useRef<HTMLInputElement>(null);
  const over = useSignal(false);
  useEffect(() => listenForFiles((isOver) => (over.value = isOver), chooseFile), []);
  useOpenKey();
  useSignalEffect(() => {
    // Lets the same file be chosen again: a dropped file is not in the field.
    if (chosenFiles.value.length > 0 && input.current) input.current.value = '';
  });
  const files = chosenFiles.value;
  const [file] = files;
  return (
    <div class={`drop ${over.value ? 'over' : ''} ${file ? 'chosen' : ''}`}>
      <Icon name={file ? 'wave' : 'upload'} />
      <p class="drop-title">
        {file ? (
          <>
            {files.length > 1 ? text.start.files(files.length) : file.name}{' '}
            <small>{megabytes(files.reduce((sum, { size }) => sum + size, 0))}</small>
          </>
        ) : over.value ? (
          text.start.letGo
        ) : (
          text.start.drop
        )}
      </p>
      <label class={file ? 'button' : 'button primary'} title="Ctrl+O">
        {file ? text.start.another : text.start.choose}
        <input
          ref={input}
          type="file"
          multiple
          accept={ACCEPTED}
          class="visually-hidden"
          aria-describedby="drop-hint"
          onChange={(event) => chooseFile([...event.currentTarget.files!])}
        />
      </label>
      {files.length > 1 && (
        <ul class="drop-files hint">
          {files.map(({ name }) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      <p class="hint" id="drop-hint">
        {text.start.hint}
      </p>
      <p class="remark" role="status">
        {fileRemark}
      </p>
    </div>
  );
}

/** The key that opens files in other editors. */
function useOpenKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (chordOf(event) !== 'Ctrl+KeyO') return;
      event.preventDefault();
      pickFiles(chooseFile);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
