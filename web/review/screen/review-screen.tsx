/** The review screen: the captions, the recording next to them, the timeline below both. */
import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { CaptionerCompletedResult } from '../../../server/contract/results.ts';
import { loadPart } from '../../api/load-part.ts';
import { OnDemand, onDemand, type Part, whenIdle } from '../../components/on-demand.tsx';
import { openReviewOf } from '../save/open-review.ts';
import { Player } from './player.tsx';
import { text } from '../../texts/review.ts';
import { TIME_LINE, TimeLine } from './time-line.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { Splitter } from '../../components/splitter.tsx';
import {
  copySrt,
  download,
  DOWNLOADS,
  KARAOKE,
  losing,
  prepareDownloads,
} from '../save/download.ts';
import { CueList } from './cue-list.tsx';
import { createDesk } from './create-desk.ts';
import { type Desk, mayShare, type View } from '../desk/desk.ts';
import { actionOf } from '../desk/keys.ts';
import { openFiles } from '../desk/open-files.ts';
import { keepPlace } from '../../storage/web-storage.ts';
import { settings } from '../editing/settings.ts';
import { isNarrow, onNarrow } from './narrow.ts';
import { SidePanel } from './side-panel.tsx';
import { TimeButtons, FindTools, Tools } from './tools.tsx';

/** The dialogs over the desk, by the view that shows them. */
const DIALOGS: Partial<Record<View, Part<{ desk: Desk; onClose(): void }>>> = {
  compare: onDemand(() => import('./compare-dialog.tsx').then((part) => part.CompareDialog)),
  keys: onDemand(() => import('./key-sheet.tsx').then((part) => part.KeySheet)),
  rebuild: onDemand(() => import('./rebuild-dialog.tsx').then((part) => part.RebuildDialog)),
  profiles: onDemand(() => import('./house-dialog.tsx').then((part) => part.HouseDialog)),
  frames: onDemand(() => import('./frames-dialog.tsx').then((part) => part.FramesDialog)),
  retime: onDemand(() => import('./retime-dialog.tsx').then((part) => part.RetimeDialog)),
  file: onDemand(() => import('./file-dialog.tsx').then((part) => part.FileDialog)),
  script: onDemand(() => import('./script-dialog.tsx').then((part) => part.ScriptDialog)),
  share: onDemand(() => import('./share-dialog.tsx').then((part) => part.ShareDialog)),
  burn: onDemand(() => import('./burn-dialog.tsx').then((part) => part.BurnDialog)),
  work: onDemand(() => import('./work-dialog.tsx').then((part) => part.WorkDialog)),
  palette: onDemand(() => import('./palette.tsx').then((part) => part.Palette)),
};
const findBar = onDemand(() => import('./find-bar.tsx').then((part) => part.FindBar));
const shiftForm = onDemand(() => import('./shift-form.tsx').then((part) => part.ShiftForm));
const lossDialog = onDemand(() => import('./loss-dialog.tsx').then((part) => part.LossDialog));
const tabNotice = onDemand(() => import('./save-notice.tsx').then((part) => part.TabNotice));
const transcriptView = onDemand(() =>
  import('./transcript-view.tsx').then((part) => part.TranscriptView),
);
const gridView = onDemand(() => import('./grid-view.tsx').then((part) => part.GridView));
const translationView = onDemand(() =>
  import('./translation-view.tsx').then((part) => part.TranslationView),
);

const noSpeech = onDemand(() => import('../../job/failed-run.tsx').then((part) => part.NoSpeech));

const narrow = signal<typeof import('./phone-bar.tsx') | null>(null);

/** Wide screens work without these parts; a failed load is retried when the next review opens. */
async function loadNarrow(): Promise<void> {
  narrow.value ??= await loadPart(() => import('./phone-bar.tsx')).catch(() => null);
}

/** On a narrow screen the bar comes with the captions, so that nothing moves, unless it takes long. */
const narrowFirst = (): unknown =>
  isNarrow() && Promise.race([loadNarrow(), new Promise((done) => setTimeout(done, 500))]);

/** Preloaded, because they are opened by a key and must receive the next keystroke. */
const LATER = [findBar, shiftForm, DIALOGS.palette];

