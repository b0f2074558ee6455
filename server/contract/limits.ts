/** All limits and defaults of the contract (sections 2.3, 2.5, 7 and 8). */

/** The largest MP3 of an upload, in bytes (100 MiB). */
export const MAX_UPLOAD_BYTES = 104_857_600;
/** The same limit in words. */
export const MAX_UPLOAD_SIZE = '100 MiB';
/**
 * The slowest accepted upload: at least MIN_UPLOAD_BYTES in each MIN_UPLOAD_SECONDS that the service waits for
 * data. That is 64 kbit/s, with occasional pauses of up to half a minute.
 */
export const MIN_UPLOAD_BYTES = 240_000;
/** The period of MIN_UPLOAD_BYTES in seconds, and the longest wait for the first bytes. */
export const MIN_UPLOAD_SECONDS = 30;
/** That rate in words. */
export const MIN_UPLOAD_RATE = '64 kbit/s';
/** The longest time for which an export is written, in hours. */
export const EXPORT_HOURS = 2;
/** Longest key of an audio object, in UTF-8 bytes. */
export const MAX_KEY_BYTES = 1024;

/** The time within which a resumable upload can continue, in hours; at most as long as recordings are kept. */
export const RESUMABLE_HOURS = 24;
/** The most unfinished resumable uploads of one workspace. */
export const MAX_RESUMABLE_UPLOADS = 50;
/** The most parts of a resumable upload; every request creates at least one. */
export const MAX_UPLOAD_PARTS = 2000;
/** Longest Upload-Metadata header, in characters. */
export const MAX_UPLOAD_METADATA = 4096;

/** The validity of an upload link, in minutes. */
export const UPLOAD_LINK_MINUTES = 15;
/** Largest MP3 sent inside a tool call, in bytes (8 MiB). */
export const MAX_INLINE_BYTES = 8_388_608;
/** The same limit in words. */
export const MAX_INLINE_SIZE = '8 MiB';

/** The most JSON that a workspace may send in one burst, in bytes (32 MiB). Uploads of recordings do not count. */
export const MESSAGE_BURST_BYTES = 33_554_432;
/** The most JSON that a workspace may send in the long run, in bytes per second (4 MiB). */
export const MESSAGE_BYTES_PER_SECOND = 4_194_304;
/** The same limits in words. */
export const MESSAGE_RATE = '32 MiB at once, then 4 MiB per second';

/**
 * The most that the requests of a workspace may write to the database in a minute, in bytes (64 MiB): reviews, terms,
 * payloads. Recordings do not count.
 */
export const WRITE_BYTES_PER_MINUTE = 67_108_864;
/** The same limit in words. */
export const WRITE_RATE = '64 MiB a minute';

/** The approximate bytes of MP3 that one transcription request or step covers. */
export const CHUNK_BYTES = { minimum: 262_144, maximum: 5_242_880, default: 1_048_576 } as const;
/** The most key terms sent to a recogniser. */
export const MAX_KEYTERMS = { minimum: 1, maximum: 100, default: 100 } as const;
/** The lowest confidence at which an audit's edit is applied. */
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
/** Most words of a term; spaces, hyphens, dashes, slashes and underscores separate words. */
export const MAX_TERM_WORDS = 20;
/** Most terms of one list. */
export const MAX_TERMS = 1000;
/** The longest glossary in one string, in characters. */
export const MAX_GLOSSARY_CHARS = 32_768;
/** Longest topic, in characters. */
export const MAX_TOPIC_CHARS = 2000;
/** Longest file name, in characters. */
export const MAX_FILENAME_CHARS = 1024;
/** The longest language tag, in characters; RFC 5646 requires room for 35. */
export const MAX_LANGUAGE_CHARS = 100;
/** Longest name of a model, in characters. */
export const MAX_MODEL_CHARS = 200;

/**
 * Longest `Accept`, `Accept-Encoding` or `If-None-Match` header, in characters; longer ones are
 * ignored.
 */
export const MAX_NEGOTIATED_HEADER = 1024;

/** The number of runs on a page of a list. */
export const RUNS_PAGE = { minimum: 1, maximum: 100, default: 20 } as const;
/** Longest name of a run, in characters. */
export const MAX_RUN_NAME = 200;

/** Longest Idempotency-Key, in characters. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** The largest `raw` of a result, in bytes of JSON (16 MiB); the rest is cut off. */
export const MAX_RAW_BYTES = 16_777_216;
/** The deepest nesting of arrays and objects in `raw`; deeper values are left out. */
export const MAX_RAW_DEPTH = 64;
/** The largest output of one step of a run, in bytes of JSON (128 MiB); PostgreSQL stores texts of up to 256 MiB. */
export const MAX_STEP_BYTES = 134_217_728;

/**
 * The number of computations of one run that may crash or hang their worker; the last one fails the run as `internal`.
 */
export const MAX_ATTEMPTS = 3;

/** Validity of a claim token and its code, in minutes. */
export const CLAIM_MINUTES = 10;
/** The time for which an unclaimed registration is remembered, in hours. */
export const REGISTRATION_KEPT_HOURS = 24;
/** The number of codes that can be tried on a registration; the last wrong one ends it. */
export const MAX_CODES = 5;

