/** The recording with its captions drawn over it, and what moves it. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { italicRuns } from '../../server/captions/italics.ts';
import { Icon } from '../components/icon.tsx';
import { position } from '../format.ts';
import { text } from './strings.ts';
import { cueAt } from './cue-at.ts';
import { RATES, type Playback } from './playback.ts';
import type { Recording } from './recording.ts';
import type { Review } from './review.ts';

export interface PlayerProps {
  review: Review;
  playback: Playback;
  recording: Recording;
}

/** The player. */
export function Player({ review, playback, recording }: PlayerProps) {
  const stage = useRef<HTMLDivElement>(null);
  const media = recording.media.value;
  const isVideo = recording.isVideo.value;
  return (
    <section class="player" aria-label={text.review.player}>
      <div class={`stage ${isVideo ? 'video' : 'audio'}`} ref={stage}>
        {media && <Media media={media} isVideo={isVideo} playback={playback} />}
        {media && <Overlay review={review} playback={playback} />}
        {(!media || playback.failed.value) && (
          <div class="stage-note">
            <p>{media ? text.review.mediaFails : text.review.noMedia}</p>
            <OpenMedia recording={recording} label={text.review.openMedia} />
          </div>
        )}
      </div>
      <Controls playback={playback} hasMedia={media !== null}>
        {media && !isVideo && !playback.failed.value && (
          <OpenMedia recording={recording} label={text.review.openVideo} />
        )}
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
      </Controls>
    </section>
  );
}

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
  useEffect(() => (element.current ? playback.attach(element.current) : undefined), [url]);
  // A video element plays sound alone as well.
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

function Overlay({ review, playback }: Omit<PlayerProps, 'recording'>) {
  const shown = useComputed(() => cueAt(review.cues.value, playback.time.value)).value;
  return (
    <div class="overlay" aria-hidden="true" lang={review.language}>
      {italicRuns(shown?.lines.filter((line) => line.trim() !== '') ?? []).map((runs, line) => (
        <span key={line}>
          {runs.map(({ text: words, italic }, at) => (italic ? <i key={at}>{words}</i> : words))}
        </span>
      ))}
    </div>
  );
}

const OpenMedia = ({ recording, label }: { recording: Recording; label: string }) => (
  <label class="button">
    {label}
    <input
      type="file"
      accept="video/*,audio/*"
      class="visually-hidden"
      onChange={(event) => {
        const [file] = event.currentTarget.files ?? [];
        if (file) void recording.open(file);
      }}
    />
  </label>
);

interface ControlsProps {
  playback: Playback;
  hasMedia: boolean;
  children: ComponentChildren;
}

function Controls({ playback, hasMedia, children }: ControlsProps) {
  const playing = playback.playing.value;
  const muted = playback.muted.value;
  return (
    <div class="controls">
      <button
        type="button"
        class="play"
        disabled={!hasMedia}
        aria-label={playing ? text.review.pause : text.review.play}
        onClick={playback.toggle}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <span class="clock">
        <Clock time={playback.time} /> / {position(playback.length.value)}
      </span>
      <Seek playback={playback} />
      <select
        aria-label={text.review.rate}
        value={String(playback.rate.value)}
        onChange={(event) => {
          playback.rate.value = Number(event.currentTarget.value);
        }}
      >
        {RATES.map((rate) => (
          <option key={rate} value={String(rate)}>
            {rate}×
          </option>
        ))}
      </select>
      <button
        type="button"
        class="quiet"
        aria-label={muted ? text.review.unmute : text.review.mute}
        title={muted ? text.review.unmute : text.review.mute}
        onClick={() => {
          playback.muted.value = !muted;
        }}
      >
        <Icon name={muted ? 'mute' : 'sound'} />
      </button>
      {children}
    </div>
  );
}

/** Only this is drawn anew as time goes by. */
const Clock = ({ time }: { time: ReadonlySignal<number> }) => <>{position(time.value)}</>;

const Seek = ({ playback }: { playback: Playback }) => (
  <input
    type="range"
    class="seek"
    aria-label={text.review.seek}
    aria-valuetext={position(playback.time.value)}
    min={0}
    max={playback.length.value || 1}
    step={0.1}
    value={playback.time.value}
    onInput={(event) => playback.seek(event.currentTarget.valueAsNumber)}
  />
);
