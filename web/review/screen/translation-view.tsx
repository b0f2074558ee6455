/** The captions beside their translation, sentence by sentence; each sentence shows the captions it became. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { endingOf, FORMATS, type FormatId } from '../../../server/captions/files/formats.ts';
import { DropDown } from '../../components/fields.tsx';
import { Icon, IconButton } from '../../components/icon.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Menu } from '../../components/menu.tsx';
import { Notice } from '../../components/notice.tsx';
import { SignInButton } from '../../components/sign-in-button.tsx';
import { session } from '../../tab/session.ts';
import { languageName } from '../../texts/format.ts';
import { translationText as texts } from '../../texts/translation.ts';
import type { Desk } from '../desk/desk.ts';
import { PairRow, type PairRowProps } from '../translation/pair-row.tsx';
import { type Look, secondsLeft } from '../translation/time-left.ts';
import { TranslateDialog } from '../translation/translate-dialog.tsx';
import { createTranslating, type Translating } from '../translation/translating.ts';
import { hasTranslation, type Translation } from '../../../server/contract/translations.ts';
import { translatedFile } from '../translation/translating.ts';
import { saveFile } from '../../components/save-file.ts';
import { orFailure } from '../../tab/failure-text.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { captionsContent, stemOf } from '../save/caption-download.ts';
import type { Review } from '../editing/review.ts';

/** The interval of looks at a translation in progress, in milliseconds. */
const LOOK_MS = 1500;

