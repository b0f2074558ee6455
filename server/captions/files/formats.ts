/**
 * The table of caption formats. REST, MCP, the shell, the app, the documents and the OpenAPI description read it. The
 * code that reads and writes a format is loaded when it is first needed, which keeps the app's first screen small.
 */
import type { Caption } from '../cue.ts';
import type { CaptionFileOptions, ReadCue, Reading } from './portable-captions.ts';

/** Writes captions as the content of a file: a text, or bytes if the format is none. */
type Write = (cues: readonly Caption[], options?: CaptionFileOptions) => string | Uint8Array;
/**
 * Reads the captions of a file.
 * @param document its text; of a file that is no text, its bytes, a character each
 * @throws {SyntaxError} for a damaged one
 */
type Read = (document: string, reading?: Reading) => ReadCue[];

/** The code of a format. */
export interface Code {
  read?: Read;
  write: Write;
}

/** What a caption has besides its text and its times. */
export const PARTS_OF_CAPTIONS = [
  'italics',
  'colours',
  'speakers',
  'places',
  'rows',
  'columns',
  'ruby',
  'dots',
  'words',
] as const;
export type PartOfCaptions = (typeof PARTS_OF_CAPTIONS)[number];

/** A format, under its id, which is also the ending of its files unless it has another one. */
export interface CaptionFormat {
  /** Its name in a sentence. */
  name: string;
  /** The media type; the text is UTF-8. */
  type: string;
  /** The ending of its files, which may have two parts. */
  ending?: string;
  /** Other endings of files in this format. */
  endings?: readonly string[];
  /** Matches the start of a file in this format, without white space. The first match in the table counts. */
  begins?: RegExp;
  /** What it keeps of captions besides their text and their times. */
  keeps: readonly PartOfCaptions[];
  /** Whether it counts times in frames. */
  inFrames?: true;
  /** Whether a file is no text. */
  isBinary?: true;
  /** Whether a file in no other format is in this one, if a person says so. */
  isUntold?: true;
  /** Whether a file names its language, or its lines depend on it. */
  namesLanguage?: true;
  code(): Promise<Code>;
}

