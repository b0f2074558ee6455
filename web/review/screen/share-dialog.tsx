/** The dialog that asks for comments: makes a link and the mail for it, and shows the links that work. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import {
  LINK_RIGHTS,
  type LinkRight,
  type ListedReviewLink,
  type NewReviewLink,
} from '../../../server/contract/sharing.ts';
import { loadPart } from '../../api/load-part.ts';
import { listLinks, makeLink, renameLink, revokeLink } from '../../api/sharing.ts';
import { putSound } from '../../api/upload.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Check, Choice, Select, TextField } from '../../components/fields.tsx';
import { failureText } from '../../tab/failure-text.ts';
import { dateTime } from '../../texts/format.ts';
import { ConversionError } from '../../media/conversion-error.ts';
import { isMp3 } from '../../media/mp3.ts';
import { withKey } from '../../tab/session.ts';
import { sharing } from '../../texts/sharing.ts';
import type { Desk } from '../desk/desk.ts';
import { LINK } from '../../../server/contract/limits.ts';
import { RunMediaPart } from './run-media-part.tsx';

const DAYS = [LINK.days.minimum, LINK.days.default, 30, LINK.days.maximum];

/** The dialog. */
export function ShareDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { runId, name } = desk.review;
  const stays = desk.recording.stays.value;
  const right = useSignal('comment');
  const days = useSignal(String(LINK.days.default));
  const whom = useSignal('');
  const links = useSignal<readonly ListedReviewLink[]>([]);
  const made = useSignal<NewReviewLink | null>(null);
  const said = useSignal('');
  const isBusy = useSignal(false);
  const hear = useSignal(true);
  const see = useSignal(true);
  /** A sound that does not stay with the run is sent for the link alone, if somebody asks for that. */
  const send = useSignal(false);
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
    void desk.recording.askAgain();
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
          const isSent = !stays?.sound && send.peek() && recording;
          const sound = isSent ? await small(recording, tell(sharing.soundMade)) : null;
          said.value = sharing.making;
          const called = whom.peek().trim();
          const link = await makeLink(key, runId, {
            right: right.peek() as LinkRight,
            days: Number(days.peek()),
            sound: stays?.sound != null && hear.peek(),
            video: stays?.video != null && see.peek(),
            ...(called !== '' && { name: called }),
          });
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
          whom.value = '';
          return sharing.made;
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
  const rename = (id: string, called: string) =>
    doing(async (key) => {
      await renameLink(key, runId, id, called === '' ? null : called);
      return sharing.renamed;
    });
  return (
    <Dialog title={sharing.title} onClose={onClose}>
      <p>{sharing.hint}</p>
      <TextField label={sharing.whom} hint={sharing.whomHint} value={whom} />
      <Choice
        label={sharing.right}
        value={right}
        options={LINK_RIGHTS.map((each) => [each, sharing.rights[each]])}
      />
      <Select
        label={sharing.days}
        value={days}
        options={DAYS.map((number) => [String(number), sharing.day(number)])}
      />
      {stays?.sound ? (
        <Check label={sharing.hear} hint={sharing.hearHint} value={hear} />
      ) : recording ? (
        <Check label={sharing.hear} hint={sharing.sendHint} value={send} />
      ) : (
        <p class="hint">{sharing.hearNot}</p>
      )}
      {stays?.video && <Check label={sharing.see} hint={sharing.seeHint} value={see} />}
      <button type="button" class="primary" disabled={isBusy.value} onClick={() => void make()}>
        {sharing.make}
      </button>
      {made.value && <Mail key={made.value.id} talk={name} link={made.value} said={said} />}
      <p role="status">{said}</p>
      <RunMediaPart desk={desk} />
      <h3>{sharing.links}</h3>
      {links.value.length === 0 && <p class="hint">{sharing.none}</p>}
      <ul class="links">
        {links.value.map((link) => (
          <OneLink
            key={link.id}
            link={link}
            said={said}
            rename={(called) => void rename(link.id, called)}
            revoke={() => void revoke(link.id)}
          />
        ))}
      </ul>
    </Dialog>
  );
}

/** The mail that asks for comments, which can be changed before it is sent. */
function Mail({ talk, link, said }: { talk: string; link: NewReviewLink; said: Signal<string> }) {
  const subject = sharing.mailSubject(talk.replace(/\.\w{1,5}$/, ''));
  const words = useSignal(
    sharing.mail[link.right](link.url, dateTime(link.expiresAt), {
      hears: link.soundBytes !== null,
      sees: link.videoBytes !== null,
    }),
  );
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), []);
  const address = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(words.value)}`;
  return (
    <div class="new-mail" ref={place}>
      <label class="field">
        {sharing.mailLabel}
        <textarea
          rows={7}
          value={words}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </label>
      <p class="actions">
        <a class="button" href={address}>
          {sharing.openMail}
        </a>
        <button type="button" onClick={() => copy(words.peek(), sharing.mailCopied, said)}>
          {sharing.copyMail}
        </button>
        <button type="button" onClick={() => copy(link.url, sharing.copied, said)}>
          {sharing.copy}
        </button>
      </p>
    </div>
  );
}

/** Puts the cursor into a field as it appears. */
const focus = (field: HTMLInputElement | null): void => field?.focus();

interface OneLinkProps {
  link: ListedReviewLink;
  said: Signal<string>;
  rename(called: string): void;
  revoke(): void;
}

/** A link: what it is called and allows, who used it, and what can be done with it. */
function OneLink({ link, said, rename, revoke }: OneLinkProps) {
  const renaming = useSignal(false);
  const called = useSignal(link.name ?? '');
  const shown = link.name ?? sharing.unnamed(dateTime(link.createdAt));
  const { url } = link;
  return (
    <li>
      <div class="link-facts">
        {renaming.value ? (
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              renaming.value = false;
              rename(called.peek().trim());
            }}
          >
            <input
              ref={focus}
              type="text"
              aria-label={sharing.nameOf(shown)}
              maxLength={LINK.maxLinkNameChars}
              value={called}
              onInput={(event) => (called.value = event.currentTarget.value)}
            />
            <button type="submit">{sharing.saveName}</button>
          </form>
        ) : (
          <strong dir="auto">{shown}</strong>
        )}
        <span class="hint">
          {sharing.link(sharing.rights[link.right], dateTime(link.expiresAt), {
            hears: link.soundBytes !== null,
            sees: link.videoBytes !== null,
          })}
        </span>
        <span class="hint">
          {link.lastOpenedAt === null
            ? sharing.notOpened
            : sharing.opened(link.opened, dateTime(link.lastOpenedAt), link.people)}
        </span>
      </div>
      <span class="actions">
        {url !== null && (
          <button
            type="button"
            aria-label={sharing.of(sharing.copy, shown)}
            onClick={() => copy(url, sharing.copied, said)}
          >
            {sharing.copy}
          </button>
        )}
        <button
          type="button"
          aria-label={sharing.of(sharing.rename, shown)}
          onClick={() => (renaming.value = !renaming.peek())}
        >
          {sharing.rename}
        </button>
        <button type="button" aria-label={sharing.of(sharing.revoke, shown)} onClick={revoke}>
          {sharing.revoke}
        </button>
      </span>
    </li>
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

/** Copies a text, and says whether that was possible. */
const copy = (words: string, says: string, said: Signal<string>): void =>
  void (navigator.clipboard?.writeText(words) ?? Promise.reject(new Error())).then(
    () => (said.value = says),
    () => (said.value = sharing.notCopied),
  );
