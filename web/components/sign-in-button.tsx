/** The sign-in button, shown to users who are not signed in. */
import { requireSession } from '../session.ts';
import { text } from '../strings.ts';

/** Asks to sign in; whoever would rather not is left where they are. */
export const SignInButton = (look: { class?: string }) => (
  <button type="button" {...look} onClick={() => void requireSession().catch(() => {})}>
    {text.header.signIn}
  </button>
);
