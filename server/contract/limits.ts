/** All limits and defaults of the contract (sections 2.3, 2.5, 7 and 8). */

/** An upload of a recording, and a link to one. */
export const UPLOAD = {
  /** The largest MP3 of an upload, in bytes (100 MiB). */
  maxBytes: 104_857_600,
  /** The same limit in words. */
  maxSize: '100 MiB',
  /**
   * The slowest accepted upload: at least UPLOAD.minBytes in each UPLOAD.minSeconds that the service waits for
   * data. That is 64 kbit/s, with occasional pauses of up to half a minute.
   */
  minBytes: 240_000,
  /** The period of UPLOAD.minBytes in seconds, and the longest wait for the first bytes. */
  minSeconds: 30,
  /** That rate in words. */
  minRate: '64 kbit/s',
  /** Longest key of an audio object, in UTF-8 bytes. */
  maxKeyBytes: 1024,
  /** The validity of an upload link, in minutes. */
  linkMinutes: 15,
  /** Largest MP3 sent inside a tool call, in bytes (8 MiB). */
  maxInlineBytes: 8_388_608,
  /** The same limit in words. */
  maxInlineSize: '8 MiB',
} as const;

/** What a workspace may send, write and receive. */
export const TRAFFIC = {
  /** The most JSON that a workspace may send in one burst, in bytes (32 MiB). Uploads of recordings do not count. */
  burstBytes: 33_554_432,
  /** The most JSON that a workspace may send in the long run, in bytes per second (4 MiB). */
  bytesPerSecond: 4_194_304,
  /** The same limits in words. */
  rate: '32 MiB at once, then 4 MiB per second',
  /**
   * The most that the requests of a workspace may write to the database in a minute, in bytes (64 MiB): reviews, terms,
   * payloads. Recordings do not count.
   */
  writtenBytesPerMinute: 67_108_864,
  /** The same limit in words. */
  writtenRate: '64 MiB a minute',
  /** The longest time for which an export is written, in hours. */
  exportHours: 2,
} as const;

/** Resumable uploads. */
export const RESUMABLE = {
  /** A resumable upload can continue for so many hours; at most as long as recordings are kept. */
  hours: 24,
  /** The most unfinished resumable uploads of one workspace. */
  maxUploads: 50,
  /** The most parts of a resumable upload; every request creates at least one. */
  maxParts: 2000,
  /** Longest Upload-Metadata header, in characters. */
  maxMetadataChars: 4096,
} as const;

/** The options of a payload that are numbers. */
export const OPTION = {
  /** The approximate bytes of MP3 that one transcription request or step covers. */
  chunkBytes: { minimum: 262_144, maximum: 5_242_880, default: 1_048_576 },
  /** The most key terms sent to a recogniser. */
  maxKeyterms: { minimum: 1, maximum: 100, default: 100 },
  /** The lowest confidence at which an audit's edit is applied. */
  minConfidence: { minimum: 0, maximum: 1, default: 0.85 },
  /** Characters (graphemes) in a caption line. */
  maxLineChars: { minimum: 24, maximum: 60, default: 42 },
  /** Lines in a cue. */
  maxLines: { minimum: 1, maximum: 3, default: 2 },
  /** Longest cue, in seconds. */
  maxDuration: { minimum: 2, maximum: 10, default: 6 },
  /** Shortest cue, in seconds. */
  minDuration: { minimum: 0.2, maximum: 2, default: 0.8 },
} as const;

/** Terms: those of a payload, those of a workspace, and texts to find them in. */
export const TERM = {
  /** Longest term of a payload, in characters (code points): glossary, key terms, include and exclude. */
  maxChars: 200,
  /** Most words of a term; spaces, hyphens, dashes, slashes and underscores separate words. */
  maxWords: 20,
  /** Most terms of one list. */
  maxTerms: 1000,
  /** The longest glossary in one string, in characters. */
  maxGlossaryChars: 32_768,
  /** Largest body of a workspace's terms, and their largest document with the learned rules, in bytes (1 MiB). */
  maxBytes: 1_048_576,
  /** How many values such a body may have: as many as there is room for. */
  most: { values: 200_000, lists: 20_000 },
  /** The same for terms as YAML (128 KiB), which takes longer to read. */
  maxYamlBytes: 131_072,
  /** The most mishears, aliases and near words of one workspace term, for each kind. */
  maxForms: 50,
  /** Longest note of a term, in characters. */
  maxNoteChars: 500,
  /** The longest text to search for names and terms, in characters. */
  maxPastedChars: 200_000,
} as const;

/** A file with names: a programme, a list of speakers, slides or an address book. */
export const HANDOUT = {
  /** The largest file, and the largest form with several, in bytes (24 MiB). */
  maxBytes: 25_165_824,
  /** The same limit in words. */
  maxSize: '24 MiB',
  /** The most files in a form. */
  maxFiles: 20,
  /** The largest page, address book or calendar, in bytes (8 MiB). */
  maxTextBytes: 8_388_608,
  /** The most text that a zipped file may unpack to, in bytes (32 MiB). */
  maxUnzippedBytes: 33_554_432,
  /** The most parts of a zipped file. */
  maxEntries: 20_000,
  /** The most pages of a PDF. */
  maxPages: 500,
  /** The deepest nesting of elements. */
  maxDepth: 1000,
  /** The most characters and lines. */
  maxChars: 1_000_000,
  maxLines: 100_000,
} as const;

