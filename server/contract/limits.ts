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

/** Registrations an hour for one address from one network (an IPv4 /24, an IPv6 /48). */
export const REGISTRATIONS_PER_ADDRESS = 5;
/** Registrations an hour for one address from anywhere: its mailbox gets no more mails than that. */
export const REGISTRATIONS_PER_ADDRESS_IN_ALL = 20;
/** Registrations an hour from one client: an IPv4 address, or an IPv6 /64. The default of REGISTRATIONS_PER_IP. */
export const REGISTRATIONS_PER_CLIENT = 30;
/** A network (an IPv4 /24, an IPv6 /48) may register as often as so many clients. */
export const CLIENTS_PER_NETWORK = 4;
/** Registrations an hour for all addresses together. The default of REGISTRATIONS_PER_HOUR. */
export const REGISTRATIONS_IN_ALL = 1200;
/** The share of these that the addresses of one domain may take. */
export const DOMAIN_SHARE = 1 / 4;

/**
 * Wrong codes after which one code is no longer enough: the right one is answered by mailing a second
 * one, and that one claims the key. A guess hits a six-digit code with a probability of 1e-6, so for
 * the team's domain, where any invented address would lead into the team's workspace:
 *
 * - in any seven days at most GUESSES_PER_DOMAIN guesses can hit with one code: 5e-6 a week, 7.1e-7 a
 *   day on average, and 5e-6 on the one day of a week on which somebody makes all five;
 * - after that a guesser has to hit two codes within the MAX_CODES tries of one registration: 1.3e-11 a
 *   registration (`guesses.ts`), 9.4e-8 a day at DOMAIN_SHARE of REGISTRATIONS_IN_ALL, 7,200 a day;
 * - together 8.1e-7 a day on average. With TEAM_EMAIL_ALLOW an address that is not on the list has no
 *   code at all: no guess at an invented address can succeed.
 */
export const GUESSES_PER_DOMAIN = 5;
/** The same for one address, whatever its domain: 1.4e-6 a day on average for an address under attack. */
export const GUESSES_PER_ADDRESS = 10;
/** For how long both count, in days. */
export const GUESSES_COUNT_DAYS = 7;
/** The same for all addresses together, in a day. */
export const GUESSES_IN_ALL = 200;
/** A network may send so many wrong codes an hour for each registration that one client may begin; then it waits. */
export const WRONG_CODES_PER_CLIENT_REGISTRATION = 2;
/** Tries that are left, at least, when a second code is mailed. */
export const TRIES_OF_SECOND_CODE = 2;

/** Longest word a speech service may return, in characters: more is no word. */
export const MAX_WORD_CHARACTERS = 1000;
/** Latest moment of a recording a speech service may speak of, in seconds (100 hours). */
export const MAX_RECORDING_SECONDS = 360_000;
/** Most words of one answer of a speech service: 100 MiB at 8 kbit/s hold half as many. */
export const MAX_TRANSCRIPT_WORDS = 1_000_000;
