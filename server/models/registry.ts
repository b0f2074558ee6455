/** The models that run beside the service: what each is for, where it comes from, whose it is. */

/** Which files a model has, and so how the engine loads it. */
export type ModelKind = 'nemo_ctc' | 'nemo_transducer' | 'vad';

/** A model that can be fetched. */
export interface Model {
  name: string;
  kind: ModelKind;
  purpose: string;
  /** Primary language subtags it understands; empty where language does not matter. */
  languages: readonly string[];
  /** Bytes to download, roughly: for people, and for progress where the host does not say. */
  bytes: number;
  /** File name at the release host: a .tar.bz2, or the model file itself. */
  download: string;
  /** The files of it that are kept. */
  files: readonly string[];
  /**
   * SHA-256 of each file, where the publisher tells them. These models are published without: then the sums of
   * the first download are kept, and a later one must match them.
   */
  sums?: Readonly<Record<string, string>>;
  licence: string;
  /** Who has to be named, in the words the licence asks for. */
  attribution: string;
}

/** The release host: every model is one file under it. */
export const MODELS_BASE_URL =
  'https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models/';

/** What parakeet-v3 speaks, as its model card lists them. */
const EUROPEAN = 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk'.split(
  ' ',
);

/** Of those that speak a language, `auto` takes the first. */
export const MODELS: readonly Model[] = [
  {
    name: 'parakeet-110m',
    kind: 'nemo_ctc',
    purpose: 'English speech recognition, with case and punctuation',
    languages: ['en'],
    bytes: 126_000_000,
    download: 'sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8.tar.bz2',
    files: ['model.int8.onnx', 'tokens.txt'],
    licence: 'CC-BY-4.0',
    attribution: 'Parakeet TDT-CTC 110M by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
  },
  {
    name: 'parakeet-v3',
    kind: 'nemo_transducer',
    purpose: 'Speech recognition in 25 European languages, with case and punctuation',
    languages: EUROPEAN,
    bytes: 640_000_000,
    download: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2',
    files: ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    licence: 'CC-BY-4.0',
    attribution: 'Parakeet TDT 0.6B v3 by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
  },
  {
    name: 'silero-vad',
    kind: 'vad',
    purpose: 'Voice activity detection, any language',
    languages: [],
    bytes: 2_000_000,
    download: 'silero_vad.onnx',
    files: ['silero_vad.onnx'],
    licence: 'MIT',
    attribution: 'Silero VAD by the Silero Team, MIT',
  },
];

/** How many times the bytes of its download a model may take, on the way and unpacked: weights hardly compress. */
const MOST_GROWTH = 3;

/** The most bytes that a model's download may have, and its unpacked files. */
export const mostBytes = ({ bytes }: Model): number => MOST_GROWTH * bytes;

/** The model of that name, if it is one of ours. */
export const registeredModel = (name: string): Model | null =>
  MODELS.find((model) => model.name === name) ?? null;

/**
 * The recognition model for a language (BCP 47, any case): a name or folder to give to findModel.
 * `speechModel` is the setting SPEECH_MODEL: `auto` takes parakeet-110m for English and parakeet-v3 for
 * the other languages it speaks; one of our names only for a language that model speaks; anything else
 * is the operator's own model, taken for whatever language. Null where nothing fits.
 */
export function modelFor(language: string, speechModel: string): string | null {
  const primary = language.trim().split(/[-_]/)[0]?.toLowerCase() ?? '';
  const speaks = (model: Model): boolean =>
    model.kind !== 'vad' && model.languages.includes(primary);
  if (speechModel === 'auto') return MODELS.find(speaks)?.name ?? null;
  const registered = registeredModel(speechModel);
  return registered && !speaks(registered) ? null : speechModel;
}

/** The models that `auto` chooses among, in words. */
export const AUTO_MODELS = MODELS.filter((model) => model.kind !== 'vad')
  .map((model) => model.name)
  .join(' or ');
