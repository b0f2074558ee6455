/** The dialog about the file from which captions came: its encoding, with a preview, and the lines that were not read. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ENCODINGS, type Encoding } from '../../../server/captions/files/encodings.ts';
import { FORMATS } from '../../../server/captions/files/formats.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Select } from '../../components/fields.tsx';
import { fileText as texts } from '../../texts/caption-files.ts';
import { said } from '../../texts/said.ts';
import { editAll } from '../desk/edit-all.ts';
import type { Desk } from '../desk/desk.ts';
import { replaceCues } from '../model/splice.ts';
import { captionsIn, openedFileOf } from '../save/own-captions.ts';

/** The most captions in the preview, and the most lines listed. */
const PREVIEWED = 4;
const LISTED = 200;

const isEncoding = (name: string): name is Encoding => ENCODINGS.some((each) => each === name);

/** The dialog. */
export function FileDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const file = openedFileOf(desk.result);
  const chosen = useSignal<string>(file?.encoding ?? '');
  const read = useSignal<Awaited<ReturnType<typeof captionsIn>>>(null);
  useEffect(() => {
    const encoding = chosen.value;
    if (!file || !isEncoding(encoding)) return undefined;
    const stop = new AbortController();
    const show = async (): Promise<void> => {
      const found = await captionsIn(file.bytes, encoding);
      if (!stop.signal.aborted) read.value = found;
    };
    void show();
    return () => stop.abort();
  }, [chosen.value]);
  if (!file) return null;
  const use = (): void => {
    const { review } = desk;
    const cues = review.cues.peek();
    const { nextId } = review.state.peek();
    const made = (read.peek() ?? []).map((cue, at) => ({ ...cue, id: nextId + at }));
    const splice = made.length > 0 ? replaceCues(cues, 0, cues.length, made) : null;
    if (splice) editAll(desk, 'text', [splice], texts.used);
  };
  const { unread } = file;
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      actions={
        file.encoding !== null && chosen.value !== file.encoding && read.value
          ? [{ label: texts.use, run: use }]
          : []
      }
    >
      <p>{texts.format(FORMATS[file.format].name)}</p>
      {file.encoding !== null && (
        <>
          <Select
            label={texts.encoding}
            value={chosen}
            options={ENCODINGS.map((name) => [name, name] as const)}
          />
          <section aria-label={texts.preview} class="file-preview">
            {read.value === null ? (
              <p>{texts.none}</p>
            ) : (
              read.value.slice(0, PREVIEWED).map(({ lines, start }) => (
                <p key={start} dir="auto" lang={desk.review.language}>
                  {lines.join(' ')}
                </p>
              ))
            )}
          </section>
        </>
      )}
      <h3>{unread.length === 0 ? texts.all : texts.unread(unread.length)}</h3>
      <ul class="unread">
        {unread.slice(0, LISTED).map(({ line, text, reason }, at) => (
          <li key={at}>
            <b>{texts.line(line)}</b>: {said.violation(reason)} <code dir="auto">{text}</code>
          </li>
        ))}
      </ul>
      {unread.length > LISTED && <p class="hint">{texts.more(unread.length - LISTED)}</p>}
    </Dialog>
  );
}
