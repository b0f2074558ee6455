/** The translations of a review's captions: starts them, follows them, and saves what people change. */
import type { Static } from '../../../server/contract/schema.ts';
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type {
  SimilarSentences,
  Translation,
  TranslationEdits,
  TranslationInput,
  CaptionsTranslationInput,
  TranslationList,
} from '../../../server/contract/translations.ts';
import { toVtt } from '../../../server/captions/files/vtt.ts';
import { ApiProblem, NoAnswer, ask, askJson } from '../../api/request.ts';
import { session, signOut } from '../../tab/session.ts';
import { isOwnRun } from '../../storage/runs.ts';
import { storedText, storeText } from '../../storage/web-storage.ts';
import { problemText } from '../../texts/problems.ts';
import { translationText as texts } from '../../texts/translation.ts';
import { tidyCues } from '../model/cue.ts';
import type { Review } from '../editing/review.ts';
import { runPath, tagOf } from '../../api/runs.ts';

/** A track of captions for players. */
interface Track {
  language: string;
  /** Captions as WebVTT. */
  vtt: string;
}

/** A change that could not be saved. */
interface Unsaved {
  /** The number of the sentence. */
  sentence: number;
  text: string;
  why: string;
}

export interface Translating {
  /** The latest translation into each language, newest first; null until they are known. */
  list: ReadonlySignal<readonly Translation[] | null>;
  /** The one that is shown, with its result once it is completed. */
  shown: ReadonlySignal<TaggedTranslation | null>;
  /** The track of each language that was shown. */
  tracks: ReadonlySignal<readonly Track[]>;
  saving: ReadonlySignal<'saved' | 'saving' | 'not-saved'>;
  unsaved: ReadonlySignal<Unsaved | null>;
  /** What the service refuses; empty if nothing. */
  problem: ReadonlySignal<string>;
  /** Looks at what the service has. */
  look(): Promise<void>;
  /** Shows a translation. */
  show(id: string): Promise<void>;
  start(request: TranslationInput): Promise<void>;
  /** Translates what is missing in the shown translation, as it was asked for. */
  again(): Promise<void>;
  /** Translates one sentence of the shown translation anew, by this engine, and keeps the others. */
  anew(sentence: number, provider: string): Promise<void>;
  /** The sentence that was translated anew, to be shown where it stands; null if none. */
  returnsTo: Signal<number | null>;
  /** What was translated before and is like a sentence of the shown translation; empty if nothing is known. */
  similar(source: string): Promise<SimilarSentences['matches']>;
  /** Cancels the shown translation, or deletes it. */
  end(): Promise<void>;
  /** Changes a sentence; null for the text as the model had it. */
  edit(sentence: number, change: { text?: string | null; confirmed?: boolean }): Promise<boolean>;
  /** Forgets a change that could not be saved. */
  forget(): void;
}

/** The name in the browser's storage of the translations of captions that no run has made. */
const keptName = (runId: string): string => `captioner.translations.${runId}`;

const isOver = ({ finishedAt }: Translation): boolean => finishedAt !== null;

