/** The dialog for handing on a review: make a link, see those that work, revoke one. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import {
  LINK_RIGHTS,
  type LinkRight,
  type NewReviewLink,
  type ReviewLink,
} from '../../../server/contract/sharing.ts';
import { loadPart } from '../../api/load-part.ts';
import { listLinks, makeLink, revokeLink } from '../../api/sharing.ts';
import { putSound } from '../../api/upload.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Check, Choice, Select } from '../../components/fields.tsx';
import { failureText } from '../../tab/failure-text.ts';
import { dateTime } from '../../texts/format.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { isMp3 } from '../../media/mp3.ts';
import { withKey } from '../../tab/session.ts';
import { sharing } from '../../texts/sharing.ts';
import type { Desk } from '../desk/desk.ts';
import { LINK } from '../../../server/contract/limits.ts';

const DAYS = [LINK.days.minimum, LINK.days.default, 30, LINK.days.maximum];

/** The dialog. */
export function ShareDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { runId } = desk.review;
  const right = useSignal('comment');
  const days = useSignal(String(LINK.days.default));
  const links = useSignal<readonly ReviewLink[]>([]);
  const made = useSignal<NewReviewLink | null>(null);
  const said = useSignal('');
  const isBusy = useSignal(false);
  const hear = useSignal(false);
  const recording = useSignal(desk.recording.smallest()).value;
  const doing = async (work: (key: string) => Promise<string>): Promise<void> => {
    try {
      said.value = await withKey(work);
      links.value = await withKey((key) => listLinks(key, runId));
    } catch (error) {
      said.value = failureText(error) ?? '';
    }
  };
  const stop = useMemo(() => new AbortController(), []);
  useEffect(() => {
    void doing(async () => '');
    // What is being sent is not needed without the link, which nobody has seen.
    return () => stop.abort(new DOMException('', 'AbortError'));
  }, []);
  const make = async () => {
    isBusy.value = true;
    const tell = (says: (fraction: number) => string) => ({
      signal: stop.signal,
      onProgress: (fraction: number) => {
        said.value = says(fraction);
      },
    });
    try {
      await doing(async (key) => {
        try {
          const sound =
            hear.peek() && recording ? await small(recording, tell(sharing.soundMade)) : null;
          said.value = sharing.making;
          const body = { right: right.peek() as LinkRight, days: Number(days.peek()) };
          const link = await makeLink(key, runId, body);
          if (sound) {
            const { signal, onProgress } = tell(sharing.soundSent);
            const sending = {
              key,
              signal,
              onProgress: (sent: number) => onProgress(sent / sound.size),
            };
            await putSound(link, sound, sending).catch(async (error: unknown) => {
              await revokeLink(key, runId, link.id);
              throw error;
            });
          }
          made.value = link;
          return await copied(link.url);
        } catch (error) {
          if (stop.signal.aborted) return '';
          if (error instanceof ConversionError) return sharing.soundFails;
          throw error;
        }
      });
    } finally {
      isBusy.value = false;
    }
  };
  const revoke = (id: string) =>
    doing(async (key) => {
      await revokeLink(key, runId, id);
      if (made.peek()?.id === id) made.value = null;
      return sharing.revoked;
    });
  return (
    <Dialog title={sharing.title} onClose={onClose}>
      <p>{sharing.hint}</p>
      <Choice
        label={sharing.right}
        value={right}
        options={LINK_RIGHTS.map((name) => [name, sharing.rights[name]])}
      />
      <Select
        label={sharing.days}
        value={days}
        options={DAYS.map((number) => [String(number), sharing.day(number)])}
      />
      {recording ? (
        <Check label={sharing.hear} hint={sharing.hearHint} value={hear} />
      ) : (
        <p class="hint">{sharing.hearNot}</p>
      )}
      <button type="button" class="primary" disabled={isBusy.value} onClick={() => void make()}>
        {sharing.make}
      </button>
      {made.value && (
        <p class="new-link">
          <input
            type="text"
            readOnly
            aria-label={sharing.newLink}
            value={made.value.url}
            onFocus={(event) => event.currentTarget.select()}
          />
          <button
            type="button"
            onClick={() => void copied(made.value!.url).then((says) => (said.value = says))}
          >
            {sharing.copy}
          </button>
        </p>
      )}
      <p role="status">{said}</p>
      <h3>{sharing.links}</h3>
      {links.value.length === 0 && <p class="hint">{sharing.none}</p>}
      <ul class="links">
        {links.value.map((link) => {
          const says = sharing.link(
            sharing.rights[link.right],
            dateTime(link.expiresAt),
            link.soundBytes !== null,
          );
          return (
            <li key={link.id}>
              <span>{says}</span>
              <button
                type="button"
                aria-label={sharing.revokeLabel(says)}
                onClick={() => void revoke(link.id)}
              >
                {sharing.revoke}
              </button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}

/** From this size on, a recording is made smaller before it is sent. */
const SMALL_BYTES = 16 * 2 ** 20;

/** The MP3 for guests: the recording itself if it is a small one. @throws {ConversionError} */
async function small(
  recording: Blob,
  { signal, onProgress }: { signal: AbortSignal; onProgress(fraction: number): void },
): Promise<Blob> {
  if (recording.size <= SMALL_BYTES && (await loadPart(() => isMp3(recording), signal))) {
    return recording;
  }
  const { convertToMp3 } = await loadPart(() => import('../../media/convert.ts'), signal);
  const { mp3 } = await convertToMp3(new File([recording], ''), { signal, onProgress });
  return mp3;
}

/** Copies a link; says whether that was possible. */
const copied = (url: string): Promise<string> =>
  (navigator.clipboard?.writeText(url) ?? Promise.reject(new Error())).then(
    () => sharing.copied,
    () => sharing.notCopied,
  );
