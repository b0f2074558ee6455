/** The sign-in button, shown to users who are not signed in. */
import { requireSession } from '../tab/session.ts';
import { text } from '../texts/shell.ts';

/** The button; nothing happens if the user dismisses the sign-in. */
export const SignInButton = (look: { class?: string }) => (
  <button type="button" {...look} onClick={() => void requireSession().catch(() => {})}>
    {text.header.signIn}
  </button>
);