/** The longest texts of other kinds, in characters. */
export const MAX_CHARS = {
  /** Longest topic, in characters. */
  topic: 2000,
  /** Longest file name, in characters. */
  fileName: 1024,
  /** The longest language tag, in characters; RFC 5646 requires room for 35. */
  language: 100,
  /** Longest name of a model, in characters. */
  model: 200,
  /**
   * Longest `Accept`, `Accept-Encoding` or `If-None-Match` header, in characters; longer ones are
   * ignored.
   */
  negotiatedHeader: 1024,
  /** Longest name of a run, in characters. */
  runName: 200,
  /** Longest Idempotency-Key, in characters. */
  idempotencyKey: 255,
} as const;

/** Runs and their results. */
export const RUN = {
  /** The number of runs on a page of a list. */
  page: { minimum: 1, maximum: 100, default: 20 },
  /** The largest `raw` of a result, in bytes of JSON (16 MiB); the rest is cut off. */
  maxRawBytes: 16_777_216,
  /** The deepest nesting of arrays and objects in `raw`; deeper values are left out. */
  maxRawDepth: 64,
  /** The largest output of one step of a run, in bytes of JSON (128 MiB); PostgreSQL stores texts of up to 256 MiB. */
  maxStepBytes: 134_217_728,
  /**
   * The number of computations of one run that may crash or hang their worker; the last one fails the run as `internal`.
   */
  maxAttempts: 3,
} as const;

/** Registrations, their codes and claim tokens. */
export const REGISTRATION = {
  /** Validity of a claim token and its code, in minutes. */
  claimMinutes: 10,
  /** The time for which an unclaimed registration is remembered, in hours. */
  keptHours: 24,
  /** The number of codes that can be tried on a registration; the last wrong one ends it. */
  maxCodes: 5,
  /** The registrations an hour for one address from one network (an IPv4 /24 or an IPv6 /48). */
  perAddress: 5,
  /** The registrations an hour for one address from anywhere, which limits the emails to its mailbox. */
  perAddressInAll: 20,
  /** The registrations an hour from one client (an IPv4 address or an IPv6 /64). The default of REGISTRATIONS_PER_IP. */
  perClient: 30,
  /** The limit for a network (an IPv4 /24 or an IPv6 /48), as a multiple of REGISTRATION.perClient. */
  clientsPerNetwork: 4,
  /** The registrations an hour for all addresses together. */
  inAll: 1200,
  /** The share of REGISTRATION.inAll that one domain can use. */
  domainShare: 1 / 4,
} as const;

/** Wrong codes. */
export const GUESSES = {
  /**
   * The number of wrong codes after which a second code is required: entering the right code then emails a second one,
   * and only that one claims the key. A guess hits a six-digit code with a probability of 1e-6. On the team's domain, any
   * invented address would lead into the team's workspace, so for it:
   *
   * - in any GUESSES.perDomainHours at most GUESSES.perDomain guess can succeed with one code. That is 8e-7 a day, and
   * never two within 24 hours. A single try at six digits is already 1e-6, so only fewer than one a day stay below that;
   * - after that, a guesser has to hit two codes within the REGISTRATION.maxCodes tries of one registration: 1.3e-11 a registration
   * (`codes.ts`), or 9.4e-8 a day at REGISTRATION.domainShare of REGISTRATION.inAll, which is 7,200 a day;
   * - together that is 8.9e-7 a day. With TEAM_EMAIL_ALLOW, an address that is not on the list has no code at all, so no
   * guess at an invented address can succeed.
   */
  perDomain: 1,
  /** The period in which these wrong codes are counted, in hours. */
  perDomainHours: 30,
  /** The same limit for one address of any domain: on average 1.4e-6 a day for an address under attack. */
  perAddress: 10,
  /** The period in which those are counted, in days. */
  countDays: 7,
  /** The same limit for all addresses together, a day. */
  inAll: 200,
  /**
   * The wrong codes an hour that a network may send for each registration that one client is allowed; then it has to
   * wait.
   */
  perClientRegistration: 2,
  /** The fewest tries that are left when a second code is emailed. */
  triesOfSecondCode: 2,
} as const;

/** The response of a speech service. */
export const SPEECH = {
  /** The longest word that a speech service may return, in characters; a longer one is invalid. */
  maxWordChars: 1000,
  /** The latest time within a recording that a speech service may return, in seconds (100 hours). */
  maxSeconds: 360_000,
  /** The most words in one response of a speech service; 100 MiB at 8 kbit/s hold half as many. */
  maxWords: 1_000_000,
} as const;

