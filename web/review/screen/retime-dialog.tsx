/** The dialog that changes all times at once: shift, another frame rate, two points, a cut, or a part to join. */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { FRAME_RATES } from '../../../server/captions/timestamps.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Select, TextField } from '../../components/fields.tsx';
import { text } from '../../texts/shell.ts';
import { readDifference } from '../../texts/format.ts';
import { retimeText as texts } from '../../texts/caption-files.ts';
import { editAll } from '../desk/edit-all.ts';
import type { Desk } from '../desk/desk.ts';
import type { DeskClock } from '../editing/desk-clock.ts';
import { type Retime, retimeAll, type Retimed } from '../model/retime-all.ts';
import { replaceCues } from '../model/splice.ts';
import { captionsIn } from '../save/own-captions.ts';

type Kind = Retime['kind'];

/** The fields of the dialog, as they are typed. */
type Fields = Readonly<
  Record<'by' | 'from' | 'to' | 'is1' | 'shall1' | 'is2' | 'shall2' | 'begins', Signal<string>>
>;

/** The dialog; what it would do is told before it is done. */
export function RetimeDialog({ desk, onClose }: { desk: Desk; onClose(): void }) {
  const { review } = desk;
  const clock = desk.clock.peek();
  const cues = review.cues.peek();
  const [first, last] = [cues[0]?.start ?? 0, cues.at(-1)?.start ?? 0];
  const kind = useSignal<string>('shift');
  const rates = { from: useSignal('25'), to: useSignal('23.976') };
  const fields: Fields = {
    by: useSignal('1.0'),
    from: useSignal(clock.write(first)),
    to: useSignal(clock.write(last)),
    is1: useSignal(clock.write(first)),
    shall1: useSignal(clock.write(first)),
    is2: useSignal(clock.write(last)),
    shall2: useSignal(clock.write(last)),
    begins: useSignal(clock.write(desk.lengthOf())),
  };
  const part = useSignal<Extract<Retime, { kind: 'join' }>['part'] | null>(null);
  const problem = useSignal('');
  const change = useComputed((): Retime | null => {
    if (kind.value === 'stretch')
      return { kind: 'stretch', from: Number(rates.from.value), to: Number(rates.to.value) };
    if (kind.value === 'join') {
      const begins = clock.read(fields.begins.value);
      return part.value && begins !== null ? { kind: 'join', part: part.value, begins } : null;
    }
    return typedChange(kind.value, fields, clock);
  });
  const made = useComputed((): Retimed | null => {
    try {
      return change.value && retimeAll(cues, change.value, review.state.peek().nextId);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }).value;
  const open = async (file: File | undefined): Promise<void> => {
    const found = file && (await captionsIn(new Uint8Array(await file.arrayBuffer())));
    part.value = found ?? null;
    problem.value = file && !found ? text.start.noCaptions(file.name) : '';
  };
  const time = (name: keyof Fields) => <TextField label={texts[name]} value={fields[name]} />;
  const rate = (name: 'from' | 'to') => (
    <Select
      label={texts.rates[name]}
      value={rates[name]}
      options={FRAME_RATES.map((each) => [each, each] as const)}
    />
  );
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      close={text.cancel}
      actions={
        made
          ? [
              {
                label: texts.run,
                run: () => {
                  const splice = replaceCues(cues, 0, cues.length, made.cues);
                  editAll(desk, 'shift', splice ? [splice] : [], texts.done);
                },
              },
            ]
          : []
      }
    >
      <Select label={texts.what} value={kind} options={Object.entries(texts.kinds)} />
      {kind.value === 'shift' && time('by')}
      {kind.value === 'stretch' && [rate('from'), rate('to')]}
      {kind.value === 'points' && [time('is1'), time('shall1'), time('is2'), time('shall2')]}
      {kind.value === 'cut' && [time('from'), time('to')]}
      {kind.value === 'join' && (
        <>
          <div class="field">
            <label>
              {texts.file}{' '}
              <input type="file" onChange={(event) => void open(event.currentTarget.files?.[0])} />
            </label>
          </div>
          {time('begins')}
        </>
      )}
      {problem.value !== '' && <p role="alert">{problem}</p>}
      <p role="status">{made ? outcome(made, cues.at(-1)?.end ?? 0, clock) : texts.wrong}</p>
    </Dialog>
  );
}

/** The change by what is typed; null if it cannot be read. */
function typedChange(kind: string, fields: Fields, clock: DeskClock): Retime | null {
  const time = (name: keyof Fields): number => clock.read(fields[name].value) ?? Number.NaN;
  switch (kind as Kind) {
    case 'shift': {
      const by = readDifference(fields.by.value);
      return by === null || by === 0 ? null : { kind: 'shift', by };
    }
    case 'cut': {
      const [from, to] = [time('from'), time('to')];
      return to > from ? { kind: 'cut', from, to } : null;
    }
    case 'points': {
      const points = [
        { is: time('is1'), shall: time('shall1') },
        { is: time('is2'), shall: time('shall2') },
      ] as const;
      return { kind: 'points', points };
    }
    default:
      return null;
  }
}

/** Where the captions end before and after, and how many are left out. */
const outcome = ({ cues, dropped }: Retimed, before: number, { write }: DeskClock): string =>
  texts.outcome(write(before), write(Math.max(0, cues.at(-1)?.end ?? 0)), dropped);
