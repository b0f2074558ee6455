/** The workflow request: its schema, and the form with defaults that the program uses. Contract 2.3. */
import {
  closed,
  enumeration,
  Type,
  validator,
  type ValidationIssue,
  type Static,
} from './schema.ts';
import { CaptionSettings } from './captions.ts';
import * as limits from './limits.ts';
import { trimmedTerms } from './glossary.ts';
import { boundedTerms, isTermSized } from './terms.ts';
import { TermPackId } from './terminology.ts';
import { OPTION, TERM } from './limits.ts';
import { DEFAULT_CAPTION_SETTINGS } from './caption-defaults.ts';

/**
 * The names that the contract (2.3) gives `transcription.provider`; `edge` is this host, or a service its
 * operator has configured instead. A server may have more (providers.ts).
 */
const SPEECH_PROVIDERS = ['edge', 'deepgram', 'assemblyai'] as const;
/** The contract's names for `audit.provider`; `none` leaves the transcript unchanged. */
const AUDIT_PROVIDERS = ['edge', 'openai', 'groq', 'none'] as const;
/** `audit.mode`: presets of provider and model, which the payload can override. Contract 2.3. */
const AUDIT_MODES = ['publishable', 'fast', 'experimental'] as const;

/** One of these names, typed as a string because a server may add to them. */
const named = (names: readonly string[], options: Record<string, unknown>) =>
  enumeration<string[]>(names, options);

/** One term. `fittedTerms` counts its words, because no schema can do so in linear time. */
const term = () => Type.String({ maxLength: TERM.maxChars });

/** A list of terms. */
const termList = () => Type.Array(term(), { maxItems: TERM.maxTerms });

/** One term, or a list of them. */
const termOrTerms = (description: string) => Type.Union([term(), termList()], { description });

/** The limits of a term in words. */
const TERM_BOUNDS = `a term has at most ${TERM.maxChars} characters and ${TERM.maxWords} words`;

/** The request as sent; unknown fields are refused at every level. Contract 2.3. */
export const CaptionerPayload = closed({
  audio: closed({
    key: Type.String({
      pattern: '\\.mp3$',
      maxLength: limits.UPLOAD.maxKeyBytes,
      description: `key of an uploaded MP3, the {key} of PUT /audio/{key}, at most ${limits.UPLOAD.maxKeyBytes} bytes`,
    }),
    filename: Type.Optional(Type.String({ maxLength: limits.MAX_CHARS.fileName })),
    mediaType: Type.Optional(Type.Literal('audio/mpeg')),
  }),
  topic: Type.Optional(Type.String({ maxLength: limits.MAX_CHARS.topic })),
  glossary: Type.Optional(
    Type.Union([Type.String({ maxLength: limits.TERM.maxGlossaryChars }), termList()], {
      description: `terms of the recording; in one string, commas, semicolons or line breaks separate them; ${TERM_BOUNDS}, others are left out`,
    }),
  ),
  language: Type.Optional(
    Type.String({
      default: 'en',
      description: 'BCP 47',
      maxLength: limits.MAX_CHARS.language,
    }),
  ),
  transcription: Type.Optional(
    closed({
      provider: Type.Optional(named(SPEECH_PROVIDERS, { default: 'edge' })),
      model: Type.Optional(Type.String({ maxLength: limits.MAX_CHARS.model })),
      keyterms: Type.Optional(termOrTerms('terms for the recogniser')),
      includeRawResponse: Type.Optional(Type.Boolean({ default: false })),
      chunkBytes: Type.Optional(Type.Integer(OPTION.chunkBytes)),
    }),
  ),
  terminology: Type.Optional(
    closed({
      packs: Type.Optional(Type.Union([TermPackId, Type.Array(TermPackId)])),
      include: Type.Optional(termOrTerms('further terms for recogniser and audit')),
      exclude: Type.Optional(termOrTerms('terms to leave out')),
      maxKeyterms: Type.Optional(Type.Integer(OPTION.maxKeyterms)),
    }),
  ),
  storage: Type.Optional(
    closed({ retainSourceAudio: Type.Optional(Type.Boolean({ default: false })) }),
  ),
  audit: Type.Optional(
    closed({
      mode: Type.Optional(enumeration(AUDIT_MODES, { default: 'publishable' })),
      provider: Type.Optional(named(AUDIT_PROVIDERS, { default: 'openai' })),
      enabled: Type.Optional(Type.Boolean({ default: true })),
      model: Type.Optional(Type.String({ maxLength: limits.MAX_CHARS.model })),
      minConfidence: Type.Optional(Type.Number(OPTION.minConfidence)),
    }),
  ),
  captions: Type.Optional(
    closed({
      maxLineChars: Type.Optional(Type.Integer(limits.OPTION.maxLineChars)),
      maxLines: Type.Optional(Type.Integer(limits.OPTION.maxLines)),
      maxDuration: Type.Optional(Type.Number(limits.OPTION.maxDuration)),
      minDuration: Type.Optional(Type.Number(limits.OPTION.minDuration)),
    }),
  ),
});
export type CaptionerPayload = Static<typeof CaptionerPayload>;

