/** The dialog for handing on a review: make a link, see those that work, revoke one. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  LINK_RIGHTS,
  type LinkRight,
  type NewReviewLink,
  type ReviewLink,
} from '../../../server/contract/sharing.ts';
import { listLinks, makeLink, revokeLink } from '../../api/sharing.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Select } from '../../components/fields.tsx';
import { failureText } from '../../failure-text.ts';
import { dateTime } from '../../format.ts';
import { withKey } from '../../session.ts';
import { sharing } from '../../texts/sharing.ts';
import type { Desk } from './desk.ts';
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
  const doing = async (work: (key: string) => Promise<string>): Promise<void> => {
    try {
      said.value = await withKey(work);
      links.value = await withKey((key) => listLinks(key, runId));
    } catch (error) {
      said.value = failureText(error) ?? '';
    }
  };
  useEffect(() => void doing(async () => ''), []);
  const make = () =>
    doing(async (key) => {
      said.value = sharing.making;
      const body = { right: right.peek() as LinkRight, days: Number(days.peek()) };
      made.value = await makeLink(key, runId, body);
      return copied(made.peek()!.url);
    });
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
      <button type="button" class="primary" onClick={() => void make()}>
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
          const says = sharing.link(sharing.rights[link.right], dateTime(link.expiresAt));
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

/** Copies a link; says whether that was possible. */
const copied = (url: string): Promise<string> =>
  (navigator.clipboard?.writeText(url) ?? Promise.reject(new Error())).then(
    () => sharing.copied,
    () => sharing.notCopied,
  );
