/**
 * The values of the placeholders in content/, taken from the constants that the code uses, so that no document can
 * contradict the code.
 */
import type { Bounds, Lifetimes, Operator } from '../../config/config.ts';
import { FORMAT_IDS, FORMATS } from '../../captions/files/formats.ts';
import { PROFILE_NAMES } from '../../captions/rules/profiles/profiles.ts';
import { SPEED_LIMIT } from '../../captions/width.ts';
import { MAX_UPLOAD_HOURS, MP3_RECOMMENDATION, SPEECH_MP3 } from '../../contract/audio.ts';
import { FAILURE_CODES } from '../../contract/failure.ts';
import * as limits from '../../contract/limits.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import { OPENAPI_VERSION } from '../../contract/results.ts';
import { SCOPES } from '../../contract/registration.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { AUDIT_NAMES, AUDIT_PRESETS } from '../../language/registry.ts';
import { SPEECH_NAMES } from '../../speech/providers/registry.ts';
import { textsIn } from '../../texts/languages.ts';
import { KEY_VARIABLE, keyStorage } from './metadata.ts';
import { markdownCell } from './html.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../contract/caption-defaults.ts';
import { TIMING } from '../../captions/divide/timing.ts';

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
    max_upload_bytes: String(limits.UPLOAD.maxBytes),
    max_upload_size: limits.UPLOAD.maxSize,
    max_video_size: limits.RUN_MEDIA.maxVideoSize,
    play_hours: String(limits.RUN_MEDIA.playHours),
    max_upload_hours: String(MAX_UPLOAD_HOURS),
    sample_rate: String(SPEECH_MP3.sampleRateHz),
    bitrate: SPEECH_MP3.bitrate,
    fallback_bitrate: SPEECH_MP3.fallbackBitrate,
    max_key_bytes: String(limits.UPLOAD.maxKeyBytes),
    max_inline_size: limits.UPLOAD.maxInlineSize,
    message_rate: limits.TRAFFIC.rate,
    write_rate: limits.TRAFFIC.writtenRate,
    audio_lifetime: lifetime(audioTtlMs),
    result_lifetime: lifetime(resultTtlMs),
    least_upload_rate: limits.UPLOAD.minRate,
    export_hours: String(limits.TRAFFIC.exportHours),
    least_upload_seconds: String(limits.UPLOAD.minSeconds),
    uploads_at_once: String(bounds.uploadsAtOnce),
    uploads_per_workspace: String(bounds.uploadsPerWorkspace),
    uploads_per_network: String(bounds.uploadsPerNetwork),
    audio_quota: amount(bounds.audioQuota),
    result_quota: amount(bounds.resultQuota),
    max_recording: lifetime(bounds.maxDurationMs),
    upload_link_minutes: String(limits.UPLOAD.linkMinutes),
    resumable_lifetime: lifetime(Math.min(limits.RESUMABLE.hours * 3_600_000, audioTtlMs)),
    max_upload_parts: String(limits.RESUMABLE.maxParts),
    max_resumable_uploads: String(limits.RESUMABLE.maxUploads),
    runs_page_minimum: String(limits.RUN.page.minimum),
    runs_page_maximum: String(limits.RUN.page.maximum),
    runs_page_default: String(limits.RUN.page.default),
    max_lines: String(DEFAULT_CAPTION_SETTINGS.maxLines),
    max_line_chars: String(DEFAULT_CAPTION_SETTINGS.maxLineChars),
    max_duration: String(DEFAULT_CAPTION_SETTINGS.maxDuration),
    caption_formats: either(FORMAT_IDS.map((id) => `\`${id}\``)),
    caption_format_names: either(FORMAT_IDS.map((id) => FORMATS[id].name)),
    caption_endings: FORMAT_IDS.map((id) => `\`.${id}\``).join(', '),
    caption_profiles: PROFILE_NAMES.map((name) => `\`${name}\``).join(', '),
    comfortable_speed: String(SPEED_LIMIT),
    fast_speed: String(TIMING.fastSpeed),
    audit_presets: auditPresets(),
    openapi_version: OPENAPI_VERSION,
    registration_kept_hours: String(limits.REGISTRATION.keptHours),
    max_idempotency_key: String(limits.MAX_CHARS.idempotencyKey),
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
    max_negotiated_header: String(limits.MAX_CHARS.negotiatedHeader),
    providers_table: providersTable(providers),
    speech_providers: listed(SPEECH_NAMES),
    audit_providers: listed(AUDIT_NAMES),
    failure_codes: listed(FAILURE_CODES),
    claim_minutes: String(limits.REGISTRATION.claimMinutes),
    max_codes: String(limits.REGISTRATION.maxCodes),
    registrations_per_address: String(limits.REGISTRATION.perAddress),
    registrations_per_address_in_all: String(limits.REGISTRATION.perAddressInAll),
    registrations_per_client: String(bounds.registrationsPerIp),
    clients_per_network: String(limits.REGISTRATION.clientsPerNetwork),
    registrations_in_all: String(limits.REGISTRATION.inAll),
    wrong_codes_per_client_registration: String(limits.GUESSES.perClientRegistration),
    guesses_count_days: String(limits.GUESSES.countDays),
    guesses_per_address: String(limits.GUESSES.perAddress),
    guesses_per_domain: String(limits.GUESSES.perDomain),
    guesses_per_domain_hours: String(limits.GUESSES.perDomainHours),
    guesses_in_all: String(limits.GUESSES.inAll),
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
/** The values of placeholders, with those that are words in a language. @param values the English ones */
export function valuesIn(tag: string, values: Record<string, string>): Record<string, string> {
  const { formats } = textsIn(tag);
  const names = FORMAT_IDS.map((id) => formats[FORMATS[id].name] ?? FORMATS[id].name);
  const list = new Intl.ListFormat(tag, { type: 'disjunction' });
  return tag === 'en' ? values : { ...values, caption_format_names: list.format(names) };
}

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
      `| \`${id}\` | ${markdownCell(title)} | ${markdownCell(description ?? '')} | ${termCount} |`,
  );
  return ['| Pack | Title | What it covers | Terms |', '|---|---|---|---|', ...rows].join('\n');
}