/** Reviews. */
export const REVIEW = {
  /** Largest body of a review, in bytes (16 MiB). */
  maxBytes: 16_777_216,
  /**
   * How many values the body of a review, or of captions to translate, may have: as many as the most captions with the
   * most lines and all their fields, and the most decisions. A caption and its lines are two lists or objects, a decision
   * is one.
   */
  most: { values: 1_700_000, lists: 200_000 },
  /** The most captions in a review; a recording of 100 MiB has about a tenth as many. */
  maxCues: 50_000,
  /** Most lines of a reviewed caption. */
  maxLines: 20,
  /** Longest line of a reviewed caption, in characters. */
  maxLineChars: 2000,
  /** The most corrections decided in a review. */
  maxCorrections: 50_000,
  /** Most speakers named in a review. */
  maxSpeakers: 500,
  /** Longest id or name of a speaker, in characters. */
  maxSpeakerChars: 200,
  /** The latest time that a caption can show, in seconds; the format ends at 99:59:59,999. */
  lastSecond: 359_999.999,
} as const;

/** The versions of reviews, one for each session of work, and who works on them. */
export const REVIEW_VERSIONS = {
  /** The most versions of one review, with the current one; the oldest without a name goes. */
  most: 40,
  /** The most of them that have names. */
  mostNamed: 20,
  /** The size of the earlier versions of one review together, in bytes (32 MiB). */
  maxBytes: 33_554_432,
  /** The longest pause within a session, in seconds. */
  pauseSeconds: 1800,
  /** Longest name of a version, in characters. */
  maxNameChars: 120,
  /** Longest name or address of a person, in characters. */
  maxPersonChars: 254,
} as const;

/** The voices that a workspace remembers. */
export const VOICES = {
  /** The most people. */
  maxPeople: 500,
  /** The most named voices, the latest, that those of a run are compared with. */
  maxCompared: 2000,
  /** The most people whose a voice is known not to be. */
  maxRefused: 20,
} as const;

/** What stays with a run for its review: its sound, and a small video. */
export const RUN_MEDIA = {
  /** The largest small video of a run, in bytes (256 MiB): three hours at 180 kbit/s. */
  maxVideoBytes: 268_435_456,
  /** The same limit in words. */
  maxVideoSize: '256 MiB',
  /** The hours for which an address that plays one is valid. */
  playHours: 6,
} as const;

/** A search in the captions of a workspace. */
export const SEARCH = {
  /** Longest question, in characters. */
  maxChars: 200,
  /** Captions on a page. */
  page: { minimum: 1, maximum: 100, default: 20 },
  /** The most passages with the words that are looked at for a page of runs of a time; the next page goes on there. */
  mostPassages: 5000,
} as const;

/** Addresses that programs use instead of a key. */
export const ADDRESS = {
  maxInWorkspace: 100,
  maxNameChars: 120,
} as const;

/** The people of a workspace. */
export const MEMBERS = {
  /** The most of them in a list, and the most keys. */
  page: 200,
  keys: 500,
} as const;

/** Invitations to a workspace. */
export const INVITATION = {
  /** The days for which one is valid. */
  days: 7,
  /** The most that are open in a workspace. */
  maxInWorkspace: 200,
  /** The most that a workspace sends in a day. */
  perDay: 200,
  /** The wrong codes that a client may send in an hour. */
  wrongPerClient: 30,
  maxCodeChars: 64,
} as const;

/** The days for which a workspace may keep its runs. */
export const RETENTION = { minimum: 1, maximum: 3650 } as const;

/** The record of what was done in a workspace. */
export const WORKSPACE_AUDIT = {
  page: 100,
  /** The newest entries that are kept, and for how many days. */
  kept: 20_000,
  days: 400,
} as const;

/** Links to reviews, and comments on them. */
export const LINK = {
  /** The days for which a link to a review is valid. */
  days: { minimum: 1, maximum: 90, default: 7 },
  /** The most valid links to the review of one run. */
  maxLinks: 20,
  /** The most valid links of a workspace. */
  maxInWorkspace: 1000,
  /** The tokens of invalid links that a client may send in an hour; then it has to wait. Valid ones always work. */
  wrongPerClient: 60,
  /** The most comments on the review of one run. */
  maxComments: 1000,
  /** Longest comment, in characters. */
  maxCommentChars: 2000,
  /** Longest name of somebody who comments, in characters. */
  maxNameChars: 80,
  /** Longest name of a link, in characters. */
  maxLinkNameChars: 120,
} as const;

/** Measurements of the accuracy of captions. */
export const MEASUREMENT = {
  /** The most measurements of one run. */
  most: 20,
  /** The accuracy that is asked for if nobody names one: that of the DCMP's Captioning Key. */
  goal: 0.99,
  maxSeedChars: 64,
  maxNameChars: 80,
  /** The longest text of a passage, in characters. */
  maxTextChars: 400,
  /** Seconds that are played before and after a passage. */
  margin: 1,
  /** Names of a talk that are told apart. */
  maxNames: 500,
} as const;

/** The speakers of a recording. */
export const SPEAKERS = {
  /** The most that can be told in advance. */
  mostTold: 20,
} as const;
