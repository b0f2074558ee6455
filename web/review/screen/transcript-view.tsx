/**
 * The talk as paragraphs, for whoever corrects words rather than times. A click plays, typing
 * corrects, and selected words become a term, a speaker's or a caption of their own.
 */
import { useComputed, useSignal, type Signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { rememberTerm } from '../../api/terminology.ts';
import { guest, isReadOnly } from '../../tab/guest.ts';
import { orFailure } from '../../tab/failure-text.ts';
import { position } from '../../texts/format.ts';
import { withKey } from '../../tab/session.ts';
import { transcriptText } from '../../texts/desk-parts.ts';
import { text } from '../../texts/review.ts';
import { cueAt, type ReviewCue, textOf, timeAt } from '../model/cue.ts';
import { giveSpeaker, speakerOf } from '../model/cue-speakers.ts';
import { applySplice } from '../model/splice.ts';
import {
  asOneCaption,
  betweenIn,
  cutOut,
  isSameText,
  paragraphsOf,
  retyped,
  runningText,
  setParts,
  type Paragraph,
  type Part,
  type TextPlace,
} from '../model/transcript.ts';
import { TypingGroups } from '../editing/typing-groups.ts';
import { hasItalics, MarkedWords } from './marked-words.tsx';
import type { Desk } from '../desk/desk.ts';
import { rangeIn } from '../editing/review.ts';
import { colourOf } from '../editing/speakers.ts';

/** Words that are selected in a paragraph, by caption. */
interface Chosen {
  readonly words: string;
  readonly from: { readonly id: number; readonly offset: number };
  readonly to: { readonly id: number; readonly offset: number };
}

const typing = new TypingGroups();

/** The transcript, and the tools for the words selected in it. */
export function TranscriptView({ desk }: { desk: Desk }) {
  const { review, playback } = desk;
  const frame = useRef<HTMLDivElement>(null);
  const chosen = useSignal<Chosen | null>(null);
  const focused = useSignal<number | null>(null);
  const cues = review.cues.value;
  const paragraphs = useParagraphs(cues, focused);
  const heardId = useComputed(
    () => cueAt(review.cues.value, playback.time.value)?.id ?? null,
  ).value;
  const currentId = review.currentId.value;
  const row = useRows();
  const near = useNear(frame, paragraphs, cues);
  useReveal(frame, desk, paragraphs);
  useLayoutEffect(() => {
    if (!playback.playing.peek() || heardId === null) return;
    const index = cues.findIndex(({ id }) => id === heardId);
    const first = paragraphs.find(({ from, to }) => from <= index && index < to)?.from;
    if (first !== undefined) show(frame.current, heardId, cues[first]!.id);
  }, [heardId]);
  return (
    <>
      <div
        class="cue-list transcript"
        ref={frame}
        role="region"
        tabIndex={-1}
        aria-label={transcriptText.label}
      >
        {cues.length === 0 && <p class="none-yet">{text.review.noneYet}</p>}
        <ul>
          {paragraphs.map(({ from, to }) => {
            const own = cues.slice(from, to);
            const has = (id: number | null): number | null =>
              own.some((cue) => cue.id === id) ? id : null;
            return row({
              desk,
              cues: own,
              from,
              heardId: has(heardId),
              currentId: has(currentId),
              chosen,
              focused,
              isNear: near.ids.value.has(own[0]!.id) || focused.value === own[0]!.id,
              near,
            });
          })}
        </ul>
      </div>
      {!isReadOnly() && <ChosenTools desk={desk} chosen={chosen} />}
    </>
  );
}

/**
 * The paragraphs; while somebody types in one, no sentence that ends or speaker that changes divides
 * it under the cursor.
 */
function useParagraphs(
  cues: readonly ReviewCue[],
  focused: Signal<number | null>,
): readonly Paragraph[] {
  const starts = useRef<ReadonlySet<number>>(new Set());
  return useMemo(() => {
    const held = focused.peek() !== null && cues.some(({ id }) => id === focused.peek());
    const firsts = held
      ? cues.flatMap(({ id }, at) => (at === 0 || starts.current.has(id) ? [at] : []))
      : paragraphsOf(cues).map(({ from }) => from);
    starts.current = new Set(firsts.map((at) => cues[at]!.id));
    return firsts.map((from, at) => ({ from, to: firsts[at + 1] ?? cues.length }));
  }, [cues, focused.value === null]);
}

interface RowProps {
  desk: Desk;
  cues: readonly ReviewCue[];
  /** The position of its first caption. */
  from: number;
  /** The caption at the playhead and the current one, if they are here. */
  heardId: number | null;
  currentId: number | null;
  chosen: Signal<Chosen | null>;
  /** The first caption of the paragraph that has the cursor. */
  focused: Signal<number | null>;
  /** Whether it is in view or close to it. */
  isNear: boolean;
  near: Near;
}

/** The paragraphs in view or close to it: the others are only as high as they were, or may be. */
interface Near {
  /** By their first caption. */
  readonly ids: Signal<ReadonlySet<number>>;
  heightOf(id: number): number | undefined;
  watch(element: HTMLElement): () => void;
}

/** As many are near before anything is measured. */
const AT_FIRST = 24;
/** The distance from the view, in pixels, below which a paragraph is near. */
const REACH = 800;

function useNear(
  frame: { readonly current: HTMLElement | null },
  paragraphs: readonly Paragraph[],
  cues: readonly ReviewCue[],
): Near {
  const ids = useSignal<ReadonlySet<number>>(
    new Set(paragraphs.slice(0, AT_FIRST).map(({ from }) => cues[from]!.id)),
  );
  return useMemo(() => {
    const heights = new Map<number, number>();
    let observer: IntersectionObserver | undefined;
    const look = (entries: readonly IntersectionObserverEntry[]) => {
      const now = new Set(ids.peek());
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        const id = Number((target as HTMLElement).dataset['first']);
        if (isIntersecting) now.add(id);
        else if (now.delete(id)) heights.set(id, boundingClientRect.height);
      }
      ids.value = now;
    };
    return {
      ids,
      heightOf: (id) => heights.get(id),
      watch(element) {
        observer ??= new IntersectionObserver(look, {
          root: frame.current,
          rootMargin: `${REACH}px 0px`,
        });
        observer.observe(element);
        return () => observer?.unobserve(element);
      },
    };
  }, []);
}

