/** The screen of a review that was handed on by a link. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { openLink, type Opened } from '../api/sharing.ts';
import { ApiProblem, retrying } from '../api/request.ts';
import { Notice } from '../components/notice.tsx';
import { OnDemand, onDemand } from '../components/on-demand.tsx';
import { fileName } from '../texts/format.ts';
import { guest } from '../tab/guest.ts';
import { usePageTitle } from '../tab/page-title.ts';
import { problemText } from '../texts/problems.ts';
import { sharing } from '../texts/sharing.ts';

const review = onDemand(() =>
  import('../review/screen/review-screen.tsx').then((part) => part.ReviewScreen),
);

/** The screen; its visitor needs no account. */
export function SharedScreen({ token }: { token: string }) {
  const opened = useSignal<Opened | null>(null);
  const problem = useSignal<ApiProblem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    review.preload();
    const open = async (): Promise<void> => {
      try {
        const found = await retrying(stop.signal, () => openLink(token, stop.signal));
        const { right, expiresAt } = found.link;
        guest.value = { token, right, expiresAt, isOver: false };
        opened.value = found;
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!(error instanceof ApiProblem)) throw error;
        problem.value = error;
      }
    };
    void open();
    return () => {
      stop.abort();
      guest.value = null;
    };
  }, [token]);
  const found = opened.value;
  const name = found ? (found.name ?? fileName(found.audioKey)) : '';
  usePageTitle(name);
  if (problem.value) {
    const { status } = problem.value;
    return (
      <Notice kind="error">
        <p>{status === 401 ? sharing.gone : sharing.refused(problemText(problem.value))}</p>
      </Notice>
    );
  }
  if (!found || !guest.value) return <p class="loading">{sharing.opening}</p>;
  return (
    <>
      {guest.value.isOver && (
        <Notice kind="warning">
          <p>{sharing.over}</p>
        </Notice>
      )}
      <OnDemand of={review} runId={found.link.runId} name={name} result={found.result} />
    </>
  );
}
