/** Every bound and default of the contract (sections 2.3, 2.5, 7 and 8), named once. */

/** Largest MP3 an upload may have, in bytes (100 MiB). */
export const MAX_UPLOAD_BYTES = 104_857_600;
/** The same, in words. */
export const MAX_UPLOAD_SIZE = '100 MiB';
/**
 * An upload sends at least LEAST_UPLOAD_BYTES in each LEAST_UPLOAD_SECONDS that the service waits for it:
 * 64 kbit/s, with a pause of up to half a minute now and then.
 */
export const LEAST_UPLOAD_BYTES = 240_000;
/** Seconds, as above: also how long the first bytes may take. */
export const LEAST_UPLOAD_SECONDS = 30;
/** The same rate, in words. */
export const LEAST_UPLOAD_RATE = '64 kbit/s';
/** Longest key of an audio object, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 1024;

/** How long an upload link holds, in minutes. */
export const UPLOAD_LINK_MINUTES = 15;
/** Largest MP3 that may come inside a tool call, in bytes (8 MiB). */
export const MAX_INLINE_BYTES = 8_388_608;
/** The same, in words. */
export const MAX_INLINE_SIZE = '8 MiB';

/** About how many bytes of MP3 one transcription request or step covers. */
export const CHUNK_BYTES = { minimum: 262_144, maximum: 5_242_880, default: 1_048_576 } as const;
/** Most key terms injected into a transcription. */
export const MAX_KEYTERMS = { minimum: 1, maximum: 100, default: 100 } as const;
/** Least confidence at which an audit's edit is applied. */
export const MIN_CONFIDENCE = { minimum: 0, maximum: 1, default: 0.85 } as const;
/** Characters (graphemes) in a caption line. */
export const MAX_LINE_CHARS = { minimum: 24, maximum: 60, default: 42 } as const;
/** Lines in a cue. */
export const MAX_LINES = { minimum: 1, maximum: 3, default: 2 } as const;
/** Longest cue, in seconds. */
export const MAX_DURATION = { minimum: 2, maximum: 10, default: 6 } as const;
/** Shortest cue, in seconds. */
export const MIN_DURATION = { minimum: 0.2, maximum: 2, default: 0.8 } as const;

/** Longest term of a payload, in characters (code points): glossary, key terms, include and exclude. */
export const MAX_TERM_CHARS = 200;
/** Most words of a term; what spaces, hyphens, dashes, slashes and underscores part counts as a word each. */
export const MAX_TERM_WORDS = 20;
/** Most terms of one list. */
export const MAX_TERMS = 1000;
/** Longest glossary given as one string, in characters. */
export const MAX_GLOSSARY_CHARS = 32_768;
/** Longest topic, in characters. */
export const MAX_TOPIC_CHARS = 2000;
/** Longest file name, in characters. */
export const MAX_FILENAME_CHARS = 1024;
/** Longest language tag, in characters. RFC 5646 asks for room for 35. */
export const MAX_LANGUAGE_CHARS = 100;
/** Longest name of a model, in characters. */
export const MAX_MODEL_CHARS = 200;

/** Longest header that is negotiated, in characters; a longer one counts as absent. */
export const MAX_NEGOTIATED_HEADER = 1024;

/** Runs on a page of a list. */
export const RUNS_PAGE = { minimum: 1, maximum: 100, default: 20 } as const;
/** Longest Idempotency-Key, in characters. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** Largest `raw` of a result, in bytes of JSON (16 MiB); of a longer one the beginning is kept. */
export const MAX_RAW_BYTES = 16_777_216;
/** Arrays and objects within each other in `raw`; what is deeper is left out. */
export const MAX_RAW_DEPTH = 64;
/** Largest output of one step of a run, in bytes of JSON (128 MiB); PostgreSQL keeps texts of up to 256 MiB. */
export const MAX_STEP_BYTES = 134_217_728;

/** Computations of a run that may end with their worker; after the last the run fails as `internal`. */
export const MAX_ATTEMPTS = 3;

/** How long a claim token and its code hold, in minutes. */
export const CLAIM_MINUTES = 10;
/** How long a registration that was not claimed is remembered, in hours. */
export const REGISTRATION_KEPT_HOURS = 24;
/** Codes that may be tried on a registration; the last wrong one ends it. */
export const MAX_CODES = 5;
/** Registrations an hour for one address. */
export const REGISTRATIONS_PER_ADDRESS = 5;

/** Longest word a speech service may return, in characters: more is no word. */
export const MAX_WORD_CHARACTERS = 1000;
/** Latest moment of a recording a speech service may speak of, in seconds (100 hours). */
export const MAX_RECORDING_SECONDS = 360_000;
/** Most words of one answer of a speech service: 100 MiB at 8 kbit/s hold half as many. */
export const MAX_TRANSCRIPT_WORDS = 1_000_000;