/** Brings a caption into view, or its paragraph as long as that is far away. */
function show(list: HTMLElement | null, id: number, first: number): void {
  const found =
    list?.querySelector(`[data-caption="${id}"]`) ?? list?.querySelector(`[data-first="${first}"]`);
  found?.scrollIntoView({ block: 'nearest' });
}

/** Rows with the same captions are not rendered again, however fast somebody types in another. */
function useRows(): (props: RowProps) => VNode {
  const made = useRef(new Map<number, readonly [RowProps, VNode]>());
  return (props) => {
    const id = props.cues[0]!.id;
    const before = made.current.get(id);
    if (before && isSame(before[0], props)) return before[1];
    const node = <ParagraphRow key={id} {...props} />;
    made.current.set(id, [props, node]);
    return node;
  };
}

const isSame = (one: RowProps, other: RowProps): boolean =>
  one.desk === other.desk &&
  one.from === other.from &&
  one.heardId === other.heardId &&
  one.currentId === other.currentId &&
  one.isNear === other.isNear &&
  one.cues.length === other.cues.length &&
  one.cues.every((cue, at) => cue === other.cues[at]);

function ParagraphRow(props: RowProps) {
  const { cues, isNear, near } = props;
  const { id } = cues[0]!;
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => near.watch(element.current!), []);
  const letters = isNear ? 0 : cues.reduce((sum, cue) => sum + textOf(cue).length, 0);
  const height = near.heightOf(id) ?? LINE * (1 + Math.ceil(letters / LETTERS));
  return (
    <li
      class="paragraph"
      ref={element}
      data-first={id}
      style={isNear ? {} : { height: `${height}px` }}
    >
      {isNear && <ParagraphBody {...props} />}
    </li>
  );
}

