/** The addresses from which a model can be downloaded, in the order in which they are tried. */
import { type Model, releaseOf } from './registry.ts';

/** An address of a model: of its archive, or of each of its files. */
export interface ModelSource {
  /** The archive, or the folder of the files, as shown to people. */
  url: string;
  /** What to download: the archive alone, or the files by name. */
  files: { url: string; file: string }[];
  isArchive: boolean;
}

/** Hosts that have, for each archive of the release host, a repository of its single files with the same name. */
const MODEL_MIRRORS: readonly string[] = [
  'https://huggingface.co/csukuangfj/',
  'https://hf-mirror.com/csukuangfj/',
];

const ARCHIVE = '.tar.bz2';
const folder = (address: string): string => (address.endsWith('/') ? address : `${address}/`);

/**
 * The sources of a model: the release host, then the mirrors if they have a repository of the model.
 * @param baseUrl the operator's own host, which is then the only one, since the service may not be allowed to reach
 *   others
 * @example
 * sourcesOf(
 *   { download: 'm.tar.bz2', files: ['a.onnx'] },
 *   'http://models.example',
 * ).map(({ url }) => url);
 * // => ['http://models.example/m.tar.bz2']
 */
export function sourcesOf(
  model: Pick<Model, 'download' | 'files' | 'release' | 'repository'>,
  baseUrl: string | null,
  mirrors: readonly string[] = baseUrl === null ? MODEL_MIRRORS : [],
): ModelSource[] {
  const { download, files } = model;
  const url = new URL(download, folder(baseUrl ?? releaseOf(model))).href;
  const isArchive = download.endsWith(ARCHIVE);
  const own = { url, files: [{ url, file: download }], isArchive };
  const repository =
    model.repository ?? (isArchive ? download.slice(0, -ARCHIVE.length) : undefined);
  if (repository === undefined) return [own];
  return [
    own,
    ...mirrors.map((mirror): ModelSource => {
      const place = `${folder(mirror)}${repository}/resolve/main/`;
      return {
        url: place,
        files: files.map((file) => ({ url: `${place}${file}`, file })),
        isArchive: false,
      };
    }),
  ];
}
