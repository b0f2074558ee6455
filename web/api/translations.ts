/** Translations over HTTP: those of a run, and those of captions that were sent. */
import type {
  CaptionsTranslationInput,
  Translation,
  TranslationEdits,
  TranslationInput,
  TranslationList,
} from '../../server/contract/translations.ts';
import { ApiProblem, ask, askJson, NoAnswer } from './request.ts';
import { runPath, tagOf } from './runs.ts';

/** A translation, with the tag of what people have changed in it; empty if nothing. */
export interface TaggedTranslation {
  translation: Translation;
  tag: string;
}

/** The path of the translations of a run; with null, of captions that were sent. */
const pathOf = (runId: string | null, id?: string): string => {
  const base = runId === null ? '/translations' : runPath(runId, '/translations');
  return id === undefined ? base : `${base}/${encodeURIComponent(id)}`;
};

/** The translations of a run, newest first, without their results. */
export const listTranslations = async (key: string, runId: string): Promise<Translation[]> =>
  (await askJson<TranslationList>(pathOf(runId), { key })).translations;

/**
 * Starts a translation.
 * @param attempt the same for every retry of one start
 */
export const startTranslation = (
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
export async function readTranslation(
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
export const endTranslation = async (
  key: string,
  runId: string | null,
  id: string,
): Promise<void> => {
  await ask(pathOf(runId, id), { method: 'DELETE', key });
};

/**
 * Saves what people have changed, over the version with this tag.
 * @throws {ApiProblem} 412 if there is another version
 */
export const writeEdits = async (
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
): Promise<string> => {
  const path =
    runId === null
      ? `${pathOf(null, id)}/captions.${format}`
      : runPath(runId, `/captions.${format}?language=${encodeURIComponent(language)}`);
  return (await ask(path, { key, headers: { accept: '*/*' } })).text();
};

async function tagged(response: Response): Promise<TaggedTranslation> {
  const translation = await response.json().catch((cause: unknown) => {
    throw new NoAnswer('', { cause });
  });
  return { translation, tag: tagOf(response.headers) };
}