/** The height of a line, in pixels, and about how many letters it has. */
const LINE = 28;
const LETTERS = 65;

function ParagraphBody({ desk, cues, from, heardId, currentId, chosen, focused }: RowProps) {
  const { review, playback, commands, typingPause } = desk;
  const { language, settings } = review;
  const between = betweenIn(language);
  const field = useRef<HTMLTextAreaElement>(null);
  /** What is typed, as long as it says the same as the captions: they do without its white space. */
  const draft = useRef<readonly Part[] | null>(null);
  const cursor = useRef<number | null>(null);
  if (draft.current && !isSameText(draft.current, cues, between)) draft.current = null;
  const parts =
    draft.current ?? cues.map((cue) => ({ id: cue.id, text: runningText(cue, between) }));
  const value = parts.map((part) => part.text).join(between);
  useLayoutEffect(() => {
    const at = cursor.current;
    cursor.current = null;
    if (at !== null && field.current?.matches(':focus') && field.current.selectionStart !== at) {
      field.current.setSelectionRange(at, at);
    }
  });
  const first = cues[0]!;
  const name = speakerOf(first);
  const order = desk.speakers.order.value.get(name) ?? 0;
  const placeOf = (offset: number): { id: number; offset: number } => {
    let at = 0;
    for (const [index, { id, text: own }] of parts.entries()) {
      const next = at + own.length + between.length;
      if (offset < next || index === parts.length - 1) {
        return { id, offset: Math.min(Math.max(0, offset - at), own.length) };
      }
      at = next;
    }
    return { id: first.id, offset: 0 };
  };
  const look = () => {
    const element = field.current;
    if (!element?.matches(':focus')) return;
    const { selectionStart: start, selectionEnd: end } = element;
    const place = placeOf(start);
    review.currentId.value = place.id;
    element.dataset['offset'] = String(start - place.offset);
    const words = element.value.slice(start, end).trim();
    chosen.value = words === '' ? null : { words, from: place, to: placeOf(end) };
  };
  const type = (element: HTMLTextAreaElement) => {
    const { value: typed, selectionStart: at } = element;
    const now = retyped(parts, between, typed);
    const says = now.map((part) => part.text).join(between);
    if (says !== typed) {
      // What separates two captions cannot be deleted.
      element.value = says;
      element.setSelectionRange(at, at);
    }
    const all = review.cues.peek();
    const index = all.findIndex(({ id }) => id === first.id);
    const place = { from: index, to: index + cues.length };
    draft.current = now;
    cursor.current = at;
    typingPause.typed();
    const cueId = placeOf(at).id;
    const splice = setParts(all, place, now, settings, language);
    const group = typing.groupOf(cueId, typed);
    if (splice) review.edit('text', splice, { group, quiet: true, cueId });
    look();
  };
  const leave = () => {
    typing.end();
    draft.current = null;
    focused.value = null;
    // A caption whose words were all deleted goes with them.
    const all = review.cues.peek();
    const empty = cues.flatMap(({ id }) => {
      const at = all.findIndex((cue) => cue.id === id);
      return at >= 0 && textOf(all[at]!).trim() === '' ? [at] : [];
    });
    if (empty.length === 0 || all.length === empty.length) return;
    const [least, most] = [empty[0]!, empty.at(-1)!];
    review.edit('delete', {
      at: least,
      removed: all.slice(least, most + 1),
      inserted: all.slice(least, most + 1).filter((_, at) => !empty.includes(least + at)),
    });
  };
  const press = (event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }) => {
    const { currentTarget: element, code } = event;
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    const { selectionStart: start, selectionEnd: end } = element;
    const place = placeOf(start);
    const step =
      code === 'ArrowUp' && end === 0 ? -1 : code === 'ArrowDown' && start === value.length ? 1 : 0;
    if (code === 'Enter' || code === 'NumpadEnter') {
      event.preventDefault();
      commands.split(place.offset);
    } else if (code === 'Escape') {
      event.preventDefault();
      element.closest<HTMLElement>('.cue-list')?.focus();
    } else if (step !== 0) {
      const all = [...(element.closest('ul')?.querySelectorAll('textarea') ?? [])];
      const to = all[all.indexOf(element) + step];
      if (!to) return;
      event.preventDefault();
      to.focus();
      const at = step > 0 ? 0 : to.value.length;
      to.setSelectionRange(at, at);
    }
  };
  return (
    <>
      <div class="paragraph-head">
        <button
          type="button"
          class="plain"
          tabIndex={currentId === null ? -1 : 0}
          aria-label={transcriptText.playFrom(position(first.start))}
          onClick={() => commands.playFrom(first)}
        >
          {position(first.start).replace(/\.\d$/, '')}
        </button>
        {name !== '' && <span class={colourOf(order)}>{name}</span>}
      </div>
      <div class="cue-words">
        <Underlay desk={desk} cues={cues} between={between} heardId={heardId} parts={parts} />
        <textarea
          ref={field}
          class="cue-text"
          aria-label={transcriptText.paragraph(position(first.start))}
          tabIndex={currentId === null && from > 0 ? -1 : 0}
          spellcheck
          rows={1}
          dir="auto"
          lang={language}
          readOnly={review.role.value !== 'writing'}
          value={value}
          onInput={(event) => type(event.currentTarget)}
          onFocus={() => {
            focused.value = first.id;
          }}
          onBlur={leave}
          onSelect={look}
          onKeyUp={look}
          onKeyDown={press}
          onClick={(event) => {
            look();
            const { selectionStart: start, selectionEnd: end } = event.currentTarget;
            if (start !== end) return;
            const place = placeOf(start);
            const cue = cues.find(({ id }) => id === place.id);
            if (cue) playback.playFrom(timeAt(cue, place.offset));
          }}
        />
      </div>
    </>
  );
}

