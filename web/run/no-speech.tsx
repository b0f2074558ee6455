/**
 * A run without recognised speech: play the recording, run it with other settings, or write the
 * captions.
 */
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { Notice } from '../components/notice.tsx';
import { text } from '../texts/shell.ts';
import { PlayRecording, OtherSettings, useRunAgain } from './run-again.tsx';
import { runEndText as texts } from '../texts/run-ends.ts';

interface NoSpeechProps {
  runId: string;
  /** The file name of the recording. */
  name: string;
  result: CaptionerCompletedResult;
  /** The person writes the captions. */
  onByHand(): void;
}

/** The screen. */
export function NoSpeech({ runId, name, result, onByHand }: NoSpeechProps) {
  const [again, request] = useRunAgain(runId, result);
  return (
    <section class="card" aria-labelledby="no-speech-title">
      <h1 id="no-speech-title">{text.run.title(name)}</h1>
      <Notice kind="warning" title={texts.noSpeech}>
        <p>{texts.noSpeechAdvice}</p>
      </Notice>
      <PlayRecording runId={runId} result={result} />
      <OtherSettings result={result} onAgain={again} />
      {request}
      <h2>{texts.otherWays}</h2>
      <ul class="suggestions">
        <li>
          <button type="button" onClick={onByHand}>
            {texts.byHand}
          </button>
          <p class="hint">{texts.byHandHint}</p>
        </li>
      </ul>
    </section>
  );
}
