/** The link by which this page shows a review to somebody without an account. */
import { signal } from '@preact/signals';
import type { LinkRight } from '../../server/contract/sharing.ts';
import { session, signOut } from './session.ts';

/** An opened link. */
interface Guest {
  readonly token: string;
  readonly right: LinkRight;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** The service refuses it now: it has expired, or was revoked. */
  readonly isOver: boolean;
}

/** The opened link; null on pages that were opened without one. */
export const guest = signal<Guest | null>(null);

/** Whether the open review may only be read. */
export const isReadOnly = (): boolean => {
  const link = guest.peek();
  return link !== null && link.right !== 'edit';
};

/** The bearer of a review's requests. */
export interface Bearer {
  /** The token of the link, or the key of the session; null if there is none. */
  key(): string | null;
  /** Notes that the service refuses it. */
  refuseKey(): void;
}

/** The bearer for the review that is about to open; that of a link stays the same after its page was left. */
export function bearerHere(): Bearer {
  const link = guest.peek();
  if (!link) return { key: () => session.value?.key ?? null, refuseKey: signOut };
  const { token } = link;
  const now = (): Guest | null => (guest.value?.token === token ? guest.value : null);
  return {
    key: () => (now()?.isOver ? null : token),
    refuseKey() {
      if (guest.peek()?.token === token) guest.value = { ...link, isOver: true };
    },
  };
}
