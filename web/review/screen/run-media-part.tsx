/** What stays with the run, and the small video that a person adds to it or takes back. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { loadPart } from '../../api/load-part.ts';
import { retrying } from '../../api/request.ts';
import { deleteVideo } from '../../api/run-media.ts';
import { putVideo } from '../../api/upload.ts';
import { failureText } from '../../tab/failure-text.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { withKey } from '../../tab/session.ts';
import { megabytes } from '../../texts/format.ts';
import { sharing } from '../../texts/sharing.ts';
import type { Desk } from '../desk/desk.ts';

/** The part of a dialog. */
export function RunMediaPart({ desk }: { desk: Desk }) {
  const { recording, review } = desk;
  const stays = recording.stays.value;
  const said = useSignal('');
  const fraction = useSignal<number | null>(null);
  const canMake = useSignal(false);
  const video = recording.video();
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => {
    const look = async () => {
      const { canMakeSmallVideo } = await loadPart(() => import('../../media/small-video.ts'));
      canMake.value = await canMakeSmallVideo();
    };
    if (video) void look().catch(() => {});
    return () => stop.abort(new DOMException('', 'AbortError'));
  }, []);
  const doing = async (work: () => Promise<string>): Promise<void> => {
    fraction.value = 0;
    try {
      said.value = await work();
      await recording.askAgain();
    } catch (error) {
      if (stop.signal.aborted) return;
      said.value =
        error instanceof ConversionError
          ? sharing.videoFails[error.reason === 'too_large' ? 'tooLong' : 'other']
          : (failureText(error) ?? '');
    } finally {
      fraction.value = null;
    }
  };
  const add = (file: Blob) =>
    doing(async () => {
      const { signal } = stop;
      const tell = (says: (done: number) => string, from: number) => (done: number) => {
        fraction.value = from + done / 2;
        said.value = says(done);
      };
      const { makeSmallVideo } = await loadPart(() => import('../../media/small-video.ts'), signal);
      const onProgress = tell(sharing.videoMade, 0);
      const made = await makeSmallVideo(file, { signal, onProgress });
      const sent = tell(sharing.videoSent, 0.5);
      await retrying(signal, () =>
        withKey((key) =>
          putVideo(review.runId, made, {
            key,
            signal,
            onProgress: (bytes) => sent(bytes / made.size),
          }),
        ),
      );
      return sharing.videoAdded(megabytes(made.size));
    });
  const remove = () =>
    doing(async () => {
      await withKey((key) => deleteVideo(key, review.runId));
      return sharing.videoDeleted;
    });
  if (!stays) return null;
  return (
    <section class="run-media" aria-labelledby="run-media-title">
      <h3 id="run-media-title">{sharing.staysTitle}</h3>
      <p>{stays.sound ? sharing.soundStays(megabytes(stays.sound.bytes)) : sharing.noSoundStays}</p>
      <p>
        {stays.video
          ? sharing.videoStays(megabytes(stays.video.bytes))
          : video
            ? canMake.value
              ? sharing.videoHere
              : sharing.videoCannot
            : sharing.noVideoHere}
      </p>
      <p class="actions">
        {stays.video ? (
          <button type="button" disabled={fraction.value !== null} onClick={() => void remove()}>
            {sharing.deleteVideo}
          </button>
        ) : (
          video &&
          canMake.value && (
            <button
              type="button"
              disabled={fraction.value !== null}
              onClick={() => void add(video)}
            >
              {sharing.addVideo}
            </button>
          )
        )}
      </p>
      {fraction.value !== null && <progress value={fraction.value} aria-label={sharing.addVideo} />}
      <p role="status">{said}</p>
    </section>
  );
}
