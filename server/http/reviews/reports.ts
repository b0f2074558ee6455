/** The routes of reports on captions: signed JSON and a page, for keys, for links, and for everybody who has its address. */
import { Elysia } from 'elysia';
import { createHash } from 'node:crypto';
import about from '../../../package.json' with { type: 'json' };
import { closed, Type } from '../../contract/schema.ts';
import { type CaptionerCompletedResult, wholeMilliseconds } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import type { Caption } from '../../captions/cue.ts';
import { findBrokenRules, scoreByRules } from '../../captions/rules/check.ts';
import type { Profile } from '../../captions/rules/profiles/profile.ts';
import { PROFILE_NAMES, profileOf } from '../../captions/rules/profiles/profiles.ts';
import { readSrt } from '../../captions/files/srt.ts';
import { withoutCues } from '../../captions/unheard.ts';
import { unheardIn } from '../../contract/unheard.ts';
import type { Json } from '../../evidence/canonical-json.ts';
import {
  captionFacts,
  changedWords,
  changesBetween,
  MOST_CHANGES,
  reportOf,
  forOutsiders,
  type CaptionFacts,
  type KeptRules,
  type Report,
  type ReportedSession,
} from '../../evidence/report.ts';
import { signedReport, signingKey } from '../../evidence/signature.ts';
import { createCounts, lazily } from '../../base/concurrency.ts';
import { type Hasher, sameHash } from '../../identity/secrets.ts';
import { createMeasurements } from '../../reviews/measurements.ts';
import { stateOf } from '../../reviews/review-states.ts';
import { listVersions } from '../../reviews/review-versions.ts';
import type { ReviewLinks, StoredLink } from '../../reviews/review-links.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { openMedia, type StoredMedia } from '../../storage/run-media.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { failing, response, text } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import { titleOf } from '../runs/caption-files.ts';
import { fileResponse } from '../runs/file-response.ts';
import { type CaptionSources, holdCaptions } from '../runs/profiled-captions.ts';
import { mediaFor, PLAYED_AT_ONCE, tooManyPlayers } from '../runs/run-media.ts';
import { completedTexts, findSummary, languageOf, summary } from '../runs/run-representation.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { bytesOf, measurementRoutes } from './measurements.ts';
import { readerLanguage } from '../reader-language.ts';
import { pageOfPeople, reportHtml, type ReportPlaces } from './report-page.ts';
import { pdfLanguage, reportWords } from './report-words.ts';
import { reportPdf } from './report-pdf.ts';

interface ReportServices extends CaptionSources {
  guard: Guard;
  runs: Runs;
  database: Database;
  audio: AudioStore;
  links: ReviewLinks;
  hasher: Hasher;
  address: PublicAddress;
  stored: CaptionSources['stored'] & Pick<StoredTexts, 'result' | 'version'>;
  pool: WorkPool;
}

/** The formats of captions whose files a report names. */
const FILES = ['srt', 'vtt'] as const;
/** What a word of a talk takes in its report, about. */
const BYTES_A_WORD = 100;
/** What setting a PDF takes at least, as if it were text: its fonts are opened. */
const PDF_BYTES = 2 ** 20;
/** The sounds whose hash is remembered. */
const HASHES_KEPT = 500;

/** The address of a report that needs no account. */
const ReportAddress = closed({
  url: Type.String({ description: 'works as long as the link, and shows nothing but the report' }),
});

/** The public keys of reports, as a JWK set (RFC 7517). */
const ReportKeys = closed({
  keys: Type.Array(
    closed({
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Type.String(),
      use: Type.Literal('sig'),
      alg: Type.Literal('EdDSA'),
      kid: Type.String({ description: 'the same key in hexadecimal digits, as reports have it' }),
    }),
  ),
});

/** The routes of evidence: measurements of captions, and reports on them. */
export const evidenceRoutes = (services: ReportServices) =>
  new Elysia().use(measurementRoutes(services)).use(reportRoutes(services));