/** The registrations an hour for one address from one network (an IPv4 /24 or an IPv6 /48). */
export const REGISTRATIONS_PER_ADDRESS = 5;
/** The registrations an hour for one address from anywhere, which limits the emails to its mailbox. */
export const REGISTRATIONS_PER_ADDRESS_IN_ALL = 20;
/** The registrations an hour from one client (an IPv4 address or an IPv6 /64). The default of REGISTRATIONS_PER_IP. */
export const REGISTRATIONS_PER_CLIENT = 30;
/** The limit for a network (an IPv4 /24 or an IPv6 /48), as a multiple of REGISTRATIONS_PER_CLIENT. */
export const CLIENTS_PER_NETWORK = 4;
/** The registrations an hour for all addresses together. The default of REGISTRATIONS_PER_HOUR. */
export const REGISTRATIONS_IN_ALL = 1200;
/** The share of REGISTRATIONS_IN_ALL that one domain can use. */
export const DOMAIN_SHARE = 1 / 4;

/**
 * The number of wrong codes after which a second code is required: entering the right code then emails a second one,
 * and only that one claims the key. A guess hits a six-digit code with a probability of 1e-6. On the team's domain, any
 * invented address would lead into the team's workspace, so for it:
 *
 * - in any GUESSES_PER_DOMAIN_HOURS at most GUESSES_PER_DOMAIN guess can succeed with one code. That is 8e-7 a day, and
 * never two within 24 hours. A single try at six digits is already 1e-6, so only fewer than one a day stay below that;
 * - after that, a guesser has to hit two codes within the MAX_CODES tries of one registration: 1.3e-11 a registration
 * (`guesses.ts`), or 9.4e-8 a day at DOMAIN_SHARE of REGISTRATIONS_IN_ALL, which is 7,200 a day;
 * - together that is 8.9e-7 a day. With TEAM_EMAIL_ALLOW, an address that is not on the list has no code at all, so no
 * guess at an invented address can succeed.
 */
export const GUESSES_PER_DOMAIN = 1;
/** The period in which these wrong codes are counted, in hours. */
export const GUESSES_PER_DOMAIN_HOURS = 30;
/** The same limit for one address of any domain: on average 1.4e-6 a day for an address under attack. */
export const GUESSES_PER_ADDRESS = 10;
/** The period in which those are counted, in days. */
export const GUESSES_COUNT_DAYS = 7;
/** The same limit for all addresses together, a day. */
export const GUESSES_IN_ALL = 200;
/**
 * The wrong codes an hour that a network may send for each registration that one client is allowed; then it has to
 * wait.
 */
export const WRONG_CODES_PER_CLIENT_REGISTRATION = 2;
/** The fewest tries that are left when a second code is emailed. */
export const TRIES_OF_SECOND_CODE = 2;

/** The longest word that a speech service may return, in characters; a longer one is invalid. */
export const MAX_WORD_CHARACTERS = 1000;
/** The latest time within a recording that a speech service may return, in seconds (100 hours). */
export const MAX_RECORDING_SECONDS = 360_000;
/** The most words in one response of a speech service; 100 MiB at 8 kbit/s hold half as many. */
export const MAX_TRANSCRIPT_WORDS = 1_000_000;

/** Largest body of a review, in bytes (16 MiB). */
export const MAX_REVIEW_BYTES = 16_777_216;
/** The most captions in a review; a recording of 100 MiB has about a tenth as many. */
export const MAX_REVIEW_CUES = 50_000;
/** Most lines of a reviewed caption. */
export const MAX_REVIEW_LINES = 20;
/** Longest line of a reviewed caption, in characters. */
export const MAX_REVIEW_LINE_CHARS = 2000;
/** The most corrections decided in a review. */
export const MAX_REVIEW_CORRECTIONS = 50_000;
/** Most speakers named in a review. */
export const MAX_SPEAKERS = 500;
/** Longest id or name of a speaker, in characters. */
export const MAX_SPEAKER_CHARS = 200;
/** The latest time that a caption can show, in seconds; the format ends at 99:59:59,999. */
export const LAST_CAPTION_SECOND = 359_999.999;

/** Largest body of a workspace's terms, and their largest document with the learned rules, in bytes (1 MiB). */
export const MAX_TERMS_BYTES = 1_048_576;
/** The same for terms as YAML (128 KiB), which takes longer to read. */
export const MAX_YAML_BYTES = 131_072;
/** The most mishears, aliases and near words of one workspace term, for each kind. */
export const MAX_TERM_FORMS = 50;
/** Longest note of a term, in characters. */
export const MAX_NOTE_CHARS = 500;
/** The longest text to search for names and terms, in characters. */
export const MAX_PASTED_CHARS = 200_000;

/** The days for which a link to a review is valid. */
export const LINK_DAYS = { minimum: 1, maximum: 90, default: 7 } as const;
/** The most valid links to the review of one run. */
export const MAX_LINKS = 20;
/** The most valid links of a workspace. */
export const MAX_WORKSPACE_LINKS = 1000;
/** The tokens of invalid links that a client may send in an hour; then it has to wait. Valid ones always work. */
export const WRONG_LINKS_PER_CLIENT = 60;
/** The most comments on the review of one run. */
export const MAX_COMMENTS = 1000;
/** Longest comment, in characters. */
export const MAX_COMMENT_CHARS = 2000;
/** Longest name of somebody who comments, in characters. */
export const MAX_COMMENT_NAME = 80;
