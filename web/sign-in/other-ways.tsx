/** The other ways in, beside a code by email: the identity provider of an organisation, and an invitation. */
import { useSignal } from '@preact/signals';
import { ApiProblem, askJson } from '../api/request.ts';
import { TextField } from '../components/fields.tsx';
import type { InvitationAccepted } from '../../server/contract/members.ts';
import { server } from '../tab/server.ts';
import { signIn } from '../tab/session.ts';
import { organisationText as says } from '../texts/organisation.ts';

/** The ways. @param keep whether the session outlives a reload */
export function OtherWays({ keep }: { keep(): boolean }) {
  const isOpen = useSignal(false);
  const code = useSignal('');
  const problem = useSignal('');
  const accept = async (event: Event): Promise<void> => {
    event.preventDefault();
    problem.value = '';
    try {
      const body = { code: code.peek().trim() };
      const { credential, email } = await askJson<InvitationAccepted>(
        '/workspace/invitations/accept',
        { method: 'POST', body },
      );
      signIn({ key: credential, email }, keep());
    } catch (error) {
      problem.value =
        error instanceof ApiProblem && error.code === 'rate_limited'
          ? error.message
          : says.invalidInvitation;
    }
  };
  return (
    <div class="other-ways">
      {server.signOnName !== null && (
        // In a tab of its own, so that a chosen file stays here; that tab shares the session.
        <a class="button" href="/sign-in/start" target="_blank" rel="noopener">
          {says.signInWith(server.signOnName)}
        </a>
      )}
      {isOpen.value ? (
        <form noValidate onSubmit={(event) => void accept(event)}>
          <TextField label={says.invitationCode} value={code} />
          <button type="submit">{says.accept}</button>
          <p role="alert">{problem}</p>
        </form>
      ) : (
        <button type="button" class="plain" onClick={() => (isOpen.value = true)}>
          {says.haveInvitation}
        </button>
      )}
    </div>
  );
}