/** The routes of reports. */
function reportRoutes(services: ReportServices) {
  const { guard, runs, database, links, hasher, address, audio } = services;
  const seed = () => hasher.hash('report signature');
  const key = lazily(() => signingKey(seed()));
  const hashes = new Map<string, string>();
  const players = createCounts();
  const scope = { key: 'captioner:caption:run', link: 'view' } as const;
  const reportOn = async (
    run: RunSummary,
    isForWorkspace: boolean,
    language = 'en',
  ): Promise<Report> => {
    const { sound } = await mediaFor(database, run, null);
    return makeReport(services, run, sound, hashes, { isForWorkspace, language });
  };
  const loadOf = (run: RunSummary, { facts }: Report) => ({
    workspace: run.organizationId,
    size: facts.words * BYTES_A_WORD,
  });
  const signed = async (run: RunSummary, isForWorkspace: boolean): Promise<Response> => {
    const report = await reportOn(run, isForWorkspace);
    const load = loadOf(run, report);
    const text = await services.pool.do(signReport, { report, seed: seed() }, load);
    return fileOf(text, 'report.json', 'application/json; charset=utf-8');
  };
  const page = async (
    run: RunSummary,
    isForWorkspace: boolean,
    places: ReportPlaces,
    language: string,
  ): Promise<Response> => {
    const report = await reportOn(run, isForWorkspace, language);
    const load = loadOf(run, report);
    const html = await services.pool.do(reportHtml, { report, places, language }, load);
    return pageOfPeople(html, { vary: 'accept-language' });
  };
  const pdf = async (
    run: RunSummary,
    isForWorkspace: boolean,
    address: string,
    wanted: string,
  ): Promise<Response> => {
    const language = pdfLanguage(wanted);
    const report = await reportOn(run, isForWorkspace, language);
    const load = loadOf(run, report);
    load.size += PDF_BYTES;
    const bytes = await services.pool.do(reportPdf, { report, page: address, language }, load);
    return fileOf(bytes as Uint8Array<ArrayBuffer>, 'report.pdf', 'application/pdf');
  };
  /** The link and the run of a public address. */
  const opened = async (token: string): Promise<{ link: StoredLink; run: RunSummary }> => {
    const [id = '', mac = ''] = token.split('.');
    const link = sameHash(mac, hasher.hash('report of link', id)) ? await links.byId(id) : null;
    if (!link) throw unknownReport();
    return { link, run: await findSummary(runs, link.organizationId, link.runId) };
  };
  const base = '/workflows/captioner/:runId';
  return new Elysia()
    .use(guard)
    .get(
      `${base}/report.json`,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        return signed(run, sender.link === null);
      },
      {
        scope,
        detail: detail({
          operationId: 'getReport',
          summary: 'Get the signed report on the captions of a run',
          description:
            'What the captions are (SHA-256 of the files), what people changed and measured, and what rules ask: each point met, not met or not checked. Canonical JSON (RFC 8785), signed with Ed25519; `captioner verify report.json captions.srt` checks both without the service.',
          tags: ['Captioning'],
          responses: {
            200: {
              description: 'The report and its signature.',
              content: { 'application/json': { schema: { type: 'object' } } },
            },
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
          },
        }),
      },
    )
    .get(
      `${base}/report.html`,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const language = readerLanguage(request);
        const places = {
          baseUrl: address.of(request),
          json: 'report.json',
          pdf: `report.pdf${carried(language)}`,
          sound: null,
        };
        return page(run, sender.link === null, places, language);
      },
      {
        scope,
        detail: detail({
          operationId: 'getReportPage',
          summary: 'Get the report on the captions of a run as a page',
          tags: ['Captioning'],
          responses: {
            200: { description: 'The page.', content: text('text/html') },
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
          },
        }),
      },
    )
    .get(
      `${base}/report.pdf`,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const page = `${address.of(request)}/workflows/captioner/${run.id}/report.html`;
        return pdf(run, sender.link === null, page, readerLanguage(request));
      },
      {
        scope,
        detail: detail({
          operationId: 'getReportPdf',
          summary: 'Get the report on the captions of a run as a tagged PDF',
          description:
            'For people and screen readers (PDF/UA-1). It says what the page says; only the JSON is signed.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'The PDF.', content: { 'application/pdf': {} } },
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
          },
        }),
      },
    )
    .get(
      `${base}/links/:linkId/report`,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const link = await links.byId(params.linkId);
        if (link?.runId !== run.id) throw unknownReport();
        const token = `${link.id}.${hasher.hash('report of link', link.id)}`;
        return Response.json({ url: `${address.of(request)}/reports/${token}` });
      },
      {
        scope: 'captioner:caption:run',
        response: { 200: wireAnswer(ReportAddress) },
        detail: detail({
          operationId: 'getReportAddress',
          summary: 'Get the address of a report that needs no account',
          description:
            'It works as long as the link to the review, and shows the report alone; with the sound of the sample, if guests of the link hear the sound. Revoke the link to end it.',
          tags: ['Captioning'],
          responses: {
            200: answer('The address.', { url: 'https://captions.example/reports/lnk_…' }),
            404: failing('There is no such run or link.', 'report_not_found', NO_REPORT),
          },
        }),
      },
    )
    .get(
      '/reports/:token',
      async ({ request, params }) => {
        const { link, run } = await opened(params.token);
        const heard = (await mediaFor(database, run, link)).sound;
        const here = `${address.of(request)}/reports/${params.token}`;
        const language = readerLanguage(request);
        const places = {
          baseUrl: address.of(request),
          json: `${here}/report.json`,
          pdf: `${here}/report.pdf${carried(language)}`,
          sound: heard ? `${here}/sound` : null,
        };
        return page(run, false, places, language);
      },
      {
        detail: detail({
          operationId: 'openReport',
          summary: 'Read a report by its public address',
          tags: ['Captioning'],
          parameters: [TOKEN],
          responses: {
            200: { description: 'The page.', content: text('text/html') },
            404: NO_SUCH_REPORT,
            409: response('CaptionsNotReady'),
            503: response('Unavailable'),
          },
        }),
      },
    )
    .get(
      '/reports/:token/report.json',
      async ({ params }) => {
        const { run } = await opened(params.token);
        return signed(run, false);
      },
      {
        detail: detail({
          operationId: 'openSignedReport',
          summary: 'Get a signed report by its public address',
          tags: ['Captioning'],
          parameters: [TOKEN],
          responses: {
            200: {
              description: 'The report and its signature.',
              content: { 'application/json': { schema: { type: 'object' } } },
            },
            404: NO_SUCH_REPORT,
            409: response('CaptionsNotReady'),
            503: response('Unavailable'),
          },
        }),
      },
    )
    .get(
      '/reports/:token/report.pdf',
      async ({ request, params }) => {
        const { run } = await opened(params.token);
        const page = `${address.of(request)}/reports/${params.token}`;
        return pdf(run, false, page, readerLanguage(request));
      },
      {
        detail: detail({
          operationId: 'openReportPdf',
          summary: 'Get a report as a tagged PDF by its public address',
          tags: ['Captioning'],
          parameters: [TOKEN],
          responses: {
            200: { description: 'The PDF.', content: { 'application/pdf': {} } },
            404: NO_SUCH_REPORT,
            409: response('CaptionsNotReady'),
            503: response('Unavailable'),
          },
        }),
      },
    )
    .get(
      '/reports/:token/sound',
      async ({ request, params }) => {
        const { link, run } = await opened(params.token);
        const { sound } = await mediaFor(database, run, link);
        const found = sound && (await openMedia(audio, sound));
        if (!sound || !found) throw unknownReport();
        if (players.of(run.id) >= PLAYED_AT_ONCE) throw tooManyPlayers();
        const { organizationId, key: name } = sound.name;
        const file = {
          size: found.size,
          digest: found.version,
          read: (start: number, end: number) => audio.read(organizationId, name, { start, end }),
          release: players.hold(run.id),
        };
        return fileResponse(request, file, {
          type: 'audio/mpeg',
          name: `${titleOf(run)}.mp3`,
          isPacked: true,
          stillAllowed: async () => (await links.byId(link.id)) !== null,
        });
      },
      {
        detail: detail({
          operationId: 'hearReport',
          summary: 'Hear the recording that a report is about',
          description: 'If guests of its link hear the sound. Takes `Range`.',
          tags: ['Captioning'],
          parameters: [TOKEN],
          responses: {
            200: { description: 'The recording.', content: { 'audio/mpeg': {} } },
            206: { description: 'The part that `Range` requests.' },
            304: response('Unchanged'),
            404: NO_SUCH_REPORT,
            416: response('NoSuchRange'),
            429: response('TooManyRequests'),
          },
        }),
      },
    )
    .get(
      '/.well-known/captioner-report-keys.json',
      async () => {
        const { publicKey } = await key();
        const x = Buffer.from(publicKey, 'hex').toString('base64url');
        const jwk = { kty: 'OKP', crv: 'Ed25519', x, use: 'sig', alg: 'EdDSA', kid: publicKey };
        return Response.json({ keys: [jwk] });
      },
      {
        query: wireQuery(closed({})),
        response: { 200: wireAnswer(ReportKeys) },
        detail: detail({
          operationId: 'getReportKeys',
          summary: 'Get the public key with which this service signs reports',
          tags: ['Discovery'],
          responses: { 200: answer('A JWK set with one key.'), 422: response('InvalidPayload') },
        }),
      },
    );
}

