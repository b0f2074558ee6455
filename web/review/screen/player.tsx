/** The player: the recording with the captions over it, and the playback controls. */
import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { DropDown } from '../../components/fields.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { Icon, IconButton, type IconName } from '../../components/icon.tsx';
import { guest } from '../../tab/guest.ts';
import { session } from '../../tab/session.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { text, transportKeys } from '../../texts/review.ts';
import { cueAt, withoutTags } from '../model/cue.ts';
import type { Translating } from '../translation/translating.ts';
import { type Desk, mayShare } from '../desk/desk.ts';
import { useRoving } from '../../components/toolbar.tsx';
import { hintOf } from '../desk/keys.ts';
import { settings } from '../editing/settings.ts';
import { type Playback, RATES } from '../play/playback.ts';
import type { Playable, Recording } from '../play/recording.ts';
import { isRightToLeft } from '../../../server/captions/files/direction.ts';
import { italicRuns } from '../../../server/captions/italics.ts';

/** The player. */
export function Player({ desk }: { desk: Desk }) {
  const { playback, recording } = desk;
  const isSought = recording.isSought.value && recording.arriving.value === null;
  const stage = useRef<HTMLDivElement>(null);
  const media = recording.media.value;
  const isVideo = recording.isVideo.value;
  const picture = recording.picture.value;
  return (
    <section class="player" aria-label={text.review.player}>
      <div class={`stage ${isVideo ? 'video' : 'audio'}`} ref={stage}>
        {(media ?? picture) && (
          <Media
            media={media}
            picture={picture}
            isVideo={isVideo}
            playback={playback}
            onFailed={recording.failedToPlay}
            tracks={desk.translating.value?.tracks.value ?? []}
          />
        )}
        {media && <Overlay desk={desk} />}
        {media && !isVideo && !playback.failed.value && (
          <OpenMedia corner recording={recording} label={text.review.openVideo} />
        )}
        {(media ? playback.failed.value : !isSought) && (
          <div class="stage-note">
            <p role={recording.arriving.value === null ? undefined : 'status'}>
              {media ? text.review.mediaFails : withoutSound(desk)}
            </p>
            <OpenMedia recording={recording} label={text.review.openMedia} />
          </div>
        )}
      </div>
      <TransportBar desk={desk}>
        {recording.stays.value?.video === null && recording.video() && mayShare(desk) && (
          <IconButton
            icon="upload"
            class="quiet wide"
            label={text.review.addVideo}
            title={text.review.addVideo}
            onClick={() => (desk.view.value = 'share')}
          />
        )}
        {isVideo && (
          <IconButton
            icon="expand"
            class="quiet"
            label={text.review.fullScreen}
            title={text.review.fullScreen}
            onClick={() => void stage.current?.requestFullscreen().catch(() => {})}
          />
        )}
      </TransportBar>
    </section>
  );
}

/** Why there is no sound, and how to get it. */
function withoutSound({ review: { runId, name }, recording }: Desk): string {
  const arriving = recording.arriving.value;
  if (arriving !== null) return text.review.arriving(arriving);
  if (isOwnRun(runId)) return text.review.noMedia;
  if (guest.value) return text.review.notSent(name);
  return session.value ? text.review.notHere(name) : text.review.signInToHear(name);
}

function Media({
  media,
  picture,
  isVideo,
  playback,
  onFailed,
  tracks,
}: {
  media: Playable | null;
  picture: string | null;
  onFailed(): void;
  isVideo: boolean;
  playback: Playback;
  tracks: Translating['tracks']['value'];
}) {
  const element = useRef<HTMLVideoElement>(null);
  const isFile = media instanceof Blob;
  const url = useMemo(() => (isFile ? URL.createObjectURL(media) : media?.address), [media]);
  useEffect(() => (isFile && url ? () => URL.revokeObjectURL(url) : undefined), [url]);
  const failed = playback.failed.value;
  useEffect(() => {
    if (failed) onFailed();
  }, [failed]);
  // In a layout effect, so that a key pressed at once reaches the player.
  useLayoutEffect(() => (element.current ? playback.attach(element.current) : undefined), [url]);
  // The video element plays audio files as well.
  return (
    <video
      ref={element}
      src={url}
      poster={picture ?? undefined}
      preload="auto"
      playsInline
      hidden={!isVideo}
      aria-label={text.review.player}
      tabIndex={-1}
      onClick={playback.toggle}
    >
      {tracks.map(({ language, vtt }) => (
        <TrackOf key={`${language} ${vtt.length}`} language={language} vtt={vtt} />
      ))}
    </video>
  );
}

