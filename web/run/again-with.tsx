/**
 * Runs a recording again with a change; asks for the recording if this browser does not have it.
 */
import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { runEndText } from '../texts/run-ends.ts';
import { ChooseRecording } from './choose-recording.tsx';
import { recordingOfRun, runAgain } from './run-again.ts';

/** A function that runs the recording again, and the request for it, which is empty until needed. */
export function useRunAgain(
  runId: string,
  result: CaptionerResult,
): readonly [again: (patch: object) => void, request: VNode | null] {
  /** The change to apply once the recording has been chosen. */
  const pending = useSignal<object | null>(null);
  const again = async (patch: object) => {
    const recording = await recordingOfRun(runId, result);
    if (recording) runAgain(recording, result, patch);
    else pending.value = patch;
  };
  const request = pending.value && (
    <>
      <p id="recording-again">{runEndText.needFile}</p>
      <div class="actions leading">
        <ChooseRecording
          label={runEndText.chooseFile}
          takesFocus
          describedBy="recording-again"
          onFile={(file) => runAgain(file, result, pending.value)}
        />
      </div>
    </>
  );
  return [(patch) => void again(patch), request];
}