/** The view, in place of the captions. */
export function TranslationView({ desk }: { desk: Desk }) {
  const translating = useMemo(() => {
    const made = desk.translating.peek() ?? createTranslating(desk.review);
    desk.translating.value = made;
    return made;
  }, [desk]);
  const asks = useSignal(false);
  const erases = useSignal(false);
  const key = session.value?.key;
  useEffect(() => {
    const open = async (): Promise<void> => {
      await translating.look();
      if (translating.list.peek()?.length === 0) asks.value = true;
    };
    if (key !== undefined) void open();
  }, [translating, key]);
  const { shown, list, problem } = translating;
  const now = shown.value?.translation;
  const isGoingOn = now !== undefined && now.finishedAt === null;
  useEffect(() => {
    if (!isGoingOn) return undefined;
    const timer = setInterval(() => void translating.look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isGoingOn, translating]);
  return (
    <section class="translation" aria-label={texts.title}>
      <div class="translation-head">
        <IconButton
          icon="cross"
          class="quiet"
          label={texts.back}
          title={texts.back}
          onClick={() => (desk.translation.value = false)}
        />
        {now && (
          <label class="translation-choice">
            <span class="visually-hidden">{texts.language}</span>
            <DropDown
              value={now.id}
              options={(list.value ?? []).map(({ id, language, state }) => [
                id,
                texts.named(languageName(language), state),
              ])}
              onChoose={(id) => void translating.show(id)}
            />
          </label>
        )}
        {key !== undefined && (
          <button type="button" onClick={() => (asks.value = true)}>
            {texts.another}
          </button>
        )}
        {now && (
          <Downloads desk={desk} translating={translating} erase={() => (erases.value = true)} />
        )}
      </div>
      {problem.value !== '' && (
        <Notice kind="error">
          <p>{problem.value}</p>
        </Notice>
      )}
      {key === undefined ? (
        <div class="translation-note">
          <p>{texts.signIn}</p>
          <SignInButton class="primary" />
        </div>
      ) : now ? (
        <Shown desk={desk} translating={translating} again={() => (asks.value = true)} />
      ) : (
        <p class="translation-note">{list.value ? texts.none : texts.loading}</p>
      )}
      {erases.value && (
        <Dialog
          title={texts.erase}
          close={texts.dialog.cancel}
          onClose={() => (erases.value = false)}
          actions={[{ label: texts.eraseDo, danger: true, run: () => void translating.end() }]}
        >
          <p>{texts.eraseHint}</p>
        </Dialog>
      )}
      {asks.value && key !== undefined && (
        <TranslateDialog
          from={desk.review.language}
          taken={(list.value ?? []).map(({ language }) => language)}
          start={(request) => void translating.start(request)}
          onClose={() => (asks.value = false)}
        />
      )}
    </section>
  );
}

interface DownloadsProps {
  desk: Desk;
  translating: Translating;
  erase(): void;
}

function Downloads({ desk: { review }, translating, erase }: DownloadsProps) {
  const now = translating.shown.value?.translation;
  const done = (translating.list.value ?? []).filter(({ state }) => hasTranslation(state));
  if (!now || done.length === 0) return null;
  const tell = (work: Promise<string>): void =>
    void work.then((said) => (review.message.value = said));
  return (
    <Menu
      label={texts.download}
      items={[
        ...(hasTranslation(now.state)
          ? USUAL.map((format) => ({
              label: texts.downloadAs(format),
              run: () => tell(downloadOne(review, now, format)),
            }))
          : []),
        { label: texts.downloadAll, run: () => tell(downloadAll(review, done)) },
        ...(hasTranslation(now.state) ? [{ label: texts.erase, run: erase }] : []),
      ]}
    >
      <Icon name="download" />
    </Menu>
  );
}

interface ShownProps {
  desk: Desk;
  translating: Translating;
  again(): void;
}

/** The chosen translation: its progress, its failure, or its sentences. */
function Shown({ desk, translating, again }: ShownProps) {
  const { translation } = translating.shown.value!;
  const { state, progress, error, reviewChanged, result, counts } = translation;
  const first = useRef<Look | null>(null);
  if (state === 'queued' || state === 'running') {
    const look = { id: translation.id, at: Date.now(), progress };
    if (first.current?.id !== look.id || state === 'queued') first.current = look;
    const left = secondsLeft(first.current, look);
    return (
      <div class="translation-note" role="status">
        <p>
          {texts.state(state)}: {languageName(translation.language)}, {texts.progress(progress)}
          {left !== null && `, ${texts.left(left)}`}
        </p>
        <progress value={progress} max={1} aria-label={texts.state(state)} />
        <button type="button" onClick={() => void translating.end()}>
          {texts.cancel}
        </button>
      </div>
    );
  }
  if (!result) {
    const why = error ? [error.message, ...error.suggestions.map(({ label }) => `${label}.`)] : [];
    return (
      <div class="translation-note">
        <p>{state === 'failed' ? texts.failed(why.join(' ')) : texts.state(state)}</p>
        <button type="button" class="primary" onClick={again}>
          {texts.again}
        </button>
        <button type="button" onClick={() => void translating.end()}>
          {texts.erase}
        </button>
      </div>
    );
  }
  return (
    <>
      {reviewChanged && (
        <Notice kind="warning">
          <p>{texts.changed}</p>
          <button type="button" onClick={again}>
            {texts.again}
          </button>
        </Notice>
      )}
      {state === 'incomplete' && (
        <Notice kind="warning">
          <p>
            {texts.missing(
              counts?.missing ?? 0,
              result.sentences.length,
              translation.sourceLanguage ? languageName(translation.sourceLanguage) : '',
            )}
          </p>
          <button type="button" onClick={() => void translating.again()}>
            {texts.againMissing(counts?.missing ?? 0)}
          </button>
        </Notice>
      )}
      <Pairs desk={desk} translating={translating} />
    </>
  );
}

/** The sentences in two columns, which follow the playhead. */
function Pairs({ desk, translating }: { desk: Desk; translating: Translating }) {
  const { translation } = translating.shown.value!;
  const { result, counts, language } = translation;
  const frame = useRef<HTMLOListElement>(null);
  const editing = useSignal<number | null>(null);
  const { sentences, cues, doubts, warnings, terms = [] } = result!;
  const parts = useMemo(() => {
    const doubted = Map.groupBy(doubts, ({ sentence }) => sentence);
    const warned = Map.groupBy(warnings, ({ cue }) => cue);
    return sentences.map((pair, at): PairRowProps['row'] => ({
      pair,
      number: at + 1,
      // A caption of two sentences is shown with the first of them.
      cues: cues.slice(
        Math.max(pair.firstCue, (sentences[at - 1]?.lastCue ?? 0) + 1) - 1,
        pair.lastCue,
      ),
      doubts: doubted.get(at + 1) ?? [],
      warnings: Array.from(
        { length: pair.lastCue - pair.firstCue + 1 },
        (_, index) => warned.get(pair.firstCue + index) ?? [],
      ).flat(),
    }));
  }, [result]);
  usePlayhead(desk, sentences, frame, editing);
  useLayoutEffect(() => {
    const { value: number } = translating.returnsTo;
    if (number === null) return;
    frame.current?.children[number - 1]?.scrollIntoView({ block: 'center' });
    translating.returnsTo.value = null;
  }, [translating]);
  const next = (kind: 'doubts' | 'warnings'): void => {
    const at = desk.playback.time.peek();
    const open = parts.filter((row) => row[kind].length > 0);
    const found = open.find(({ pair }) => pair.start > at + 0.01) ?? open[0];
    if (!found) return;
    desk.playback.seek(found.pair.start + 0.001);
    const row = frame.current?.children[found.number - 1];
    row?.scrollIntoView({ block: 'center' });
    row?.querySelector<HTMLElement>('.pair-target button')?.focus({ preventScroll: true });
  };
  const open = counts?.doubts ?? 0;
  return (
    <>
      <p class="translation-counts" role="status">
        <span>{texts.counts(sentences.length, cues.length, counts?.missing)}</span>
        {open > 0 ? (
          <button
            type="button"
            class="plain"
            title={texts.nextDoubt}
            onClick={() => next('doubts')}
          >
            {texts.doubts(open)}
          </button>
        ) : (
          <span class="all-done">
            <Icon name="check" /> {texts.nothingLeft}
          </span>
        )}
        {warnings.length > 0 && (
          <button
            type="button"
            class="plain"
            title={texts.nextWarning}
            onClick={() => next('warnings')}
          >
            {texts.warnings(warnings.length)}
          </button>
        )}
        <Saving translating={translating} />
      </p>
      <div class="pair-names" aria-hidden="true">
        <span>{texts.source}</span>
        <span>{languageName(language)}</span>
      </div>
      <ol class="pairs" aria-label={texts.pairs} ref={frame}>
        {parts.map((row) => (
          <PairRow
            key={row.number}
            row={row}
            terms={terms}
            languages={[translation.sourceLanguage ?? '', language]}
            editing={editing}
            translating={translating}
            playback={desk.playback}
          />
        ))}
      </ol>
    </>
  );
}

const Saving = ({ translating: { saving } }: { translating: Translating }) => (
  <span class={saving.value === 'not-saved' ? 'saving not-saved' : 'saving'}>
    {saving.value === 'saving' ? texts.saving : saving.value === 'saved' ? texts.saved : ''}
  </span>
);

/** Marks the sentence at the playhead, and keeps it in view while the recording plays. */
function usePlayhead(
  { playback }: Desk,
  sentences: readonly { start: number; end: number }[],
  frame: { current: HTMLOListElement | null },
  editing: Signal<number | null>,
): void {
  const at = useSignal(-1);
  useSignalEffect(() => {
    const time = playback.time.value;
    let [low, high] = [0, sentences.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sentences[middle]!.start <= time) low = middle + 1;
      else high = middle;
    }
    at.value = low - 1;
  });
  useLayoutEffect(() => {
    const row = frame.current?.children[at.value];
    row?.setAttribute('aria-current', 'true');
    // Whoever types decides what is in view.
    if (row && playback.playing.peek() && editing.peek() === null) {
      row.scrollIntoView({ block: 'nearest' });
    }
    return () => row?.removeAttribute('aria-current');
  }, [at.value, sentences]);
}

