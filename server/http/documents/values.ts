/**
 * The values of the placeholders in content/, taken from the constants that the code uses, so that no document can
 * contradict the code.
 */
import type { Bounds, Lifetimes, Operator } from '../../config.ts';
import { FORMAT_IDS, FORMATS } from '../../captions/files/formats.ts';
import { PROFILE_NAMES } from '../../captions/rules/profiles/profiles.ts';
import { SPEED_LIMIT } from '../../captions/width.ts';
import { FAST_SPEED } from '../../captions/divide/timing.ts';
import { MAX_UPLOAD_HOURS, MP3_RECOMMENDATION, SPEECH_MP3 } from '../../contract/audio.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../contract/captions.ts';
import { FAILURE_CODES } from '../../contract/failure.ts';
import * as limits from '../../contract/limits.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import { OPENAPI_VERSION } from '../../contract/results.ts';
import { SCOPES } from '../../contract/registration.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { AUDIT_NAMES, AUDIT_PRESETS } from '../../language/registry.ts';
import { SPEECH_NAMES } from '../../speech/registry.ts';
import { keyStorage, KEY_VARIABLE } from './metadata.ts';
import { cell } from './html.ts';

/** The values of all placeholders. */
export function placeholderValues(
  baseUrl: string,
  packs: TermPackList,
  providers: readonly ProviderSummary[],
  { audioTtlMs, resultTtlMs, operatorContact = null, ...bounds }: Lifetimes & Bounds & Operator,
): Record<string, string> {
  const storage = keyStorage(baseUrl);
  const { macos_keychain: keychain } = storage;
  return {
    base_url: baseUrl,
    operator_contact: contact(operatorContact),
    max_upload_bytes: String(limits.MAX_UPLOAD_BYTES),
    max_upload_size: limits.MAX_UPLOAD_SIZE,
    max_upload_hours: String(MAX_UPLOAD_HOURS),
    sample_rate: String(SPEECH_MP3.sampleRateHz),
    bitrate: SPEECH_MP3.bitrate,
    fallback_bitrate: SPEECH_MP3.fallbackBitrate,
    max_key_bytes: String(limits.MAX_KEY_BYTES),
    max_inline_size: limits.MAX_INLINE_SIZE,
    message_rate: limits.MESSAGE_RATE,
    write_rate: limits.WRITE_RATE,
    audio_lifetime: lifetime(audioTtlMs),
    result_lifetime: lifetime(resultTtlMs),
    least_upload_rate: limits.MIN_UPLOAD_RATE,
    export_hours: String(limits.EXPORT_HOURS),
    least_upload_seconds: String(limits.MIN_UPLOAD_SECONDS),
    uploads_at_once: String(bounds.uploadsAtOnce),
    uploads_per_workspace: String(bounds.uploadsPerWorkspace),
    uploads_per_network: String(bounds.uploadsPerNetwork),
    audio_quota: amount(bounds.audioQuota),
    result_quota: amount(bounds.resultQuota),
    max_recording: lifetime(bounds.maxDurationMs),
    upload_link_minutes: String(limits.UPLOAD_LINK_MINUTES),
    resumable_lifetime: lifetime(Math.min(limits.RESUMABLE_HOURS * 3_600_000, audioTtlMs)),
    max_upload_parts: String(limits.MAX_UPLOAD_PARTS),
    max_resumable_uploads: String(limits.MAX_RESUMABLE_UPLOADS),
    runs_page_minimum: String(limits.RUNS_PAGE.minimum),
    runs_page_maximum: String(limits.RUNS_PAGE.maximum),
    runs_page_default: String(limits.RUNS_PAGE.default),
    max_lines: String(DEFAULT_CAPTION_SETTINGS.maxLines),
    max_line_chars: String(DEFAULT_CAPTION_SETTINGS.maxLineChars),
    max_duration: String(DEFAULT_CAPTION_SETTINGS.maxDuration),
    caption_formats: either(FORMAT_IDS.map((id) => `\`${id}\``)),
    caption_format_names: either(FORMAT_IDS.map((id) => FORMATS[id].name)),
    caption_endings: FORMAT_IDS.map((id) => `\`.${id}\``).join(', '),
    caption_profiles: PROFILE_NAMES.map((name) => `\`${name}\``).join(', '),
    comfortable_speed: String(SPEED_LIMIT),
    fast_speed: String(FAST_SPEED),
    audit_presets: auditPresets(),
    openapi_version: OPENAPI_VERSION,
    registration_kept_hours: String(limits.REGISTRATION_KEPT_HOURS),
    max_idempotency_key: String(limits.MAX_IDEMPOTENCY_KEY),
    ffmpeg_command: MP3_RECOMMENDATION.command,
    ffmpeg_fallback_command: MP3_RECOMMENDATION.fallbackCommand,
    scopes: listed(SCOPES),
    scopes_json: JSON.stringify(SCOPES),
    scope_upload: SCOPES[0],
    scope_run: SCOPES[1],
    scope_terminology: SCOPES[2],
    packs_table: packsTable(packs),
    pack_ids: listed(packs.packs.map((pack) => pack.id)),
    packs_example: JSON.stringify(packs.example),
    limits_table: limitsTable(),
    text_limits_table: textLimitsTable(),
    max_negotiated_header: String(limits.MAX_NEGOTIATED_HEADER),
    providers_table: providersTable(providers),
    speech_providers: listed(SPEECH_NAMES),
    audit_providers: listed(AUDIT_NAMES),
    failure_codes: listed(FAILURE_CODES),
    claim_minutes: String(limits.CLAIM_MINUTES),
    max_codes: String(limits.MAX_CODES),
    registrations_per_address: String(limits.REGISTRATIONS_PER_ADDRESS),
    registrations_per_address_in_all: String(limits.REGISTRATIONS_PER_ADDRESS_IN_ALL),
    registrations_per_client: String(limits.REGISTRATIONS_PER_CLIENT),
    clients_per_network: String(limits.CLIENTS_PER_NETWORK),
    registrations_in_all: String(limits.REGISTRATIONS_IN_ALL),
    wrong_codes_per_client_registration: String(limits.WRONG_CODES_PER_CLIENT_REGISTRATION),
    guesses_count_days: String(limits.GUESSES_COUNT_DAYS),
    guesses_per_address: String(limits.GUESSES_PER_ADDRESS),
    guesses_per_domain: String(limits.GUESSES_PER_DOMAIN),
    guesses_per_domain_hours: String(limits.GUESSES_PER_DOMAIN_HOURS),
    guesses_in_all: String(limits.GUESSES_IN_ALL),
    key_variable: KEY_VARIABLE,
    key_consent: storage.consent,
    keychain_service: keychain.service,
    keychain_store: keychain.store_command,
    keychain_find: keychain.find_by_email_command,
    keychain_delete: keychain.delete_command,
  };
}