/** Creates them for a review. */
export function createTranslating(review: Review): Translating {
  const runId = isOwnRun(review.runId) ? null : review.runId;
  const list = signal<readonly Translation[] | null>(null);
  const shown = signal<TaggedTranslation | null>(null);
  const known = signal<readonly Track[]>([]);
  const saving = signal<'saved' | 'saving' | 'not-saved'>('saved');
  const unsaved = signal<Unsaved | null>(null);
  const problem = signal('');
  const returnsTo = signal<number | null>(null);

  /** Asks the service with the user's key; null if it refuses or does not answer. */
  const asking = async <T>(work: (key: string) => Promise<T>): Promise<T | null> => {
    const key = session.peek()?.key;
    if (key === undefined) return null;
    try {
      const done = await work(key);
      problem.value = '';
      return done;
    } catch (error) {
      if (!(error instanceof ApiProblem || error instanceof NoAnswer)) throw error;
      if (error instanceof ApiProblem && error.status === 401) signOut();
      problem.value = error instanceof NoAnswer ? texts.noAnswer : problemText(error);
      return null;
    }
  };
  const keptIds = (): string[] => {
    const kept: unknown = JSON.parse(storedText('localStorage', keptName(review.runId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  };
  const keepIds = (ids: readonly string[]): void =>
    storeText('localStorage', keptName(review.runId), JSON.stringify(ids));
  const all = async (key: string): Promise<Translation[]> => {
    if (runId !== null) return listTranslations(key, runId);
    const found = await Promise.all(keptIds().map((id) => readTranslation(key, null, id)));
    return found.flatMap((one) => one?.translation ?? []);
  };
  const show = async (id: string): Promise<void> => {
    const found = await asking((key) => readTranslation(key, runId, id));
    if (found) take(found);
  };
  const take = (found: TaggedTranslation): void =>
    batch(() => {
      const { translation } = found;
      shown.value = found;
      list.value = (list.peek() ?? []).map((one) =>
        one.id === translation.id ? translation : one,
      );
      if (!translation.result) return;
      const { language } = translation;
      const track = { language, vtt: toVtt(translation.result.cues) };
      known.value = [...known.peek().filter((one) => one.language !== language), track];
    });
  const look = async (): Promise<void> => {
    const found = await asking(all);
    if (!found) return;
    const languages = new Set<string>();
    const latest = found.filter(({ language, state }) => {
      const isNews = state !== 'cancelled' && !languages.has(language.toLowerCase());
      if (isNews) languages.add(language.toLowerCase());
      return isNews;
    });
    const now = shown.peek()?.translation;
    const own = latest.find(({ id }) => id === now?.id);
    batch(() => {
      list.value = latest;
      if (now && !own) shown.value = null;
      else if (own && shown.peek() && !isOver(own)) shown.value = { translation: own, tag: '' };
    });
    if (own && isOver(own) && now && !isOver(now)) await show(own.id);
    else if (!shown.peek() && latest[0]) await show(latest[0].id);
  };
  const captionsNow = () =>
    tidyCues(review.cues.peek()).map(({ start, end, lines, speakers }) => ({
      start,
      end,
      lines: [...lines],
      ...(speakers && speakers.length > 0 ? { speaker: speakers.join('\n') } : {}),
    }));

  /** What was changed so far, with one change more. */
  const editsWith = (
    { sentences }: NonNullable<Translation['result']>,
    at: number,
    { text, confirmed }: { text?: string | null; confirmed?: boolean },
  ): TranslationEdits => ({
    sentences: sentences.flatMap((one, index) => {
      const isIt = index + 1 === at;
      const now = isIt && text !== undefined ? text : one.edited === undefined ? null : one.text;
      const settled = isIt ? (confirmed ?? false) : (one.confirmed ?? false);
      if (now === null && !settled) return [];
      return [
        {
          sentence: index + 1,
          ...(now === null ? {} : { text: now }),
          ...(settled && { confirmed: true }),
        },
      ];
    }),
  });

  const edit: Translating['edit'] = async (sentence, change) => {
    const key = session.peek()?.key;
    const before = shown.peek();
    const result = before?.translation.result;
    if (!before || !result || key === undefined) return false;
    const { id } = before.translation;
    const was = result.sentences[sentence - 1]?.text;
    const text = change.text ?? was ?? '';
    saving.value = 'saving';
    try {
      take(await writeEdits(key, runId, id, editsWith(result, sentence, change), before.tag));
    } catch (error) {
      if (!(error instanceof ApiProblem || error instanceof NoAnswer)) throw error;
      saving.value = 'not-saved';
      if (error instanceof ApiProblem && error.status === 401) signOut();
      const isStale = error instanceof ApiProblem && (error.status === 412 || error.status === 428);
      if (isStale) {
        await show(id);
        const now = shown.peek()?.translation.result?.sentences[sentence - 1]?.text;
        // Colleagues have changed other sentences.
        if (now === was) return edit(sentence, change);
        unsaved.value = { sentence, text, why: texts.stale(now ?? '') };
      } else {
        const why = error instanceof NoAnswer ? texts.noAnswer : problemText(error);
        unsaved.value = { sentence, text, why: texts.notSaved(why) };
      }
      return false;
    }
    batch(() => {
      saving.value = 'saved';
      unsaved.value = null;
    });
    return true;
  };

  const start: Translating['start'] = async (request) => {
    const attempt = crypto.randomUUID();
    const started = await asking((key) =>
      startTranslation(
        key,
        runId,
        runId === null
          ? { ...request, sourceLanguage: review.language, cues: captionsNow() }
          : request,
        attempt,
      ),
    );
    if (!started) return;
    if (runId === null) keepIds([started.id, ...keptIds()]);
    shown.value = { translation: started, tag: '' };
    await look();
  };

  /** The shown translation as it was asked for. */
  const asBefore = ({ language, profile, formality }: Translation) => ({
    language,
    profile,
    ...(formality && { formality: formality as 'formal' | 'informal' }),
  });

  return {
    list,
    shown,
    saving,
    unsaved,
    problem,
    tracks: computed(() => {
      if (known.value.length === 0) return [];
      // Not with every keystroke: the picture shows the captions of now by itself.
      const original = { language: review.language, vtt: toVtt(tidyCues(review.cues.peek())) };
      return [original, ...known.value];
    }),
    look,
    show,
    start,
    async again() {
      const now = shown.peek()?.translation;
      if (!now) return;
      const { provider, model } = now;
      await start({ ...asBefore(now), ...(provider && model && { provider, model }) });
    },
    returnsTo,
    async anew(sentence, provider) {
      const now = shown.peek()?.translation;
      if (!now) return;
      returnsTo.value = sentence;
      await start({ ...asBefore(now), provider, anew: { of: now.id, sentences: [sentence] } });
    },
    async similar(source) {
      const now = shown.peek()?.translation;
      const key = session.peek()?.key;
      if (!now || key === undefined) return [];
      const { language, sourceLanguage } = now;
      const body = { source, language, ...(sourceLanguage && { sourceLanguage }) };
      // An offer is no more than that: whoever types goes on without it.
      const found = await askJson<SimilarSentences>('/translations/memory/similar', {
        method: 'POST',
        key,
        body,
      }).catch(() => null);
      return found?.matches ?? [];
    },
    async end() {
      const now = shown.peek()?.translation;
      if (!now) return;
      await asking((key) => endTranslation(key, runId, now.id));
      if (runId === null) keepIds(keptIds().filter((id) => id !== now.id));
      if (isOver(now)) {
        batch(() => {
          shown.value = null;
          known.value = known.peek().filter(({ language }) => language !== now.language);
        });
      }
      await look();
    },
    edit,
    forget() {
      batch(() => {
        unsaved.value = null;
        saving.value = 'saved';
      });
    },
  };
}

/** A translation, with the tag of what people have changed in it; empty if nothing. */
interface TaggedTranslation {
  translation: Translation;
  tag: string;
}

/** The path of the translations of a run; with null, of captions that were sent. */
const pathOf = (runId: string | null, id?: string): string => {
  const base = runId === null ? '/translations' : runPath(runId, '/translations');
  return id === undefined ? base : `${base}/${encodeURIComponent(id)}`;
};

/** The translations of a run, newest first, without their results. */
const listTranslations = async (key: string, runId: string): Promise<Translation[]> =>
  (await askJson<Static<typeof TranslationList>>(pathOf(runId), { key })).translations;

/**
 * Starts a translation.
 * @param attempt the same for every retry of one start
 */
const startTranslation = (
  key: string,
  runId: string | null,
  request: TranslationInput | CaptionsTranslationInput,
  attempt: string,
): Promise<Translation> =>
  askJson(pathOf(runId), {
    method: 'POST',
    key,
    body: request,
    headers: { 'idempotency-key': attempt },
  });

/** A translation with its result; null if there is none. */
async function readTranslation(
  key: string,
  runId: string | null,
  id: string,
): Promise<TaggedTranslation | null> {
  try {
    return await tagged(await ask(pathOf(runId, id), { key }));
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return null;
    throw error;
  }
}

/** Cancels a translation in progress, or erases one that has ended. */
const endTranslation = async (key: string, runId: string | null, id: string): Promise<void> => {
  await ask(pathOf(runId, id), { method: 'DELETE', key });
};

/**
 * Saves what people have changed, over the version with this tag.
 * @throws {ApiProblem} 412 if there is another version
 */
const writeEdits = async (
  key: string,
  runId: string | null,
  id: string,
  edits: TranslationEdits,
  tag: string,
): Promise<TaggedTranslation> =>
  tagged(
    await ask(`${pathOf(runId, id)}/edits`, {
      method: 'PUT',
      key,
      body: edits,
      headers: tag === '' ? { 'if-none-match': '*' } : { 'if-match': tag },
    }),
  );

/** The captions of a translation as a file. */
export const translatedFile = async (
  key: string,
  runId: string | null,
  { id, language }: Pick<Translation, 'id' | 'language'>,
  format: string,
): Promise<Uint8Array> => {
  const path =
    runId === null
      ? `${pathOf(null, id)}/captions.${format}`
      : runPath(runId, `/captions.${format}?language=${encodeURIComponent(language)}`);
  const response = await ask(path, { key, headers: { accept: '*/*' } });
  return new Uint8Array(await response.arrayBuffer());
};

async function tagged(response: Response): Promise<TaggedTranslation> {
  const translation = await response.json().catch((cause: unknown) => {
    throw new NoAnswer('', { cause });
  });
  return { translation, tag: tagOf(response.headers) };
}
