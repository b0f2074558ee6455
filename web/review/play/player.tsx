/** The player: the recording with the captions over it, and the playback controls. */
import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { italicRuns } from '../../../server/captions/italics.ts';
import { Icon } from '../../components/icon.tsx';
import { isOwnRun } from '../../storage/runs.ts';
import { text } from '../../texts/review.ts';
import { cueAt } from '../model/cue.ts';
import type { Desk } from '../desk/desk.ts';
import type { Playback } from './playback.ts';
import type { Recording } from './recording.ts';
import { TransportBar } from './transport-bar.tsx';

/** The player. */
export function Player({ desk }: { desk: Desk }) {
  const { playback, recording } = desk;
  const stage = useRef<HTMLDivElement>(null);
  const media = recording.media.value;
  const isVideo = recording.isVideo.value;
  return (
    <section class="player" aria-label={text.review.player}>
      <div class={`stage ${isVideo ? 'video' : 'audio'}`} ref={stage}>
        {media && <Media media={media} isVideo={isVideo} playback={playback} />}
        {media && <Overlay desk={desk} />}
        {media && !isVideo && !playback.failed.value && (
          <OpenMedia corner recording={recording} label={text.review.openVideo} />
        )}
        {(!media || playback.failed.value) && (
          <div class="stage-note">
            <p>{media ? text.review.mediaFails : withoutSound(desk)}</p>
            <OpenMedia recording={recording} label={text.review.openMedia} />
          </div>
        )}
      </div>
      <TransportBar desk={desk}>
        {isVideo && (
          <button
            type="button"
            class="quiet"
            aria-label={text.review.fullScreen}
            title={text.review.fullScreen}
            onClick={() => void stage.current?.requestFullscreen().catch(() => {})}
          >
            <Icon name="expand" />
          </button>
        )}
      </TransportBar>
    </section>
  );
}

/** Why there is no sound, and how to get it. */
const withoutSound = ({ review: { runId, name } }: Desk): string =>
  isOwnRun(runId) ? text.review.noMedia : text.review.notHere(name);

function Media({
  media,
  isVideo,
  playback,
}: {
  media: Blob;
  isVideo: boolean;
  playback: Playback;
}) {
  const element = useRef<HTMLVideoElement>(null);
  const url = useMemo(() => URL.createObjectURL(media), [media]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  // In a layout effect, so that a key pressed at once reaches the player.
  useLayoutEffect(() => (element.current ? playback.attach(element.current) : undefined), [url]);
  // The video element plays audio files as well.
  return (
    <video
      ref={element}
      src={url}
      preload="auto"
      playsInline
      hidden={!isVideo}
      aria-label={text.review.player}
      tabIndex={-1}
      onClick={playback.toggle}
    />
  );
}

function Overlay({ desk: { review, playback } }: { desk: Desk }) {
  const shown = useComputed(() => cueAt(review.cues.value, playback.time.value)).value;
  const { vertical, align } = shown?.placement ?? {};
  return (
    <div
      class={`overlay ${vertical ?? ''} ${align ?? ''}`}
      aria-hidden="true"
      lang={review.language}
    >
      {italicRuns(shown?.lines.filter((line) => line.trim() !== '') ?? []).map((runs, line) => (
        <span key={line}>
          {runs.map(({ text: words, italic }, at) => (italic ? <i key={at}>{words}</i> : words))}
        </span>
      ))}
    </div>
  );
}

const OpenMedia = ({
  recording,
  label,
  corner,
}: {
  recording: Recording;
  label: string;
  corner?: boolean;
}) => (
  <label class={corner ? 'button in-corner' : 'button'}>
    {label}
    <input
      type="file"
      accept="video/*,audio/*"
      class="visually-hidden"
      onChange={(event) => {
        const [file] = event.currentTarget.files!;
        if (file) void recording.open(file);
      }}
    />
  </label>
);
