/** The routes for the speakers of a run: who speaks how much, and their names. */
import { Elysia } from 'elysia';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import { RunSpeakers, SpeakerNames } from '../../contract/speakers.ts';
import type { Stretch } from '../../contract/unheard.ts';
import { speakersOf, UnknownSpeaker, voicesOfReview, withNames } from '../../reviews/speakers.ts';
import { proposeNames, type NameProposal } from '../../voices/propose-names.ts';
import { type ComparedVoices, createVoiceStore } from '../../voices/voice-store.ts';
import { ONLY_SPEAKER } from '../../voices/voiceprints.ts';
import type { PreparedReview } from '../../reviews/review-store.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { completedTexts, findSummary } from '../runs/run-representation.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { wireAnswer, wireInput } from '../wire.ts';
import { checkReview, saveReview, untouchedReview } from './review-requests.ts';

/** Enough for the names of a hundred speakers. */
const MAX_BODY_BYTES = 32 * 1024;

/** What is needed to read and name the speakers of a run. */
export interface SpeakerServices {
  stored: StoredTexts;
  database: Database;
  audio: AudioStore;
  pool: WorkPool;
}

/** The texts of a run that say who speaks: its result, and its review if there is one. */
interface SpeakerTexts {
  result: StoredText;
  review: StoredText | null;
  /** Whether voices of the run are kept: then a recording with one voice has a speaker, too. */
  hasVoices: boolean;
}

/** The speakers of a run, and who they may be. A task. */
export function listedSpeakers({
  voices,
  ...texts
}: SpeakerTexts & { voices: ComparedVoices | null }): Omit<RunSpeakers, 'runId'> {
  const [result, reviewed] = textsIn(texts);
  const speakers = speakersOf(result, reviewed);
  const proposals = voices ? proposalsFor(result, reviewed, voices) : [];
  const bySpeaker = new Map(proposals.map(({ id, proposal }) => [id, proposal]));
  const sure = confidencesOf(result, reviewed);
  const { speechAtOnce: atOnce } = result.transcript.metadata as SpeakerFigures;
  return {
    speakers: speakers.map((speaker) => {
      const [proposal, confidence] = [bySpeaker.get(speaker.id), sure.get(speaker.id)];
      return {
        ...speaker,
        ...(confidence !== undefined && { confidence }),
        ...(proposal && { proposal }),
      };
    }),
    ...(atOnce && { atOnce: [...atOnce] }),
  };
}

/** What the metadata of a transcript say of speakers whose voices were told apart. */
interface SpeakerFigures {
  speakerConfidence?: Readonly<Record<string, unknown>>;
  speechAtOnce?: readonly Stretch[];
}

/** How sure the speakers are whose voices were told apart. */
function confidencesOf(
  result: CaptionerCompletedResult,
  review: ReviewDocument | null,
): Map<string, number> {
  const { speakerConfidence: known = {} } = result.transcript.metadata as SpeakerFigures;
  return new Map(
    voicesOfReview(result, review).flatMap(({ id, voice }): [string, number][] => {
      const confidence = known[voice];
      return typeof confidence === 'number' ? [[id, confidence]] : [];
    }),
  );
}

/** The proposals for the speakers that have no name. */
function proposalsFor(
  result: CaptionerCompletedResult,
  review: ReviewDocument | null,
  { own, known }: ComparedVoices,
): { id: string; voice: string; proposal: NameProposal }[] {
  const proposals = proposeNames(own.map(read), known.map(read));
  return voicesOfReview(result, review).flatMap(({ id, voice, name }) => {
    const proposal = name === null ? proposals.get(voice) : undefined;
    return proposal ? [{ id, voice, proposal }] : [];
  });
}

const read = <Voice extends { print: string }>({ print, ...voice }: Voice) => ({
  ...voice,
  print: JSON.parse(print) as number[],
});

/** Whose the voices of a run are, by its review. A task. */
export const namedVoices = (texts: SpeakerTexts) => voicesOfReview(...textsIn(texts));

/** The voices and the people of the proposals for some speakers. A task. */
export function refusedProposals({
  voices,
  refused,
  ...texts
}: SpeakerTexts & { voices: ComparedVoices; refused: readonly string[] }) {
  return proposalsFor(...textsIn(texts), voices)
    .filter(({ id }) => refused.includes(id))
    .map(({ voice, proposal }) => ({ speaker: voice, personId: proposal.personId }));
}

/**
 * The review of a run with names for its speakers. A task.
 * @throws {Problem} 422 for somebody who does not speak
 */
export function namedReview({
  names,
  ...texts
}: SpeakerTexts & { names: SpeakerNames }): PreparedReview {
  const [result, review] = textsIn(texts);
  const before = review ?? untouchedReview(result);
  try {
    return checkReview(withNames(result, before, names));
  } catch (error) {
    if (!(error instanceof UnknownSpeaker)) throw error;
    const issue = { path: `speakers.${error.at}.id`, message: error.message };
    throw Problem.invalidPayload('There is no such speaker.', [issue]);
  }
}