function providersTable(providers: readonly ProviderSummary[]): string {
  const rows = providers.map((provider) => {
    const { stage, name, configured, isDefault, model, engine, limits, page } = provider;
    const here = configured ? (isDefault ? 'yes, the default' : 'yes') : 'no';
    const by = engine === undefined ? '' : ` (${engine})`;
    const more = [markdownCell(limits), page ? `[documentation](${page})` : '']
      .filter(Boolean)
      .join('; ');
    return `| ${stage} | \`${name}\` | ${here} | \`${markdownCell(model)}\`${by} | ${more} |`;
  });
  return [
    '| Stage | Provider | On this server | Model | Limits |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function limitsTable(): string {
  const bounded = [
    ['transcription.chunkBytes', limits.OPTION.chunkBytes],
    ['terminology.maxKeyterms', limits.OPTION.maxKeyterms],
    ['audit.minConfidence', limits.OPTION.minConfidence],
    ['captions.maxLineChars', limits.OPTION.maxLineChars],
    ['captions.maxLines', limits.OPTION.maxLines],
    ['captions.maxDuration', limits.OPTION.maxDuration],
    ['captions.minDuration', limits.OPTION.minDuration],
  ] as const;
  const rows = bounded.map(
    ([field, { minimum, maximum, default: preset }]) =>
      `| \`${field}\` | ${minimum} to ${maximum} | ${preset} |`,
  );
  return ['| Field | Range | Default |', '|---|---|---|', ...rows].join('\n');
}

function textLimitsTable(): string {
  const term = `a term: ${limits.TERM.maxChars} characters and ${limits.TERM.maxWords} words`;
  const list = `a list: ${limits.TERM.maxTerms} terms`;
  const rows = [
    ['audio.key', `${limits.UPLOAD.maxKeyBytes} bytes`],
    ['audio.filename', `${limits.MAX_CHARS.fileName} characters`],
    ['topic', `${limits.MAX_CHARS.topic} characters`],
    ['language', `${limits.MAX_CHARS.language} characters`],
    ['transcription.model', `${limits.MAX_CHARS.model} characters`],
    ['audit.model', `${limits.MAX_CHARS.model} characters`],
    ['glossary', `${term}; ${list}; one string: ${limits.TERM.maxGlossaryChars} characters`],
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
