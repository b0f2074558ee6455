/** The review: the recording beside its captions. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { go } from '../route.ts';
import { text } from './strings.ts';
import { createCommands, type Commands } from './commands.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { CueList } from './cue-list.tsx';
import { decideTerms } from './decide-terms.ts';
import { download } from './download.ts';
import { createFinder, type Finder } from './finder.ts';
import { FindBar } from './find-bar.tsx';
import { KeySheet } from './key-sheet.tsx';
import { bindingOf } from './keys.ts';
import { openReviewOf, type OpenedReview } from './open-review.ts';
import { createPlayback, type Playback } from './playback.ts';
import { Player } from './player.tsx';
import { findRecording, type Recording } from './recording.ts';
import { keepPlace, keptPlace } from './place.ts';
import { SidePanel } from './side-panel.tsx';
import { TabNotice } from './tab-notice.tsx';
import { currentTerm } from './terms-panel.tsx';
import { TimeButtons } from './time-buttons.tsx';
import { Toolbar } from './toolbar.tsx';
import { Waveform } from './waveform.tsx';

export interface ReviewScreenProps {
  runId: string;
  /** The name of the recording's file. */
  name: string;
  result: CaptionerCompletedResult;
}

/** Everything of an open review. */
interface Opened extends OpenedReview {
  playback: Playback;
  recording: Recording;
  commands: Commands;
  finder: Finder;
}

/** The screen; it opens the review as it was left. */
export function ReviewScreen({ runId, name, result }: ReviewScreenProps) {
  const opened = useSignal<Opened | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    void open(runId, name, result, stop.signal).then((found) => (opened.value = found));
    return () => {
      stop.abort();
      opened.peek()?.turn.leave();
    };
  }, [runId, result]);

  if (!opened.value) return <p class="loading">{text.review.loading}</p>;
  if (result.captions.cues.length === 0) return <NoSpeech name={name} />;
  return <Desk {...opened.value} result={result} />;
}

/** Opens a review; null where nobody waits for it any more. */
async function open(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
  stop: AbortSignal,
): Promise<Opened | null> {
  const { review, turn } = await openReviewOf(runId, name, result);
  if (stop.aborted) {
    turn.leave();
    return null;
  }
  const playback = createPlayback(review.original.at(-1)?.end ?? 0);
  const place = review.cues.peek().find(({ id }) => id === keptPlace(runId));
  if (place) {
    review.currentId.value = place.id;
    review.reveal.value = { id: place.id };
    playback.seek(place.start);
  }
  return {
    review,
    turn,
    playback,
    recording: findRecording(runId, stop),
    commands: createCommands(review, playback),
    finder: createFinder(review),
  };
}

const NoSpeech = ({ name }: { name: string }) => (
  <section class="card">
    <h1>{text.run.title(name)}</h1>
    <Notice kind="warning" title={text.review.noSpeech}>
      <p>{text.review.noSpeechAdvice}</p>
    </Notice>
    <div class="actions">
      <button type="button" onClick={() => go({ screen: 'start' })}>
        {text.run.startOver}
      </button>
    </div>
  </section>
);

function Desk({
  review,
  turn,
  playback,
  recording,
  commands,
  finder,
  result,
}: Opened & { result: CaptionerCompletedResult }) {
  const dialog = useSignal<'compare' | 'keys' | null>(null);
  // Before the first frame: keys are there as soon as the captions are.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A dialog has keys of its own.
      if (dialog.peek() !== null || event.defaultPrevented) return;
      const binding = bindingOf(event);
      if (!binding) return;
      event.preventDefault();
      binding.run({
        commands,
        find: (replace) => finder.show(replace ? 'replace' : 'find'),
        download: () => download(review, 'srt'),
        decide: (decision) => {
          const term = currentTerm(review);
          if (term) decideTerms(review, [term], decision);
          else review.said.value = text.review.termsNone;
        },
        showKeys: () => {
          dialog.value = 'keys';
        },
      });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [review]);
  useEffect(() => {
    // The page has no edges while it is a desk.
    document.body.classList.add('reviewing');
    return () => document.body.classList.remove('reviewing');
  }, []);
  useEffect(() => {
    // A page that is put aside holds up nobody; when it comes back it is one tab among others.
    const hide = () => turn.leave();
    const show = (event: PageTransitionEvent) => {
      if (event.persisted) void turn.join();
    };
    addEventListener('pagehide', hide);
    addEventListener('pageshow', show);
    return () => {
      removeEventListener('pagehide', hide);
      removeEventListener('pageshow', show);
    };
  }, [turn]);
  useSignalEffect(() => keepPlace(review.runId, review.currentId.value));
  const close = () => {
    dialog.value = null;
  };
  return (
    <div class="desk">
      <TabNotice turn={turn} />
      <h1 class="visually-hidden">{text.review.title(review.name)}</h1>
      <div class="desk-left">
        <Player review={review} playback={playback} recording={recording} />
        <Waveform review={review} playback={playback} recording={recording} />
        <SidePanel review={review} commands={commands} playback={playback} result={result} />
      </div>
      <div class="desk-right">
        {finder.open.value !== 'closed' && <FindBar finder={finder} />}
        <TimeButtons review={review} commands={commands} />
        <CueList review={review} commands={commands} playback={playback} />
      </div>
      <Toolbar
        review={review}
        commands={commands}
        finder={finder}
        onCompare={() => {
          dialog.value = 'compare';
        }}
        onKeys={() => {
          dialog.value = 'keys';
        }}
      />
      {dialog.value === 'compare' && <CompareDialog review={review} onClose={close} />}
      {dialog.value === 'keys' && <KeySheet onClose={close} />}
    </div>
  );
}