interface ReviewScreenProps {
  runId: string;
  /** The file name of the recording. */
  name: string;
  result: CaptionerCompletedResult;
}

/** The screen; it opens the review as it was left. */
export function ReviewScreen({ runId, name, result }: ReviewScreenProps) {
  const opened = useSignal<Desk | null>(null);
  const byHand = useSignal(false);
  useEffect(() => {
    const stop = new AbortController();
    void open(runId, name, result, stop.signal).then((found) => (opened.value = found));
    return () => {
      stop.abort();
      opened.peek()?.lock.leave();
    };
  }, [runId, result]);

  if (!opened.value) return <p class="loading">{text.review.loading}</p>;
  const isEmpty =
    result.captions.cues.length + opened.value.review.state.peek().changes.length === 0;
  if (isEmpty && !byHand.value) {
    const write = () => (byHand.value = true);
    return <OnDemand of={noSpeech} {...{ runId, name, result }} onByHand={write} />;
  }
  return <DeskScreen desk={opened.value} />;
}

/** Opens a review; null if the screen was closed in the meantime. */
async function open(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
  stop: AbortSignal,
): Promise<Desk | null> {
  const [opened] = await Promise.all([openReviewOf(runId, name, result), narrowFirst()]);
  if (stop.aborted) {
    opened.lock.leave();
    return null;
  }
  return createDesk(opened, result, stop);
}

/** The usual width of the left column in percent, and height of the picture in pixels. */
const COLUMNS = 42;
const PICTURE = 240;

/** In tab order: the captions, their tools, the recording, the rest. */
function DeskScreen({ desk }: { desk: Desk }) {
  const { review, lock, finder, view } = desk;
  const { PhoneBar: Bar, PinnedCaption: Pinned } = narrow.value ?? {};
  const Colleagues = desk.saved.value?.Notice;
  const { isWide, hasShown } = useNarrow(desk);
  useTypedFirst(desk);
  useKeys(desk);
  useFiles(desk);
  useFocusFallback();
  useEffect(() => void loadNarrow(), []);
  useEffect(() => LATER.forEach((part) => part?.preload()), []);
  useEffect(() => whenIdle(prepareDownloads), []);
  useTabLock(desk);
  useSignalEffect(() => keepPlace(review.runId, review.currentId.value));
  // A dialog reports that it was closed only after the next one was opened.
  const closed = (name: Desk['view']['value']) => () => {
    if (view.peek() === name) view.value = null;
  };
  const dialog = view.value && DIALOGS[view.value];
  return (
    <div
      class="desk"
      data-part={desk.part.value}
      data-role={review.role.value}
      data-picture={settings.picture.value === null ? undefined : 'set'}
      style={{
        '--columns': `${settings.columns.value ?? COLUMNS}%`,
        '--picture': `${settings.picture.value ?? PICTURE}px`,
      }}
    >
      {lock.role.value === 'following' && <OnDemand of={tabNotice} lock={lock} />}
      {Colleagues && <Colleagues desk={desk} />}
      <DeskTitle desk={desk} />
      <div class="desk-right">
        {finder.open.value !== 'closed' && (
          <OnDemand of={findBar} finder={finder} review={review} />
        )}
        {view.value === 'shift' && (
          <OnDemand
            of={shiftForm}
            review={review}
            selected={desk.selection.indices.value.length}
            commands={desk.commands}
            onDone={closed('shift')}
          />
        )}
        {desk.translation.value ? (
          <OnDemand of={translationView} desk={desk} />
        ) : settings.grid.value ? (
          <OnDemand of={gridView} desk={desk} />
        ) : settings.transcript.value ? (
          <OnDemand of={transcriptView} desk={desk} />
        ) : (
          <>
            <CueList desk={desk} />
            {isWide && <TimeButtons desk={desk} />}
          </>
        )}
        {isWide && view.value !== 'tools' && !desk.translation.value && <Tools desk={desk} />}
      </div>
      <Splitter
        label={text.review.splitters.columns}
        direction="vertical"
        size={settings.columns}
        least={25}
        most={65}
        usual={COLUMNS}
        measure={() => settings.columns.peek() ?? COLUMNS}
        aPixel={(bar) => 100 / (bar.parentElement?.clientWidth || 1)}
      />
      <div class="desk-left">
        <Player desk={desk} />
        <Splitter
          label={text.review.splitters.picture}
          direction="horizontal"
          size={settings.picture}
          least={64}
          most={720}
          usual={PICTURE}
          measure={(bar) => bar.parentElement?.querySelector('.stage')?.clientHeight ?? PICTURE}
        />
        {Pinned && <Pinned desk={desk} />}
        {hasShown('check') && <SidePanel desk={desk} />}
      </div>
      <Splitter
        label={text.review.splitters.timeLine}
        direction="horizontal"
        size={settings.timeLine}
        least={90}
        most={320}
        usual={TIME_LINE}
        measure={() => settings.timeLine.peek() ?? TIME_LINE}
        aPixel={() => -1}
      />
      {hasShown('sound') && <TimeLine desk={desk} />}
      <DeskActions desk={desk} isWide={isWide} />
      <p class="said" role="status">
        {review.message}
      </p>
      {Bar && <Bar desk={desk} />}
      {dialog && <OnDemand key={view.value} of={dialog} desk={desk} onClose={closed(view.value)} />}
      {losing.value && <OnDemand of={lossDialog} {...losing.value} />}
    </div>
  );
}