interface UnderlayProps {
  desk: Desk;
  cues: readonly ReviewCue[];
  parts: readonly Part[];
  between: string;
  heardId: number | null;
}

/** Under the field the same letters, transparent: where captions meet, what is heard, what is in doubt. */
const Underlay = ({ desk, cues, parts, between, heardId }: UnderlayProps) => (
  <div
    class={`cue-marks ${parts.some(({ text }) => hasItalics(text)) ? 'italics' : ''}`}
    aria-hidden="true"
    dir="auto"
    lang={desk.review.language}
  >
    {cues.map((cue, at) => {
      const own = parts[at]!.text;
      const doubts = own.length === textOf(cue).length ? desk.doubts.of(cue) : [];
      const marks = doubts.map(({ from, to }) => ({ from, to, look: 'doubt' }));
      return [
        at > 0 && between,
        <span
          key={cue.id}
          data-caption={cue.id}
          class={cue.id === heardId ? 'caption-part at-playhead' : 'caption-part'}
        >
          <MarkedWords words={own} marks={marks} />
        </span>,
      ];
    })}
  </div>
);

/** Brings a caption into view, and the cursor to it, after undo or on the way to the next doubt. */
function useReveal(
  frame: { readonly current: HTMLDivElement | null },
  { review }: Desk,
  paragraphs: readonly Paragraph[],
): void {
  const to = review.reveal.value;
  const done = useRef(to);
  useLayoutEffect(() => {
    const list = frame.current;
    if (!list || !to || to === done.current) return;
    done.current = to;
    const cues = review.cues.peek();
    const index = cues.findIndex(({ id }) => id === to.id);
    const paragraph = paragraphs.find((each) => each.from <= index && index < each.to);
    if (!paragraph) return;
    const first = cues[paragraph.from]!.id;
    show(list, to.id, first);
    const isTyped = list.contains(document.activeElement) && document.activeElement !== list;
    const place = to.select ?? (isTyped && !to.follows ? (to.cursor ?? 'end') : undefined);
    if (place === undefined) return;
    const start = cues
      .slice(paragraph.from, index)
      .reduce((sum, cue) => sum + textOf(cue).length + 1, 0);
    const [from, until] = rangeIn(place, textOf(cues[index]!).length);
    let tries = 0;
    const go = () => {
      const field = list.querySelector<HTMLTextAreaElement>(`[data-first="${first}"] textarea`);
      tries += 1;
      if (field) {
        field.focus({ preventScroll: true });
        field.setSelectionRange(start + from, start + until);
        show(list, to.id, first);
        // A paragraph that was far away is there in one of the next frames.
      } else if (tries < FRAMES) requestAnimationFrame(go);
    };
    go();
  });
}