/** A link to the operator; without one, advice on how to reach them. */
const contact = (link: string | null): string =>
  link === null
    ? 'the operator of this host: reply to the email with the code.'
    : `[${link.replace(/^mailto:/, '')}](${link})`;

/** Formats values as `a`, `b`, `c`. */
/** Alternatives in a sentence: “a, b or c”. */
const either = (values: readonly string[]): string =>
  `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const listed = (values: readonly string[]): string =>
  values.map((value) => `\`${value}\``).join(', ');

/** The audit presets as `fast` (`openai`, `gpt-6.1-terra`), … */
const auditPresets = (): string =>
  Object.entries(AUDIT_PRESETS)
    .map(([mode, { provider, model }]) => `\`${mode}\` (\`${provider}\`, \`${model}\`)`)
    .join(', ');

function packsTable({ packs }: TermPackList): string {
  const rows = packs.map(
    ({ id, title, description, termCount }) =>
      `| \`${id}\` | ${cell(title)} | ${cell(description ?? '')} | ${termCount} |`,
  );
  return ['| Pack | Title | What it covers | Terms |', '|---|---|---|---|', ...rows].join('\n');
}

function providersTable(providers: readonly ProviderSummary[]): string {
  const rows = providers.map((provider) => {
    const { stage, name, configured, isDefault, model, engine, limits, page } = provider;
    const here = configured ? (isDefault ? 'yes, the default' : 'yes') : 'no';
    const by = engine === undefined ? '' : ` (${engine})`;
    const more = [cell(limits), page ? `[documentation](${page})` : ''].filter(Boolean).join('; ');
    return `| ${stage} | \`${name}\` | ${here} | \`${cell(model)}\`${by} | ${more} |`;
  });
  return [
    '| Stage | Provider | On this server | Model | Limits |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function limitsTable(): string {
  const bounded = [
    ['transcription.chunkBytes', limits.CHUNK_BYTES],
    ['terminology.maxKeyterms', limits.MAX_KEYTERMS],
    ['audit.minConfidence', limits.MIN_CONFIDENCE],
    ['captions.maxLineChars', limits.MAX_LINE_CHARS],
    ['captions.maxLines', limits.MAX_LINES],
    ['captions.maxDuration', limits.MAX_DURATION],
    ['captions.minDuration', limits.MIN_DURATION],
  ] as const;
  const rows = bounded.map(
    ([field, { minimum, maximum, default: preset }]) =>
      `| \`${field}\` | ${minimum} to ${maximum} | ${preset} |`,
  );
  return ['| Field | Range | Default |', '|---|---|---|', ...rows].join('\n');
}

function textLimitsTable(): string {
  const term = `a term: ${limits.MAX_TERM_CHARS} characters and ${limits.MAX_TERM_WORDS} words`;
  const list = `a list: ${limits.MAX_TERMS} terms`;
  const rows = [
    ['audio.key', `${limits.MAX_KEY_BYTES} bytes`],
    ['audio.filename', `${limits.MAX_FILENAME_CHARS} characters`],
    ['topic', `${limits.MAX_TOPIC_CHARS} characters`],
    ['language', `${limits.MAX_LANGUAGE_CHARS} characters`],
    ['transcription.model', `${limits.MAX_MODEL_CHARS} characters`],
    ['audit.model', `${limits.MAX_MODEL_CHARS} characters`],
    ['glossary', `${term}; ${list}; one string: ${limits.MAX_GLOSSARY_CHARS} characters`],
    ...['transcription.keyterms', 'terminology.include', 'terminology.exclude'].map((field) => [
      field,
      `${term}; ${list}`,
    ]),
  ];
  return ['| Field | At most |', '|---|---|']
    .concat(rows.map(([field, most]) => `| \`${field}\` | ${most} |`))
    .join('\n');
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

const BINARY = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes in the largest unit that is exact. */
function amount(bytes: number | null): string {
  if (bytes === null) return 'any amount';
  let unit = 0;
  let count = bytes;
  for (; count >= 1024 && count % 1024 === 0 && unit < BINARY.length - 1; unit += 1) count /= 1024;
  return `${count} ${BINARY[unit]} in total`;
}

/** Formats a duration in the largest unit that is exact. */
function lifetime(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms % length === 0) ?? ['millisecond', 1];
  const count = ms / length;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
