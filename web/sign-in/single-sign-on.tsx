/** The page that a person of the identity provider comes back to: it gets the key, and shares it with the tab that asked. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiProblem, askJson } from '../api/request.ts';
import { Notice } from '../components/notice.tsx';
import { go } from '../tab/route.ts';
import { shareSession, signIn } from '../tab/session.ts';
import { organisationText as says } from '../texts/organisation.ts';
import { text } from '../texts/shell.ts';

/** The page. @param problem why the provider or the service let nobody in; empty if it did */
export function SignedIn({ problem }: { problem: string }) {
  const code = useSignal(problem);
  const enter = async (): Promise<void> => {
    try {
      const { credential, email } = await askJson<{ credential: string; email: string }>(
        '/sign-in/key',
        { method: 'POST' },
      );
      signIn({ key: credential, email, viaProvider: true }, true);
      shareSession();
      go({ screen: 'start' }, { replace: true });
    } catch (error) {
      code.value = error instanceof ApiProblem ? error.code : 'no_answer';
    }
  };
  useEffect(() => {
    if (problem === '') void enter();
  }, []);
  if (code.value === '') return <p class="loading">{says.signingIn}</p>;
  return (
    <section class="card">
      <h1>{text.header.signIn}</h1>
      <Notice kind="error">
        <p>{explained(code.value)}</p>
      </Notice>
      <p>
        <a href="/sign-in/start">{says.tryAgain}</a>
      </p>
    </section>
  );
}

const explained = (code: string): string =>
  code === 'not_admitted' || code === 'not_a_member' || code === 'user_mismatch'
    ? says.notAdmitted
    : code === 'email_not_verified'
      ? says.notVerified
      : says.failed;