const FRAMES = 30;

/** The tools for the selected words; without any, what to do. */
function ChosenTools({ desk, chosen }: { desk: Desk; chosen: Signal<Chosen | null> }) {
  const { review, speakers } = desk;
  const now = chosen.value;
  useEffect(() => {
    // Words that are no longer there cannot be meant.
    const ids = new Set(review.cues.value.map(({ id }) => id));
    if (now && !(ids.has(now.from.id) && ids.has(now.to.id))) chosen.value = null;
  }, [review.cues.value]);
  const places = (of: Chosen): readonly [TextPlace, TextPlace] | null => {
    const cues = review.cues.peek();
    const [from, to] = [of.from, of.to].map(({ id, offset }) => ({
      index: cues.findIndex((cue) => cue.id === id),
      offset,
    })) as [TextPlace, TextPlace];
    return from.index < 0 || to.index < from.index ? null : [from, to];
  };
  const give = (of: Chosen, name: string) => {
    const found = places(of);
    if (!found) return;
    const cues = review.cues.peek();
    const { splices, indices } = cutOut(cues, found, review.state.peek().nextId, review.words);
    const given = giveSpeaker(splices.reduce(applySplice, cues), indices, name) ?? [];
    review.edit('speaker', [...splices, ...given]);
  };
  const single = (of: Chosen) => {
    const found = places(of);
    if (!found) return;
    const made = asOneCaption(
      review.cues.peek(),
      found,
      review.state.peek().nextId,
      review.words,
      review.settings,
      review.language,
    );
    review.edit('split', made?.splices ?? null);
  };
  const another = text.review.unnamedSpeaker(speakers.all.value.length + 1);
  const names = speakers.all.value.map((one) => one.name);
  const keep = (event: MouseEvent) => event.preventDefault();
  return (
    <div class="time-buttons chosen-tools" role="toolbar" aria-label={transcriptText.tools}>
      {now === null ? (
        <span>{transcriptText.hint}</span>
      ) : (
        <>
          <span class="time-buttons-for chosen-words" lang={review.language}>
            {now.words}
          </span>
          {guest.value === null && (
            <button type="button" onMouseDown={keep} onClick={() => void makeTerm(desk, now.words)}>
              {transcriptText.term}
            </button>
          )}
          <button type="button" onMouseDown={keep} onClick={() => single(now)}>
            {transcriptText.caption}
          </button>
          <select
            aria-label={transcriptText.speaker}
            value=""
            onChange={(event) => {
              give(now, event.currentTarget.value);
              event.currentTarget.value = '';
            }}
          >
            <option value="" disabled>
              {transcriptText.speaker}
            </option>
            {[...names, ...(names.includes(another) ? [] : [another])].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

/** Adds words to the terms of the workspace, and reports it, after asking the user to sign in if necessary. */
async function makeTerm({ review }: Desk, words: string): Promise<void> {
  const term = words.replaceAll('\u200B', '').replaceAll(/\s+/g, ' ');
  review.message.value = await orFailure(async () => {
    await withKey((key) => rememberTerm(key, { term }));
    return transcriptText.made(term);
  });
}