/**
 * Whether the screen is wide, and which parts were shown: on a narrow one, a part that nobody has asked for is not
 * rendered.
 */
function useNarrow({ part }: Desk): {
  isWide: boolean;
  hasShown(name: Desk['part']['value']): boolean;
} {
  const isWide = useSignal(!isNarrow());
  const shown = useRef(new Set<string>());
  shown.current.add(part.value);
  useEffect(() => onNarrow(() => (isWide.value = !isNarrow())), []);
  return { isWide: isWide.value, hasShown: (name) => isWide.value || shown.current.has(name) };
}

/** A key that only adds a letter to a text. */
const isLetter = ({ target, key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  target instanceof HTMLTextAreaElement && key.length === 1 && !ctrlKey && !altKey && !metaKey;

/** Before anything else is done, what was typed becomes an edit. A layout effect, like that of the shortcuts. */
function useTypedFirst({ review }: Desk): void {
  useLayoutEffect(() => {
    const names = ['keydown', 'pointerdown', 'click', 'pagehide', 'visibilitychange'];
    const first = (event: Event) => {
      if (!(event instanceof KeyboardEvent && isLetter(event))) review.applyTyped();
    };
    for (const name of names) addEventListener(name, first, true);
    return () => {
      for (const name of names) removeEventListener(name, first, true);
      review.applyTyped();
    };
  }, [review]);
}

/** A layout effect, so that shortcuts work as soon as the captions are visible. */
function useKeys(desk: Desk): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const over = desk.view.peek();
      // Dialogs handle their own keys.
      if ((over !== null && over !== 'shift') || event.defaultPrevented) return;
      const action = actionOf(event);
      // Fields have their own Escape.
      const isField = event.target instanceof HTMLInputElement;
      if (event.code === 'Escape' && !isField) leave(desk);
      if (!action) return;
      event.preventDefault();
      if (action.group === 'play') desk.typingPause.forget();
      action.run(desk);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [desk]);
}

/** What Escape leaves where nothing else takes it: the search, else the selection. */
function leave({ finder, selection }: Desk): void {
  if (finder.open.peek() === 'closed') selection.clear();
  else finder.close();
}

function useTabLock({ lock }: Desk): void {
  useEffect(() => {
    // The review uses the full width of the page.
    document.body.classList.add('reviewing');
    return () => document.body.classList.remove('reviewing');
  }, []);
  useEffect(() => {
    // A hidden page hands over to other tabs; when it is shown again, it rejoins them.
    const hide = () => lock.leave();
    const show = (event: PageTransitionEvent) => {
      if (event.persisted) void lock.join();
    };
    addEventListener('pagehide', hide);
    addEventListener('pageshow', show);
    return () => {
      removeEventListener('pagehide', hide);
      removeEventListener('pageshow', show);
    };
  }, [lock]);
}