type Named = Pick<Translation, 'id' | 'language' | 'state'>;

/** The part of a file name that says which translation it is, and that it is not whole. */
const suffixOf = ({ language, state }: Named): string =>
  state === 'incomplete' ? `${language}.incomplete` : language;

const runOf = ({ runId }: Review): string | null => (isOwnRun(runId) ? null : runId);

/** Downloads a translation in a format; returns what to tell. */
const downloadOne = (review: Review, of: Named, format: FormatId): Promise<string> =>
  orFailure(async () => {
    const file = await translatedFile(session.peek()?.key ?? '', runOf(review), of, format);
    const name = `${stemOf(review.name)}.${suffixOf(of)}.${endingOf(format)}`;
    saveFile(file, name, FORMATS[format].type);
    return texts.downloaded(name);
  });

/** The formats that are offered: those that hold any language, without a frame rate to choose. */
const USUAL: readonly FormatId[] = ['srt', 'vtt', 'ass', 'ttml', 'txt', 'json'];

/** Downloads the captions and all translations in the usual formats; returns what to tell. */
const downloadAll = (review: Review, all: readonly Named[]): Promise<string> =>
  orFailure(async () => {
    const key = session.peek()?.key ?? '';
    const [{ strToU8, zipSync }, stem] = [await import('fflate'), stemOf(review.name)];
    const files: Record<string, Uint8Array> = {};
    for (const format of USUAL) {
      const content = await captionsContent(review, format);
      files[`${stem}.${endingOf(format)}`] =
        typeof content === 'string' ? strToU8(content) : content;
      // One after the other: the service writes each file.
      for (const translation of all) {
        const name = `${stem}.${suffixOf(translation)}.${endingOf(format)}`;
        files[name] = await translatedFile(key, runOf(review), translation, format);
      }
    }
    const name = `${stem}.zip`;
    saveFile(zipSync(files), name, 'application/zip');
    return texts.downloaded(name);
  });
