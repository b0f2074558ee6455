/** Signs out, keeping the data in this browser, and signs in again. */
import { text } from '../../../support/browser/words.ts';
import { all, control, has, until, type Person } from './app.ts';
import { click } from './hands.ts';

/** Signs out by the menu of the account. */
export async function signOut(): Promise<void> {
  await click(all('.header-end .menu > button')[0]!);
  await click(control(text.header.signOut));
  await until('the question', () => has(text.header.signOutKeep) || has(text.header.signIn));
  if (has(text.header.signOutKeep)) await click(text.header.signOutKeep);
  await until('the way to sign in', () => has(text.header.signIn));
}

/** Signs in as a code would. */
export async function signInAs({ key }: Pick<Person, 'key'>): Promise<void> {
  const { signIn } = await import('../../../../web/tab/session.ts');
  signIn({ key, email: 'ann@example.com' }, true);
}