/** All formats by id, in the order in which they are listed. */
export const FORMATS = {
  srt: {
    name: 'SRT',
    type: 'application/x-subrip',
    // Any text may come before the first caption.
    begins:
      /^[[ \t\u200e-\u202e]{0,20}[-−]?\d[\d:.,：，; \t\u00a0]{0,30}(?:[-=]{2,9} ?>|->|[–—]>)[ \t\u00a0]{0,20}(?:[-−]?\d[\d.,，; ]{0,9}[:：] ?\d|$)/m,
    keeps: ['italics', 'colours', 'places'],
    namesLanguage: true,
    code: () => import('./srt.ts').then(({ readSrt, toSrt }) => ({ read: readSrt, write: toSrt })),
  },
  vtt: {
    name: 'WebVTT',
    type: 'text/vtt',
    begins: /^WEBVTT(?:[ \t\n\r]|$)/,
    keeps: ['italics', 'colours', 'speakers', 'places', 'rows', 'columns', 'ruby', 'words'],
    namesLanguage: true,
    code: () => import('./vtt.ts').then(({ readVtt, toVtt }) => ({ read: readVtt, write: toVtt })),
  },
  ass: {
    name: 'ASS',
    type: 'text/x-ssa',
    endings: ['ssa'],
    begins: /^\[(?:Script Info|V4\+? Styles|Events)\]/i,
    keeps: ['italics', 'colours', 'speakers', 'places', 'words'],
    namesLanguage: true,
    code: () => import('./ass.ts').then(({ readAss, toAss }) => ({ read: readAss, write: toAss })),
  },
  ttml: {
    name: 'TTML',
    type: 'application/ttml+xml',
    endings: ['dfxp', 'xml'],
    begins: /^<(?:\?xml|!--|(?:\w+:)?tt[\s>])/i,
    keeps: ['italics', 'colours', 'speakers', 'places', 'rows', 'columns', 'ruby', 'dots', 'words'],
    namesLanguage: true,
    code: () =>
      import('./ttml.ts').then(({ readTtml, toTtml }) => ({ read: readTtml, write: toTtml })),
  },
  txt: {
    name: 'plain text',
    type: 'text/plain',
    keeps: ['speakers'],
    isUntold: true,
    code: () =>
      Promise.all([import('./text-captions.ts'), import('./plain-text.ts')]).then(
        ([{ readTextCaptions }, { toPlainText }]) => ({
          read: readTextCaptions,
          write: toPlainText,
        }),
      ),
  },
  json: {
    name: 'JSON',
    type: 'application/json',
    begins: /^[[{]\s*["[{]/,
    keeps: ['italics'],
    code: () =>
      import('./json.ts').then(({ captionsAsJson, readJson }) => ({
        read: readJson,
        write: (cues) => JSON.stringify(captionsAsJson(cues)),
      })),
  },
  stl: {
    name: 'EBU-STL',
    type: 'application/x-ebu-stl',
    // A byte of its head may be missing, or twice there.
    begins: /^[\d ]{2,4}[STL]{2,4}\d/,
    keeps: ['italics', 'places', 'rows'],
    inFrames: true,
    isBinary: true,
    namesLanguage: true,
    code: () => import('./stl.ts').then(({ readStl, toStl }) => ({ read: readStl, write: toStl })),
  },
  'stl-teletext': {
    name: 'EBU-STL for teletext',
    type: 'application/x-ebu-stl',
    ending: 'teletext.stl',
    keeps: ['colours', 'places', 'rows'],
    inFrames: true,
    isBinary: true,
    namesLanguage: true,
    code: () => import('./stl.ts').then(({ toTeletextStl }) => ({ write: toTeletextStl })),
  },
  scc: {
    name: 'SCC',
    type: 'text/x-scc',
    begins:
      /^Scenarist_SCC V\d|^(?:[^\n]{0,40}\n\s{0,9}){0,3}\d\d:\d\d:\d\d[:;]\d\d\s(?:[\da-f]{4} ){2}/i,
    keeps: ['italics', 'colours', 'places', 'rows'],
    inFrames: true,
    code: () => import('./scc.ts').then(({ readScc, toScc }) => ({ read: readScc, write: toScc })),
  },
  'ebu-tt-d': {
    name: 'EBU-TT-D',
    type: 'application/ttml+xml',
    ending: 'ebu-tt-d.xml',
    keeps: ['italics', 'colours', 'places', 'rows'],
    namesLanguage: true,
    code: () => import('./ebu-tt-d.ts').then(({ toEbuTtD }) => ({ write: toEbuTtD })),
  },
  itt: {
    name: 'iTunes Timed Text',
    type: 'application/ttml+xml',
    keeps: ['italics', 'colours', 'places'],
    inFrames: true,
    namesLanguage: true,
    code: () => import('./itt.ts').then(({ toItt }) => ({ write: toItt })),
  },
  fcpxml: {
    name: 'FCPXML',
    type: 'application/xml',
    begins: /^(?:<[?!][^>]{0,500}>\s{0,99}){0,9}<fcpxml[\s>]/,
    keeps: ['italics', 'colours', 'places'],
    inFrames: true,
    namesLanguage: true,
    code: () =>
      import('./fcpxml.ts').then(({ readFcpxml, toFcpxml }) => ({
        read: readFcpxml,
        write: toFcpxml,
      })),
  },
  avid: {
    name: 'Avid DS',
    type: 'text/plain',
    ending: 'avid.txt',
    begins: /^(?:@ This file written with|<begin subtitles>)/,
    keeps: [],
    inFrames: true,
    code: () =>
      import('./avid.ts').then(({ readAvid, toAvid }) => ({ read: readAvid, write: toAvid })),
  },
  sbv: {
    name: 'SBV',
    type: 'text/x-sbv',
    // SubViewer has a head in brackets.
    begins:
      /^(?:\[[^\n]{0,200}\n\s{0,9}){0,30}\d{1,6}:\d\d:\d\d[.,]\d{1,3}\s{0,9},\s{0,9}\d{1,6}:\d\d:\d\d[.,]\d/,
    keeps: [],
    code: () => import('./sbv.ts').then(({ readSbv, toSbv }) => ({ read: readSbv, write: toSbv })),
  },
  sub: {
    name: 'MicroDVD',
    type: 'text/x-microdvd',
    // The first lines may be damaged, or none.
    begins: /^(?:[^\n]{0,200}\n\s{0,9}){0,3}\{\d{1,9}\}\{\d{0,9}\}/,
    keeps: ['italics', 'colours'],
    inFrames: true,
    code: () =>
      import('./micro-dvd.ts').then(({ readMicroDvd, toMicroDvd }) => ({
        read: readMicroDvd,
        write: toMicroDvd,
      })),
  },
  smi: {
    name: 'SAMI',
    type: 'application/x-sami',
    endings: ['sami'],
    begins: /^<SAMI/i,
    keeps: ['italics', 'colours'],
    namesLanguage: true,
    code: () =>
      import('./sami.ts').then(({ readSami, toSami }) => ({ read: readSami, write: toSami })),
  },
  podcast: {
    name: 'podcast transcript',
    type: 'application/json',
    ending: 'podcast.json',
    keeps: ['speakers'],
    code: () => import('./podcast.ts').then(({ toPodcast }) => ({ write: toPodcast })),
  },
} as const satisfies Record<string, CaptionFormat>;

export type FormatId = keyof typeof FORMATS;

/** The ids of all formats. */
export const FORMAT_IDS = Object.keys(FORMATS) as FormatId[];

/** The formats with their ids. */
export const TABLE: readonly (readonly [FormatId, CaptionFormat])[] = FORMAT_IDS.map((id) => [
  id,
  FORMATS[id],
]);

/** The ids of the formats whose files are texts. */
export const TEXT_FORMAT_IDS: readonly FormatId[] = TABLE.flatMap(([id, { isBinary }]) =>
  isBinary ? [] : [id],
);

/**
 * The ending of a format's files, without a dot.
 * @example
 * endingOf('stl-teletext'); // => 'teletext.stl'
 */
export const endingOf = (id: FormatId): string => {
  const { ending }: CaptionFormat = FORMATS[id];
  return ending ?? id;
};

/** The endings of files that may hold captions, without a dot. */
export const CAPTION_ENDINGS: readonly string[] = [
  ...new Set(
    TABLE.flatMap(([id, { begins, endings = [] }]) => (begins ? [endingOf(id), ...endings] : [])),
  ),
];
