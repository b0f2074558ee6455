/** The bar on narrow screens that switches between the parts of the review and opens the tools. */
import { isReadOnly } from '../../tab/guest.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../../components/dialog.tsx';
import { IconButton } from '../../components/icon.tsx';
import { Tool } from '../../components/toolbar.tsx';
import { text } from '../../texts/review.ts';
import { phone as phoneText, panels } from '../../texts/desk-parts.ts';
import { position } from '../../texts/format.ts';
import { textOf } from '../model/cue.ts';
import type { Desk } from '../desk/desk.ts';
import { decideTerms, placesLike } from '../desk/decide-here.ts';
import { cursor } from '../editing/selection.ts';
import { isNarrow } from './narrow.ts';
import { FindTools, Tools } from './tools.tsx';

const PARTS = [
  ['captions', 'list'],
  ['check', 'check'],
  ['sound', 'wave'],
] as const;

/** The bar; above the keyboard, while a caption is edited, the tools that need its cursor. */
export function PhoneBar({ desk }: { desk: Desk }) {
  const { view, part, commands, review } = desk;
  const isTyping = useSignal(false);
  useEffect(() => {
    const look = () => {
      isTyping.value =
        isNarrow() && !isReadOnly() && document.activeElement?.matches('.cue-text') === true;
    };
    addEventListener('focusin', look);
    addEventListener('focusout', look);
    return () => {
      removeEventListener('focusin', look);
      removeEventListener('focusout', look);
    };
  }, []);
  const place = useAboveKeyboard();
  if (isTyping.value && view.value === null) {
    return (
      <div class="phone-bar" role="toolbar" aria-label={text.review.tools} style={place.value}>
        <Tool keep icon="split" label={text.review.split} run={() => commands.split(cursor())} />
        <Tool
          keep
          icon="start"
          label={text.review.in}
          title={text.review.inHere}
          run={commands.startHere}
        />
        <Tool
          keep
          icon="end"
          label={text.review.out}
          title={text.review.outHere}
          run={commands.endHere}
        />
        <Tool keep icon="undo" label={text.review.undo} run={review.undo} />
        <Tool
          icon="down"
          label={phoneText.ready}
          run={() => document.activeElement instanceof HTMLElement && document.activeElement.blur()}
        />
      </div>
    );
  }
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

/** Lifts the bar over a keyboard that covers the page instead of making it smaller, as on iOS. */
function useAboveKeyboard() {
  const lift = useSignal<Record<string, string>>({});
  useEffect(() => {
    const seen = globalThis.visualViewport;
    if (!seen) return undefined;
    const look = () => {
      const by = Math.max(0, innerHeight - seen.height - seen.offsetTop);
      lift.value = by > 60 ? { transform: `translateY(-${by}px)` } : {};
    };
    seen.addEventListener('resize', look);
    seen.addEventListener('scroll', look);
    return () => {
      seen.removeEventListener('resize', look);
      seen.removeEventListener('scroll', look);
    };
  }, []);
  return lift;
}

/** The next open term or doubtful word, with its decision one tap away. */
function NextCheck({ desk }: { desk: Desk }) {
  const { review, navigation, doubts } = desk;
  const at = Math.max(0, review.currentIndex.value);
  const from = review.cues.value[at]?.start ?? 0;
  const terms = navigation.openTerms.value;
  const words = doubts.open.value;
  const term = terms.find(({ end }) => end > from) ?? terms[0];
  const doubt = words.find(({ index }) => index >= at) ?? words[0];
  const cue = doubt && review.cues.value[doubt.index];
  const isTerm = term && (!cue || term.start <= cue.end || term.end > from !== cue.end > from);
  if (isTerm) {
    const time = position(term.start);
    const alike = placesLike(review, term);
    return (
      <p class="next-check">
        <button
          type="button"
          class="plain"
          title={panels.termPlace(time)}
          onClick={() => navigation.toTerm(term)}
        >
          <bdi>{term.before}</bdi> <span class="arrow">→</span> <b dir="auto">{term.after}</b>
        </button>
        <IconButton
          icon="check"
          class="quiet"
          label={panels.acceptLabel(term.before, term.after, time)}
          onClick={() => decideTerms(review, [term], 'accepted')}
        />
        {alike.length > 1 && (
          <button
            type="button"
            class="quiet"
            aria-label={panels.acceptAllLabel(term.before, term.after, alike.length)}
            onClick={() => decideTerms(review, alike, 'accepted')}
          >
            {panels.acceptEach(alike.length)}
          </button>
        )}
        <IconButton
          icon="cross"
          class="quiet"
          label={panels.rejectLabel(term.before, term.after, time)}
          onClick={() => decideTerms(review, [term], 'rejected')}
        />
      </p>
    );
  }
  if (!doubt || !cue) return null;
  const whole = textOf(cue);
  const word = whole.slice(doubt.from, doubt.to);
  return (
    <p class="next-check">
      <button
        type="button"
        class="plain"
        lang={review.language}
        onClick={() => navigation.select(cue, [doubt.from, doubt.to])}
      >
        {whole.slice(Math.max(0, doubt.from - 16), doubt.from).replaceAll('\n', ' ')}
        <mark class="doubt">{word}</mark>
        {whole.slice(doubt.to, doubt.to + 16).replaceAll('\n', ' ')}
      </button>
      <IconButton
        icon="check"
        class="quiet"
        label={panels.sureLabel(word)}
        onClick={() => doubts.settle([doubt])}
      />
    </p>
  );
}

/** Above the captions the next doubt, above the other parts the current caption: a tap opens its text. */
export function PinnedCaption({ desk }: { desk: Desk }) {
  const { review, part } = desk;
  const at = review.currentIndex.value;
  const cue = review.cues.value[at];
  if (part.value === 'captions') return <NextCheck desk={desk} />;
  if (!cue) return null;
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
