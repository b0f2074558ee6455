/** The playback controls and the position; the buttons are one Tab stop. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useRoving } from '../../components/roving.ts';
import { position } from '../../format.ts';
import type { Desk } from '../desk/desk.ts';
import { hintOf } from '../desk/key-hint.ts';
import { RATES } from './playback.ts';
import { settings } from '../desk/settings.ts';
import { transportKeys } from '../../texts/review.ts';
import { text } from '../../texts/review.ts';

/** The controls. */
export function TransportBar({ desk, children }: { desk: Desk; children: ComponentChildren }) {
  const { playback, transport, recording, typingPause } = desk;
  const frame = useRef<HTMLDivElement>(null);
  useRoving(frame);
  const off = recording.media.value === null;
  const playing = playback.playing.value;
  const muted = playback.muted.value;
  return (
    <div class="controls">
      <div class="transport" role="toolbar" aria-label={text.review.transport} ref={frame}>
        <Move
          icon="backBy"
          label={transportKeys.back5}
          action="back5"
          off={off}
          run={() => transport.skip(-5)}
        />
        <Move
          icon="back"
          label={transportKeys.back1}
          action="back1"
          off={off}
          run={() => transport.skip(-1)}
        />
        <button
          type="button"
          class="play"
          disabled={off}
          aria-label={playing ? text.review.pause : text.review.play}
          title={`${transportKeys.play} (${hintOf('play')})`}
          onClick={() => {
            typingPause.forget();
            playback.toggle();
          }}
        >
          <Icon name={playing ? 'pause' : 'play'} />
        </button>
        <Move
          icon="on"
          label={transportKeys.on1}
          action="on1"
          off={off}
          run={() => transport.skip(1)}
        />
        <Move
          icon="onBy"
          label={transportKeys.on5}
          action="on5"
          off={off}
          run={() => transport.skip(5)}
        />
        <Move
          icon="replay"
          label={transportKeys.replay}
          action="replay"
          off={off}
          run={transport.replay}
        />
        <Move
          icon="loop"
          label={transportKeys.loop}
          action="loop"
          off={off}
          pressed={transport.looping.value && playback.stretch.value !== null}
          run={transport.loop}
        />
        <Move
          icon="patient"
          label={transportKeys.patient}
          action="patient"
          off={off}
          pressed={settings.patient.value}
          run={() => {
            settings.patient.value = !settings.patient.value;
          }}
        />
        <Move
          icon={muted ? 'mute' : 'sound'}
          label={muted ? text.review.unmute : text.review.mute}
          off={false}
          run={() => {
            playback.muted.value = !muted;
          }}
        />
        {children}
      </div>
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
      <span class="clock">
        <Clock time={playback.time} /> / {position(playback.length.value)}
      </span>
      <Seek desk={desk} />
    </div>
  );
}

interface MoveProps {
  icon: IconName;
  label: string;
  action?: string;
  off: boolean;
  pressed?: boolean;
  run(): void;
}

function Move({ icon, label, action, off, pressed, run }: MoveProps) {
  const hint = action === undefined ? '' : hintOf(action);
  return (
    <button
      type="button"
      class="quiet"
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
const Clock = ({ time }: { time: ReadonlySignal<number> }) => <>{position(time.value)}</>;

const Seek = ({ desk: { playback, navigation } }: { desk: Desk }) => (
  <input
    type="range"
    class="seek"
    aria-label={text.review.seek}
    aria-valuetext={position(playback.time.value)}
    min={0}
    max={playback.length.value || 1}
    step={0.1}
    value={playback.time.value}
    onInput={(event) => navigation.seek(event.currentTarget.valueAsNumber)}
  />
);