/** A track for players that show the film by themselves, as phones do in full screen. */
function TrackOf({ language, vtt }: Translating['tracks']['value'][number]) {
  const url = useMemo(() => URL.createObjectURL(new Blob([vtt], { type: 'text/vtt' })), [vtt]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <track kind="subtitles" src={url} srcLang={language} label={language} />;
}

function Overlay({ desk }: { desk: Desk }) {
  const { review, playback, translation, translating } = desk;
  const shown = useComputed(() => cueAt(review.cues.value, playback.time.value)).value;
  const other = useComputed(() => {
    if (!translation.value) return null;
    const { result, language } = translating.value?.shown.value?.translation ?? {};
    const now = playback.time.value;
    const cue = result?.cues.find(({ start, end }) => start <= now && now < end);
    return cue ? { lines: cue.lines, language } : null;
  }).value;
  const { vertical, align } = shown?.placement ?? {};
  return (
    <div
      class={`overlay ${vertical ?? ''} ${align ?? ''}`}
      aria-hidden="true"
      onPointerDown={(event) => void grab(event.currentTarget, event, desk)}
      lang={review.language}
      dir={isRightToLeft(review.language) ? 'rtl' : 'ltr'}
    >
      {other && (
        <span class="other" lang={other.language} dir="auto">
          {withoutTags(other.lines.join('\n'))}
        </span>
      )}
      {italicRuns(shown?.lines.filter((line) => line.trim() !== '') ?? []).map((runs, line) => (
        <span key={line}>
          {runs.map(({ text: words, italic }, at) => (italic ? <i key={at}>{words}</i> : words))}
        </span>
      ))}
    </div>
  );
}

/** Drags the caption to another place. */
const grab = (overlay: HTMLElement, event: PointerEvent, desk: Desk): unknown =>
  import('./drag-place.ts').then((part) => part.dragPlace(overlay, event, desk));

const OpenMedia = ({
  recording,
  label,
  corner,
}: {
  recording: Recording;
  label: string;
  corner?: boolean;
}) => (
  <FileButton
    class={corner ? 'button in-corner' : 'button'}
    label={label}
    accept="video/*,audio/*"
    onFiles={([file]) => void recording.open(file)}
  />
);

/** The controls. */
function TransportBar({ desk, children }: { desk: Desk; children: ComponentChildren }) {
  const { playback, transport, recording, typingPause } = desk;
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const off = recording.media.value === null;
  const playing = playback.playing.value;
  const muted = playback.muted.value;
  return (
    <div class="controls">
      <div
        class="transport"
        dir="ltr"
        role="toolbar"
        aria-label={text.review.transport}
        ref={frame}
      >
        <Move icon="backBy" of="back5" off={off} run={() => transport.skip(-5)} />
        <Move wide icon="back" of="back1" off={off} run={() => transport.skip(-1)} />
        <IconButton
          icon={playing ? 'pause' : 'play'}
          class="play"
          disabled={off}
          label={playing ? text.review.pause : text.review.play}
          title={`${transportKeys.play} (${hintOf('play')})`}
          onClick={() => {
            typingPause.forget();
            playback.toggle();
          }}
        />
        <Move wide icon="on" of="on1" off={off} run={() => transport.skip(1)} />
        <Move wide icon="onBy" of="on5" off={off} run={() => transport.skip(5)} />
        <Move icon="replay" of="replay" off={off} run={transport.replay} />
        <Move
          wide
          icon="loop"
          of="loop"
          off={off}
          pressed={transport.looping.value && playback.stretch.value !== null}
          run={transport.loop}
        />
        <Move
          wide
          icon="patient"
          of="patient"
          off={off}
          pressed={settings.patient.value}
          run={() => {
            settings.patient.value = !settings.patient.value;
          }}
        />
        <Move
          wide
          icon={muted ? 'mute' : 'sound'}
          of={{ label: muted ? text.review.unmute : text.review.mute }}
          off={false}
          run={() => {
            playback.muted.value = !muted;
          }}
        />
        {children}
      </div>
      <DropDown
        label={text.review.rate}
        value={String(playback.rate.value)}
        options={RATES.map((rate) => [String(rate), `${rate}×`])}
        onChoose={(rate) => (playback.rate.value = Number(rate))}
      />
      <span class="clock">
        <Clock desk={desk} />
        <span class="wide"> / {desk.clock.value.position(playback.length.value)}</span>
      </span>
      <Seek desk={desk} />
    </div>
  );
}

interface MoveProps {
  icon: IconName;
  /** What it does, which names it; otherwise its label. */
  of: keyof typeof transportKeys | { label: string };
  off: boolean;
  pressed?: boolean;
  /** Left out on a phone, where the commands have it. */
  wide?: boolean;
  run(): void;
}

function Move({ icon, of, off, pressed, wide, run }: MoveProps) {
  const [label, hint] = typeof of === 'string' ? [transportKeys[of], hintOf(of)] : [of.label, ''];
  return (
    <button
      type="button"
      class={wide ? 'quiet wide' : 'quiet'}
      disabled={off}
      aria-label={label}
      aria-pressed={pressed}
      title={hint === '' ? label : `${label} (${hint})`}
      // Keep the focus in the text while the user types.
      onMouseDown={(event) => event.preventDefault()}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A separate component, so that only this is rendered again while the recording plays. */
const Clock = ({ desk: { clock, playback } }: { desk: Desk }) => (
  <>{clock.value.position(playback.time.value)}</>
);

const Seek = ({ desk: { playback, navigation, clock } }: { desk: Desk }) => (
  <input
    type="range"
    class="seek"
    dir="ltr"
    aria-label={text.review.seek}
    aria-valuetext={clock.value.position(playback.time.value)}
    min={0}
    max={playback.length.value || 1}
    step={0.1}
    value={playback.time.value}
    // Before the first input: only then has the cursor left the text, everywhere.
    onPointerDown={(event) => event.currentTarget.focus()}
    onInput={(event) => navigation.seek(event.currentTarget.valueAsNumber)}
  />
);