/** The short parts of a payload, which say what a run is about; its terms may be a megabyte. */
export type PayloadBrief = Pick<CaptionerPayload, 'audio' | 'language' | 'captions'>;

/** The short parts of a payload. */
export const briefOf = ({ audio, language, captions }: CaptionerPayload): PayloadBrief => ({
  audio,
  ...(language !== undefined && { language }),
  ...(captions && { captions }),
});

/**
 * Lists the errors in a payload: those of the schema or, if there are none, a key of too many bytes, which a schema cannot
 * express. Empty for a valid payload.
 * @param schema the schema of the payload; default: that of the contract
 * @example
 * payloadIssues({ audio: { key: 'talk.mp3' } }); // => []
 * payloadIssues({ audio: { key: 'talk.mp3' }, speed: 2 });
 * // => [{ path: 'speed', message: 'is not a known field' }]
 */
export function payloadIssues(value: unknown, schema = CaptionerPayload): ValidationIssue[] {
  const payloads = validator(schema);
  if (!payloads.check(value)) return payloads.issues(value);
  const keyBytes = new TextEncoder().encode(value.audio.key).byteLength;
  if (keyBytes <= limits.UPLOAD.maxKeyBytes) return [];
  return [
    { path: 'audio.key', message: `must not have more than ${limits.UPLOAD.maxKeyBytes} bytes` },
  ];
}

/**
 * The error in a valid payload that names packs which are not installed, in a list; empty if it names none.
 * @param installed the ids of the installed packs
 * @example
 * const audio = { key: 'talk.mp3' };
 * unknownPacks({ audio, terminology: { packs: 'x' } }, ['protocols/mcp']);
 * // => [{ path: 'terminology.packs', message: 'must be one of protocols/mcp' }]
 */
export function unknownPacks(
  { terminology: { packs = [] } = {} }: CaptionerPayload,
  installed: readonly string[],
): ValidationIssue[] {
  if ([packs].flat().every((id) => installed.includes(id))) return [];
  return [{ path: 'terminology.packs', message: `must be one of ${installed.join(', ')}` }];
}

/** A payload with its defaults filled in and its lists normalised to arrays. */
export interface CaptionerRequest {
  audio: { key: string; filename?: string };
  topic: string;
  glossary: string[];
  language: string;
  transcription: {
    provider: string;
    model?: string;
    keyterms: string[];
    includeRawResponse: boolean;
    chunkBytes: number;
  };
  terminology: { packs: string[]; include: string[]; exclude: string[]; maxKeyterms: number };
  storage: { retainSourceAudio: boolean };
  /** `provider` stays absent if the payload names none; the server then chooses one that works. */
  audit: {
    mode: (typeof AUDIT_MODES)[number];
    provider?: string;
    enabled: boolean;
    model?: string;
    minConfidence: number;
  };
  captions: CaptionSettings;
  /** What was changed about the request, as sentences for people; absent if nothing was. */
  notes?: string[];
}

