/** The dialog for the frames of the picture: their rate, their time code, and how times are shown. */
import { computed, useSignal, useSignalEffect } from '@preact/signals';
import { frameCountOf, frameOfTimeCode } from '../../../server/captions/time-code.ts';
import { FRAME_RATES } from '../../../server/captions/timestamps.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Check, Choice, Select, TextField } from '../../components/fields.tsx';
import { framesText as texts } from '../../texts/profiles-and-rebuilding.ts';
import type { Desk } from '../desk/desk.ts';
import { settings } from '../editing/settings.ts';

/** The dialog; each choice counts at once. */
export function FramesDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const rate = useSignal(String(settings.frameRate.peek() ?? ''));
  const times = useSignal<string>(settings.times.peek());
  const start = useSignal(settings.programmeStart.peek());
  useSignalEffect(() => {
    settings.frameRate.value = rate.value === '' ? null : Number(rate.value);
  });
  useSignalEffect(() => {
    const shown = times.value;
    if (shown === 'auto' || shown === 'frames' || shown === 'milliseconds')
      settings.times.value = shown;
  });
  const count = computed(() =>
    desk.rate.value === null ? null : frameCountOf(desk.rate.value, settings.dropFrame.value),
  ).value;
  const typed = start.value.trim();
  const isStart = typed === '' || (count !== null && frameOfTimeCode(typed, count) !== null);
  useSignalEffect(() => {
    const code = start.value.trim();
    const by = desk.rate.value;
    const isCode =
      by !== null && frameOfTimeCode(code, frameCountOf(by, settings.dropFrame.value)) !== null;
    if (code === '' || isCode) settings.programmeStart.value = code;
  });
  const video = desk.videoRate.value;
  const ruled = desk.check.grid.value;
  const mayDrop = count !== null && frameCountOf(count.rate, true).dropped > 0;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <Select
        label={texts.rate}
        value={rate}
        options={[
          [
            '',
            video !== null ? texts.video(video) : ruled ? texts.ruled(ruled.rate) : texts.unknown,
          ],
          ...FRAME_RATES.map((each) => [String(Number(each)), each] as const),
        ]}
      />
      {mayDrop && <Check label={texts.drop} hint={texts.dropHint} value={settings.dropFrame} />}
      <Choice
        label={texts.times}
        value={times}
        options={[
          ['auto', texts.auto],
          ['frames', texts.frames],
          ['milliseconds', texts.milliseconds],
        ]}
      />
      <TextField
        label={texts.start}
        hint={isStart ? texts.startHint : texts.badStart(count !== null)}
        value={start}
        placeholder="10:00:00:00"
      />
      <p class="hint" role="status">
        {count === null ? texts.noRate : texts.now(desk.clock.value.write(1))}
      </p>
    </Dialog>
  );
}
