/** The recognised words of a run in progress, for reading while it continues. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TranscriptPart } from '../../server/contract/runs.ts';
import { progressText } from '../texts/run-progress.ts';

/** The interval of progress announcements to screen readers, in milliseconds. */
const ANNOUNCE_EVERY_MS = 60_000;
/** Within this distance of the end, in pixels, the newest words are scrolled into view. */
const NEAR_END = 48;

/** The words so far; nothing before the first. */
export function PartialTranscript({ heard }: { heard: ReadonlySignal<readonly TranscriptPart[]> }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const parts = heard.value;
  useLayoutEffect(() => {
    const { current } = box;
    if (current && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [parts.length]);
  if (parts.length === 0) return null;
  return (
    <div class="heard">
      <h2 id="heard-title">{progressText.heardTitle}</h2>
      {/* Focusable for scrolling with keys. The words are not announced: that would never stop. */}
      <div
        ref={box}
        class="heard-words"
        tabIndex={0}
        role="region"
        aria-labelledby="heard-title"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_END;
        }}
      >
        <p dir="auto">{parts.map((part) => part.text).join(' ')}</p>
      </div>
      <p class="hint">{progressText.heardNote}</p>
      <Announcement heard={heard} />
    </div>
  );
}

/** Announces to screen readers that there are words and, once a minute, how far they reach. */
function Announcement({ heard }: { heard: ReadonlySignal<readonly TranscriptPart[]> }) {
  const until = useComputed(() => heard.value.at(-1)?.end ?? 0);
  const [announced, announce] = useState('');
  useEffect(() => {
    announce(progressText.heardFirst);
    const timer = setInterval(
      () => announce(progressText.heardUntil(until.peek())),
      ANNOUNCE_EVERY_MS,
    );
    return () => clearInterval(timer);
  }, [until]);
  return (
    <p class="visually-hidden" role="status">
      {announced}
    </p>
  );
}