/** What an address carries of a language. */
const carried = (language: string): string => (language === 'en' ? '' : `?lang=${language}`);

/** The answer with a report to keep. */
const fileOf = (content: string | Uint8Array<ArrayBuffer>, name: string, type: string): Response =>
  new Response(content, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  });

/** Makes the report of a run as it is now; who worked on it is for the workspace alone. */
async function makeReport(
  services: ReportServices,
  run: RunSummary,
  sound: StoredMedia | undefined,
  hashes: Map<string, string>,
  { isForWorkspace, language }: { isForWorkspace: boolean; language: string },
): Promise<Report> {
  const words = reportWords(language);
  const { database, stored, pool, audio } = services;
  const { texts, review, size } = await completedTexts(stored, run);
  const measurements = createMeasurements(database);
  const { measurements: listed, agreement } = await measurements.list(run.id);
  const all = await Promise.all(listed.map(({ id }) => measurements.get(run.id, id)));
  const counting = listed.findLast(({ figures }) => figures.accuracy !== null);
  const measured = counting ? await measurements.captionsOf(run.id, counting.id) : null;
  const files = [];
  for (const format of FILES) {
    const bytes = await bytesOf(await holdCaptions(services, run, format, {}));
    files.push({ format, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  const found = await pool.do(
    reportFacts,
    { ...texts, measured },
    { workspace: run.organizationId, size: size + (measured?.length ?? 0) },
  );
  const people = {
    sessions: await sessionsOf(services, run, texts),
    approval: (await stateOf(database, run.id)).approval,
  };
  const heard = sound ? await soundOf(audio, sound, hashes, words.say('soundStays')) : null;
  const { runId: id, createdAt, name } = summary(run);
  return reportOf(
    {
      service: { name: 'captioner', version: about.version },
      madeAt: new Date().toISOString(),
      run: { id, name: name ?? titleOf(run), createdAt, models: found.models },
      sound: heard ?? {
        sha256: null,
        bytes: null,
        note: words.say('soundGone'),
      },
      files,
      review: review
        ? { savedAt: new Date(review.savedAt).toISOString(), finished: found.finished }
        : null,
      ...(isForWorkspace ? people : forOutsiders(people, words)),
      facts: found.facts,
      changedSince: found.changedSince,
      unheard: found.unheard,
      unheardSeconds: found.unheardSeconds,
      rules: found.rules,
      measurements: all.filter((one) => one !== null),
      agreement,
    },
    words,
  );
}

/** What each session changed, oldest first. */
async function sessionsOf(
  { database, stored, pool }: ReportServices,
  run: RunSummary,
  { result, review }: { result: StoredText; review: StoredText | null },
): Promise<ReportedSession[]> {
  const sessions: ReportedSession[] = [];
  let count = 0;
  let before: StoredVersion = { kind: 'result', text: result };
  for (const version of (await listVersions(database, run.id)).toReversed()) {
    const { id, person, guest, startedAt, savedAt, isCurrent } = version;
    const text = isCurrent ? review : ((await stored.version(run.id, id))?.text ?? null);
    // It was erased meanwhile.
    if (text === null) continue;
    const after: StoredVersion = { kind: 'review', text };
    const size = before.text.length + text.length;
    const changes = await pool.do(
      sessionChanges,
      { before, after },
      { workspace: run.organizationId, size },
    );
    const listed = changes.listed.slice(0, Math.max(0, MOST_CHANGES - count));
    count += listed.length;
    sessions.push({ person, guest, startedAt, savedAt, changes: { ...changes, listed } });
    before = after;
  }
  return sessions;
}

/** Captions as the service made them, or as a person left them. */
interface StoredVersion {
  kind: 'result' | 'review';
  text: StoredText;
}

/** What differs between two versions. A task. */
export function sessionChanges({
  before,
  after,
}: Record<'before' | 'after', StoredVersion>): CaptionFacts['changes'] {
  const cuesOf = ({ kind, text }: StoredVersion): readonly Caption[] =>
    kind === 'review'
      ? (JSON.parse(stringOf(text)) as ReviewDocument).cues
      : (JSON.parse(stringOf(text)) as CaptionerCompletedResult).captions.cues;
  return changesBetween(cuesOf(before), cuesOf(after));
}

/** The hash of a recording, remembered by its version. */
async function soundOf(
  audio: AudioStore,
  sound: StoredMedia,
  hashes: Map<string, string>,
  note: string,
): Promise<Report['sound'] | null> {
  const found = await openMedia(audio, sound);
  if (!found) return null;
  const { organizationId, key } = sound.name;
  const name = JSON.stringify([organizationId, key, found.version]);
  let sha256 = hashes.get(name) ?? '';
  if (sha256 === '') {
    const hash = createHash('sha256');
    for await (const chunk of audio.read(organizationId, key, { start: 0, end: found.size })) {
      hash.update(chunk);
    }
    sha256 = hash.digest('hex');
    if (hashes.size >= HASHES_KEPT) hashes.clear();
    hashes.set(name, sha256);
  }
  return { sha256, bytes: found.size, note };
}

/** Signs a report with the key of a seed. A task: a report may list thousands of changes. */
export const signReport = async ({
  report,
  seed,
}: {
  report: Report;
  seed: string;
}): Promise<string> => signedReport(report as unknown as Json, await signingKey(seed));

/** What the texts of a run say for its report. A task. */
export function reportFacts({
  result: stored,
  review,
  measured,
}: {
  result: StoredText;
  review: StoredText | null;
  measured: string | null;
}): {
  facts: CaptionFacts;
  changedSince: number;
  unheard: number | null;
  unheardSeconds: number | null;
  rules: KeptRules[];
  models: Json;
  finished: boolean;
} {
  const result: CaptionerCompletedResult = JSON.parse(stringOf(stored));
  const { transcript, captions, metadata } = result;
  const reviewed: ReviewDocument | null = review && JSON.parse(stringOf(review));
  const cues = reviewed?.cues ?? captions.cues;
  const { duration, unheard } = transcript.metadata;
  const seconds = typeof duration === 'number' ? duration : (cues.at(-1)?.end ?? 0);
  const left = Array.isArray(unheard) ? withoutCues(unheardIn(transcript.metadata), cues) : null;
  return {
    facts: captionFacts(captions.cues, cues, transcript.words, seconds),
    changedSince: measured === null ? 0 : changedWords(linesOf(measured), cues),
    unheard: left?.length ?? null,
    unheardSeconds: left
      ? wholeMilliseconds(left.reduce((sum, { start, end }) => sum + end - start, 0))
      : null,
    rules: PROFILE_NAMES.map((name) => keptRules(cues, profileOf(name, languageOf(result)))),
    models: (metadata as { models?: Json }).models ?? null,
    finished: reviewed?.finished === true,
  };
}

/** How captions keep to the rules of a publisher; frames depend on the picture, which nobody named. */
function keptRules(cues: readonly Caption[], profile: Profile): KeptRules {
  const found = findBrokenRules(cues, profile).filter(({ rule }) => rule !== 'on_frames');
  const broken: Record<string, number> = {};
  for (const { rule } of found) broken[rule] = (broken[rule] ?? 0) + 1;
  return {
    profile: profile.name,
    title: profile.title,
    score: scoreByRules(cues.length, found),
    captions: new Set(found.map(({ at }) => at)).size,
    broken,
  };
}

/** The captions of an SRT file, as far as their words matter. */
const linesOf = (srt: string) =>
  readSrt(srt).map(({ start, end, lines }) => ({ start, end, lines }));

const NO_REPORT = 'There is no such report, or its link was revoked.';
const NO_SUCH_REPORT = failing('There is no such report.', 'report_not_found', NO_REPORT);
const TOKEN = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'What the address shows, signed.',
  schema: { type: 'string' },
};

const unknownReport = (): Problem => new Problem(404, 'report_not_found', NO_REPORT);
