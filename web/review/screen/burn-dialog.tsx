/** The dialog that makes a video with its captions in the picture. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { loadPart } from '../../api/load-part.ts';
import { Dialog } from '../../components/dialog.tsx';
import { saveFile } from '../../components/save-file.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { burnText as texts } from '../../texts/burn.ts';
import { megabytes } from '../../texts/format.ts';
import type { Desk } from '../desk/desk.ts';
import { tidyCues } from '../model/cue.ts';

const burning = () => loadPart(() => import('../../media/burned-video.ts'));

/** The dialog. Closing it stops the work. */
export function BurnDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { review, recording } = desk;
  const video = recording.video();
  const can = useSignal<boolean | null>(null);
  const fraction = useSignal<number | null>(null);
  const said = useSignal('');
  const stop = useRef(new AbortController());
  useEffect(() => {
    void burning()
      .then(({ canBurn }) => canBurn())
      .catch(() => false)
      .then((found) => (can.value = found));
    return () => stop.current.abort();
  }, []);
  const make = async (file: Blob): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    fraction.value = 0;
    said.value = texts.making(0);
    try {
      const { burnCaptions } = await burning();
      const onProgress = (done: number) => {
        fraction.value = done;
        said.value = texts.making(done);
      };
      const cues = tidyCues(review.cues.peek());
      const made = await burnCaptions(file, cues, review.language, { signal, onProgress });
      const ending = made.type === 'video/mp4' ? 'mp4' : 'webm';
      const name = `${review.name.replace(/\.[^.]*$/, '')}.captions.${ending}`;
      saveFile(made, name, made.type);
      said.value = texts.saved(name, megabytes(made.size));
    } catch (error) {
      const isLong = error instanceof ConversionError && error.reason === 'too_large';
      said.value = signal.aborted ? texts.stopped : texts.fails[isLong ? 'tooLong' : 'other'];
    } finally {
      fraction.value = null;
    }
  };
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p>{texts.hint}</p>
      <p class="hint">
        {!video ? texts.noVideo : can.value === false ? texts.cannot : texts.makes}
      </p>
      {video && can.value && (
        <p class="actions">
          {fraction.value === null ? (
            <button type="button" class="primary" onClick={() => void make(video)}>
              {texts.start}
            </button>
          ) : (
            <button type="button" onClick={() => stop.current.abort()}>
              {texts.stop}
            </button>
          )}
        </p>
      )}
      {fraction.value !== null && <progress value={fraction.value} aria-label={texts.title} />}
      <p role="status">{said}</p>
    </Dialog>
  );
}
