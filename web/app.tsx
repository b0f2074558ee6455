/** The frame of every screen: the header, the notices and the screen itself. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { unreachable } from './api/request.ts';
import { Header } from './header.tsx';
import { Notice, ReloadNotice } from './components/notice.tsx';
import { OnDemand, onDemand, whenIdle } from './components/on-demand.tsx';
import { go, route } from './tab/route.ts';
import { currentJob, isUnderWay } from './job/job.ts';
import { captionFiles, isOver, queued } from './job/queue-state.ts';
import { review, RunScreen } from './run/run-screen.tsx';
import { signInRequest } from './tab/session.ts';
import { SampleScreen, StartScreen } from './start/start-screen.tsx';
import { text } from './texts/shell.ts';

const jobScreen = onDemand(
  () => import('./run/job-screen.tsx').then((part) => part.JobScreen),
  // Its texts are those of the first screen, with which it is loaded.
  () => Promise.resolve(),
);
const pastRuns = onDemand(() => import('./past-runs/past-runs.tsx').then((part) => part.PastRuns));
const signIn = onDemand(() => import('./sign-in/sign-in.tsx').then((part) => part.SignIn));
const shared = onDemand(() => import('./run/shared-screen.tsx').then((part) => part.SharedScreen));
const terms = onDemand(() => import('./terms/terms-screen.tsx').then((part) => part.TermsScreen));
const settings = onDemand(() =>
  import('./settings/settings-screen.tsx').then((part) => part.SettingsScreen),
);
const signedIn = onDemand(() =>
  import('./sign-in/single-sign-on.tsx').then((part) => part.SignedIn),
);
const verify = onDemand(() =>
  import('./verify/verify-screen.tsx').then((part) => part.VerifyScreen),
);
const queueScreen = onDemand(() =>
  import('./run/queue-screen.tsx').then((part) => part.QueueScreen),
);

/** The root component. */
export function App() {
  const broken = useSignal(false);
  const offline = useSignal(!navigator.onLine);
  useEffect(() => {
    const fail = (event: Event) => {
      broken.value ||= !isHarmless(event);
    };
    const network = () => {
      offline.value = !navigator.onLine;
    };
    addEventListener('error', fail);
    addEventListener('unhandledrejection', fail);
    addEventListener('online', network);
    addEventListener('offline', network);
    return () => {
      removeEventListener('error', fail);
      removeEventListener('unhandledrejection', fail);
      removeEventListener('online', network);
      removeEventListener('offline', network);
    };
  }, []);
  // A recording that is being prepared must show its progress, even if the connection is lost.
  useEffect(() => whenIdle(jobScreen.preload), []);
  useFocusOnArrival();
  const { screen } = route.value;
  useLayoutEffect(() => {
    // The sample will be reviewed: nothing moves when it opens.
    if (screen === 'sample') {
      document.body.classList.add('reviewing');
      review.preload();
    } else if (screen !== 'run') document.body.classList.remove('reviewing');
  }, [screen]);
  const request = signInRequest.value;
  useEffect(() => {
    const left = signInRequest.peek();
    // A recording that is being prepared still waits for it, and asks again on its own page.
    const isAwaited =
      (currentJob.peek() !== null && isUnderWay(currentJob.peek()!)) ||
      queued.peek().some((entry) => !isOver(entry));
    if (left && left.page !== location.hash && !isAwaited) left.dismiss();
  }, [route.value]);
  return (
    <>
      <a class="skip" href="#content" onClick={skip}>
        {text.skip}
      </a>
      <Header />
      <main id="content" tabIndex={-1} class={`screen ${route.value.screen}-screen`}>
        {(offline.value || unreachable.value) && (
          <Notice kind="warning">
            <p>{text.offline}</p>
          </Notice>
        )}
        {broken.value && <ReloadNotice />}
        {request && request.page === location.hash && <OnDemand of={signIn} request={request} />}
        <Screen />
      </main>
    </>
  );
}

function Screen() {
  const to = route.value;
  if (to.screen === 'run') return <RunScreen key={to.runId} runId={to.runId} />;
  if (to.screen === 'shared') return <OnDemand key={to.token} of={shared} token={to.token} />;
  if (to.screen === 'past-runs') return <OnDemand of={pastRuns} />;
  if (to.screen === 'sample') return <SampleScreen />;
  if (to.screen === 'terms') return <OnDemand of={terms} />;
  if (to.screen === 'settings') return <OnDemand of={settings} />;
  if (to.screen === 'signed-in') return <OnDemand of={signedIn} problem={to.problem} />;
  if (to.screen === 'verify') return <OnDemand of={verify} />;
  if (to.screen === 'job') {
    const job = currentJob.value;
    const runId = job?.runId.value;
    if (job && !runId) return <OnDemand of={jobScreen} job={job} />;
    // After a reload there is no job: a recording that was not uploaded is gone, one that was has
    // its run.
    const next = runId ? { screen: 'run' as const, runId } : { screen: 'start' as const };
    queueMicrotask(() => go(next, { replace: true }));
    return null;
  }
  if (to.screen === 'queue') {
    if (queued.value.length + captionFiles.value.length > 0) return <OnDemand of={queueScreen} />;
    // After a reload the queue is empty; the uploaded recordings are in the list of runs.
    queueMicrotask(() => go({ screen: 'past-runs' }, { replace: true }));
    return null;
  }
  return <StartScreen />;
}

/** A resize observer that continues in the next frame reports an error, but nothing is wrong. */
const isHarmless = (event: Event): boolean =>
  event instanceof ErrorEvent && event.message.startsWith('ResizeObserver loop');

/** Moves the focus to the content of a new screen, unless the screen has placed it itself. */
function useFocusOnArrival(): void {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current && document.activeElement === document.body) {
      document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
    }
    first.current = false;
  }, [route.value]);
}

/** Moves only the focus, since the address after `#` selects the screen. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