/**
 * Opens files dropped on the page, which the browser would otherwise show in place of the review.
 */
function useFiles(desk: Desk): void {
  useEffect(() => {
    const drops = openFiles().then(({ listenForDrops }) => listenForDrops(desk));
    return () => void drops.then((stop) => stop()).catch(() => {});
  }, [desk]);
}

/**
 * If the focused element disappears after a press or a key, the list of captions takes the focus,
 * so that shortcuts keep working and Tab continues from there.
 */
export function useFocusFallback(): void {
  useEffect(() => {
    const watch = () => {
      const held = document.activeElement;
      // If the user is typing, the captions move the focus themselves.
      if (!held || held === document.body || held instanceof HTMLTextAreaElement) return;
      requestAnimationFrame(() =>
        setTimeout(() => {
          if (held.isConnected || document.activeElement !== document.body) return;
          document.querySelector<HTMLElement>('.cue-list')?.focus({ preventScroll: true });
        }),
      );
    };
    addEventListener('click', watch, true);
    addEventListener('keydown', watch, true);
    return () => {
      removeEventListener('click', watch, true);
      removeEventListener('keydown', watch, true);
    };
  }, []);
}

/** The title, with the open items and the save status. */
function DeskTitle({ desk }: { desk: Desk }) {
  const { review, navigation, tab } = desk;
  const { Where, Guest, Work } = desk.saved.value ?? {};
  const { term, doubt, warning } = navigation.left.value;
  const parts = [
    ['terms', term, text.review.leftTerms(term)],
    ['doubts', doubt, text.review.leftDoubts(doubt)],
    ['warnings', warning, text.review.leftWarnings(warning)],
  ] as const;
  const left = parts.filter(([, count]) => count > 0);
  return (
    <div class="desk-title">
      <h1 title={review.name} dir="auto">
        {text.review.title(review.name)}
      </h1>
      <p class="left">
        {left.length === 0
          ? // Without captions there is nothing to have checked.
            review.cues.value.length > 0 && (
              <span class="all-done">
                <Icon name="check" /> {text.review.done}
              </span>
            )
          : left.map(([name, , says]) => (
              <button
                type="button"
                class="plain"
                tabIndex={-1}
                key={name}
                onClick={() => {
                  tab.value = name;
                }}
              >
                {says}
              </button>
            ))}
        {Guest && <Guest desk={desk} />}
        {Work && <Work desk={desk} />}
        {Where && <Where desk={desk} />}
      </p>
    </div>
  );
}

/** The find tools and the download buttons. */
const DeskActions = ({ desk, isWide }: { desk: Desk; isWide: boolean }) => {
  const { review, saved, view, check } = desk;
  const { Finish, Share } = saved.value ?? {};
  return (
    <div class="desk-actions">
      {isWide && <FindTools desk={desk} />}
      {Share && <Share desk={desk} />}
      {Finish && <Finish desk={desk} />}
      <span class="split-button">
        <button
          type="button"
          class="primary"
          title={text.review.download}
          aria-label={text.review.download}
          onClick={() => void download(review, 'srt')}
        >
          <span class="in-full">{text.review.download}</span>
          <span class="in-short">
            <Icon name="download" /> {'srt'.toUpperCase()}
          </span>
        </button>
        <Menu
          label={text.review.downloadAs}
          class="primary"
          items={[
            ...DOWNLOADS.map((format) => ({
              label: text.review.downloadIn(format),
              run: () => void download(review, format, check.picture.peek()),
            })),
            ...(review.words.length > 0 ? KARAOKE : []).map((format) => ({
              label: text.review.karaoke(format.toUpperCase()),
              run: () => void download(review, format, check.picture.peek(), true),
            })),
            { label: text.review.copySrt, run: () => void copySrt(review) },
            ...(desk.recording.isVideo.value
              ? [{ label: text.review.burn, run: () => (view.value = 'burn') }]
              : []),
            ...(mayShare(desk)
              ? [
                  { label: text.review.share, run: () => (view.value = 'share') },
                  { label: text.review.work, run: () => (view.value = 'work') },
                ]
              : []),
          ]}
        >
          <Icon name="down" />
        </Menu>
      </span>
    </div>
  );
};