/** Terms of a payload, and what was changed about them. */
interface FittedTerms {
  terms: string[];
  /** A sentence for people; absent if nothing was changed. */
  note?: string;
}

/**
 * Fits terms into the limits. Those that are too long are left out, because no recogniser looks for them. A single text
 * that is too long but has no separators is a list of words separated by spaces.
 * @param field the path of the terms in the payload
 */
function fittedTerms(field: string, given: readonly string[]): FittedTerms {
  const [only = ''] = given;
  if (given.length === 1 && only.length <= TERM.maxGlossaryChars && !isTermSized(only)) {
    const words = only.split(/[\s,;]+/);
    const names = words.filter((word) => /[\p{Lu}\p{N}]/u.test(word));
    if (names.length * 2 > words.length) {
      const note = `${field}: the text has no commas or line breaks, so each of its names is a term.`;
      return { terms: boundedTerms(names), note };
    }
  }
  const terms = boundedTerms(given);
  const lost = given.length - terms.length;
  if (lost === 0) return { terms };
  const note = `${field}: ${lost} ${lost === 1 ? 'term was' : 'terms were'} left out; ${TERM_BOUNDS}${given.length > TERM.maxTerms ? `, a list at most ${TERM.maxTerms} terms` : ''}.`;
  return { terms, note };
}

/**
 * Fills in the defaults of the contract in a valid payload.
 * @example
 * resolvePayload({ audio: { key: 'talk.mp3' }, glossary: 'AuthKit, SCIM' }).glossary;
 * // => ['AuthKit', 'SCIM']
 */
export function resolvePayload(payload: CaptionerPayload): CaptionerRequest {
  const { audio, transcription = {}, terminology = {}, audit = {} } = payload;
  const notes: string[] = [];
  const fitted = (field: string, given: readonly string[]): string[] => {
    const { terms, note } = fittedTerms(field, given);
    if (note !== undefined) notes.push(note);
    return terms;
  };
  const request: CaptionerRequest = {
    audio: { key: audio.key, ...(audio.filename ? { filename: audio.filename } : {}) },
    topic: payload.topic?.trim() ?? '',
    glossary: fitted('glossary', trimmedTerms(payload.glossary ?? [])),
    language: payload.language?.trim() || 'en',
    transcription: {
      provider: transcription.provider ?? 'edge',
      ...(transcription.model ? { model: transcription.model } : {}),
      keyterms: fitted('transcription.keyterms', list(transcription.keyterms)),
      includeRawResponse: transcription.includeRawResponse ?? false,
      chunkBytes: transcription.chunkBytes ?? OPTION.chunkBytes.default,
    },
    terminology: {
      packs: [...new Set(list(terminology.packs))],
      include: fitted('terminology.include', list(terminology.include)),
      exclude: fitted('terminology.exclude', list(terminology.exclude)),
      maxKeyterms: terminology.maxKeyterms ?? OPTION.maxKeyterms.default,
    },
    storage: { retainSourceAudio: payload.storage?.retainSourceAudio ?? false },
    audit: {
      mode: audit.mode ?? 'publishable',
      ...(audit.provider ? { provider: audit.provider } : {}),
      enabled: audit.enabled ?? true,
      ...(audit.model ? { model: audit.model } : {}),
      minConfidence: audit.minConfidence ?? OPTION.minConfidence.default,
    },
    captions: { ...DEFAULT_CAPTION_SETTINGS, ...payload.captions },
  };
  return notes.length > 0 ? { ...request, notes } : request;
}

const list = (value: string | readonly string[] | undefined): string[] =>
  (typeof value === 'string' ? [value] : (value ?? []))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
