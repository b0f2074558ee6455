/** The bar on narrow screens that switches between the parts of the review and opens the tools. */
import { Dialog } from '../../components/dialog.tsx';
import { Tool } from '../../components/tool.tsx';
import { phone as phoneText } from '../../texts/desk-parts.ts';
import { position } from '../../format.ts';
import { textOf } from '../model/cue.ts';
import type { Desk } from './desk.ts';
import { FindTools, Tools } from './tools.tsx';

const PARTS = [
  ['captions', 'list'],
  ['check', 'check'],
  ['sound', 'wave'],
] as const;

/** The bar. */
export function PhoneBar({ desk }: { desk: Desk }) {
  const { view, part } = desk;
  return (
    <nav class="phone-bar" aria-label={phoneText.phoneBar}>
      {PARTS.map(([name, icon]) => (
        <Tool
          key={name}
          icon={icon}
          label={phoneText.parts[name]}
          pressed={part.value === name}
          run={() => {
            part.value = name;
          }}
        />
      ))}
      <Tool icon="more" label={phoneText.parts.tools} run={() => (view.value = 'tools')} />
      {view.value === 'tools' && (
        <Dialog
          title={phoneText.parts.tools}
          onClose={() => {
            if (view.peek() === 'tools') view.value = null;
          }}
        >
          <Tools desk={desk} />
          <FindTools desk={desk} />
        </Dialog>
      )}
    </nav>
  );
}

/** The caption; a tap opens its text. */
export function PinnedCaption({ desk }: { desk: Desk }) {
  const { review, part } = desk;
  const at = review.currentIndex.value;
  const cue = review.cues.value[at];
  if (!cue || part.value === 'captions') return null;
  return (
    <button
      type="button"
      class="pinned"
      onClick={() => {
        part.value = 'captions';
        review.reveal.value = { id: cue.id, select: 'end' };
      }}
    >
      <span class="visually-hidden">{phoneText.editCaption(at + 1)}</span>
      <span class="hint">
        {at + 1} · {position(cue.start)}
      </span>
      <span lang={review.language}>{textOf(cue)}</span>
    </button>
  );
}