/** The result and the review; in the result of an only voice that is kept, all words are its speaker's. */
function textsIn({
  result: text,
  review,
  hasVoices,
}: SpeakerTexts): [CaptionerCompletedResult, ReviewDocument | null] {
  const result: CaptionerCompletedResult = JSON.parse(stringOf(text));
  const { words } = result.transcript;
  if (hasVoices && words.every(({ speaker }) => speaker === undefined)) {
    result.transcript.words = words.map((word) => ({ ...word, speaker: ONLY_SPEAKER }));
  }
  return [result, review && JSON.parse(stringOf(review))];
}

/**
 * The speakers of a completed run.
 * @param isGuest whether a guest of a link asks, who does not see whom the workspace knows
 * @throws {Problem} 409 for any other run
 */
export async function readSpeakers(
  { stored, pool, database }: SpeakerServices,
  run: RunSummary,
  isGuest: boolean,
): Promise<RunSpeakers> {
  const { texts, size } = await completedTexts(stored, run);
  const voices = isGuest ? null : await createVoiceStore(database).compared(run);
  const load = { workspace: run.organizationId, size };
  const asked = { ...texts, hasVoices: voices !== null && voices.own.length > 0, voices };
  return { runId: run.id, ...(await pool.do(listedSpeakers, asked, load)) };
}

/** Who names speakers: the names that a guest of a link gives are not remembered. */
interface NamedBy {
  keyId: string;
  isGuest: boolean;
}

/**
 * Names speakers of a completed run, in its review, and refuses proposals.
 * @throws {Problem} 409 for any other run, 412 if the review was changed meanwhile, 422 for somebody who does not speak
 */
export async function nameSpeakers(
  services: SpeakerServices,
  run: RunSummary,
  names: SpeakerNames,
  { keyId, isGuest }: NamedBy,
): Promise<RunSpeakers> {
  const { stored, pool } = services;
  const { texts, size, review: saved } = await completedTexts(stored, run);
  const load = { workspace: run.organizationId, size };
  const { refused = [] } = names;
  const voices = createVoiceStore(services.database);
  const hasVoices = !isGuest && (await voices.has(run));
  if (refused.length > 0 && !isGuest) {
    const asked = { ...texts, hasVoices, voices: await voices.compared(run), refused };
    await voices.refuse(run, await pool.do(refusedProposals, asked, load));
  }
  if (names.speakers.length > 0) {
    const review = await pool.do(namedReview, { ...texts, hasVoices, names }, load);
    // Names neither finish a review nor end what stays with the run.
    await saveReview(
      services,
      run,
      { ...review, keepsMedia: true, keyId },
      saved ? [saved.tag] : 'none',
    );
    if (!isGuest) await rememberNames(services, run);
  }
  return readSpeakers(services, run, isGuest);
}

/** Remembers whose the voices of a run are by its review, if its workspace remembers voices. */
export async function rememberNames(
  { stored, pool, database }: Pick<SpeakerServices, 'stored' | 'pool' | 'database'>,
  run: RunSummary,
): Promise<void> {
  const voices = createVoiceStore(database);
  if (!(await voices.has(run))) return;
  const { texts, size } = await completedTexts(stored, run);
  const load = { workspace: run.organizationId, size };
  const named = await pool.do(namedVoices, { ...texts, hasVoices: true }, load);
  await voices.name(run, new Map(named.map(({ voice, name }) => [voice, name])));
}

/** The routes. */
export function speakerRoutes(services: SpeakerServices & { guard: Guard; runs: Runs }) {
  const { guard, runs } = services;
  const path = '/workflows/captioner/:runId/speakers';
  const example = {
    runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
    speakers: [{ id: '0', name: 'Ada', turns: 2, seconds: 41.5, share: 1 }],
  };
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      path,
      async ({ params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        return Response.json(await readSpeakers(services, run, sender.link !== null));
      },
      {
        scope: { key: 'captioner:caption:run', link: 'view' },
        response: { 200: wireAnswer(RunSpeakers) },
        detail: detail({
          operationId: 'getSpeakers',
          summary: 'List the speakers of a run',
          description:
            'How often and how long each of them speaks, with their names, if somebody has given any. Where the workspace remembers voices, `proposal` says who somebody without a name may be. Empty if speakers were not told apart, or there is only one, unless the workspace remembers their voice.',
          tags: ['Captioning'],
          responses: {
            200: answer('The speakers.', example),
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
          },
        }),
      },
    )
    .put(
      path,
      async ({ params, body, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const by = { keyId: sender.keyId, isGuest: sender.link !== null };
        return Response.json(await nameSpeakers(services, run, body, by));
      },
      {
        scope: { key: 'captioner:caption:run', link: 'edit' },
        json: { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(16 * MAX_BODY_BYTES) },
        body: wireInput(SpeakerNames),
        response: { 200: wireAnswer(RunSpeakers) },
        detail: detail({
          operationId: 'nameSpeakers',
          summary: 'Name speakers of a run',
          description:
            'Only the speakers that are sent change, and `refused` are those who are not the person that is proposed. A proposal is confirmed by giving its name. The names are stored with the review of the run, which is created if there is none; files of captions in formats that have speakers then have them.',
          tags: ['Captioning'],
          requestBody: bodyExample({ speakers: [{ id: '0', name: 'Ada' }] }),
          responses: {
            200: answer('The speakers, with their names.', example),
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
            412: response('PreconditionFailed'),
          },
        }),
      },
    );
}
