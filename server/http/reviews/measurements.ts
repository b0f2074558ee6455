/** The routes for measurements of how accurate captions are: start, read, judge a passage, delete. */
import { Elysia } from 'elysia';
import { UNSURE_BELOW } from '../../contract/confidence.ts';
import {
  JudgementInput,
  JudgementReceipt,
  Measurement,
  MeasurementInput,
  MeasurementList,
} from '../../contract/evidence.ts';
import { MEASUREMENT } from '../../contract/limits.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { ReviewDocument } from '../../contract/review.ts';
import { captionWords, type MeasuredCaptions } from '../../evidence/caption-words.ts';
import { createMeasurements } from '../../reviews/measurements.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { Database } from '../../storage/database.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { failing, response, text } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { type CaptionSources, captionType, holdCaptions } from '../runs/profiled-captions.ts';
import { completedTexts, findSummary } from '../runs/run-representation.ts';
import type { SharedText } from '../runs/run-texts.ts';
import { stringOf, type StoredText } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { wireAnswer, wireInput } from '../wire.ts';

/** A text of a passage and some names, each character of which may be escaped. */
const MAX_BODY_BYTES = 32 * 1024;

interface MeasurementServices extends CaptionSources {
  guard: Guard;
  runs: Runs;
  database: Database;
  stored: CaptionSources['stored'] & { result(runId: string): Promise<StoredText | null> };
  pool: WorkPool;
}

/** The routes. */
export function measurementRoutes(services: MeasurementServices) {
  const { guard, runs, database, stored, pool } = services;
  const measurements = createMeasurements(database);
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const scope = 'captioner:caption:run' as const;
  const path = '/workflows/captioner/:runId/measurements';
  const captionsOf = async (run: RunSummary): Promise<MeasuredCaptions> => {
    const { texts, size } = await completedTexts(stored, run);
    return pool.do(measuredCaptions, texts, { workspace: run.organizationId, size });
  };
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .get(
      path,
      async ({ params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        return Response.json(await measurements.list(id));
      },
      {
        scope: { key: scope, link: 'view' },
        response: { 200: wireAnswer(MeasurementList) },
        detail: detail({
          operationId: 'listMeasurements',
          summary: 'List the measurements of how accurate the captions of a run are',
          description: 'Oldest first; with the agreement of two people who judged the same sample.',
          tags: ['Captioning'],
          responses: {
            200: answer('The measurements.', { measurements: [], agreement: null }),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .post(
      path,
      async ({ params, body, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        storesDocument();
        const captions = await captionsOf(run);
        const srt = await bytesOf(await holdCaptions(services, run, 'srt', {}));
        const id = await measurements.start(run, sender.keyId, body, captions, srt);
        if (id === null) throw new Problem(409, 'too_many_measurements', TOO_MANY);
        return Response.json(await measurements.get(run.id, id), { status: 201 });
      },
      {
        scope,
        json,
        body: wireInput(MeasurementInput),
        response: { 201: wireAnswer(Measurement) },
        detail: detail({
          operationId: 'startMeasurement',
          summary: 'Start to measure how accurate the captions of a run are',
          description:
            'Draws passages of up to six words from the captions as they are now (reviewed, if there is a review), evenly by time, speaker and doubt. The answer has the first 50, which take a person about five minutes: hear each with a second before and after, and send what is said.',
          tags: ['Captioning'],
          requestBody: bodyExample({ person: 'Ann' }),
          responses: {
            201: answer('The measurement, with its first passages.', example),
            404: response('RunNotFound'),
            409: failing(
              'The run has no captions, or too many measurements.',
              'too_many_measurements',
              TOO_MANY,
            ),
          },
        }),
      },
    )
    .get(
      `${path}/:measurementId`,
      async ({ params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        const found = await measurements.get(id, params.measurementId);
        if (!found) throw unknownMeasurement();
        return Response.json(found);
      },
      {
        scope: { key: scope, link: 'view' },
        response: { 200: wireAnswer(Measurement) },
        detail: detail({
          operationId: 'getMeasurement',
          summary: 'Get a measurement with its figures and its passages',
          description: 'The passages that were judged, and those that are due.',
          tags: ['Captioning'],
          responses: {
            200: answer('The measurement.', example),
            404: failing(NO_RUN_OR_MEASUREMENT, 'measurement_not_found', NO_MEASUREMENT),
          },
        }),
      },
    )
    .get(
      `${path}/:measurementId/captions.srt`,
      async ({ params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        const found = await measurements.captionsOf(id, params.measurementId);
        if (found === null) throw unknownMeasurement();
        return new Response(found, { headers: { 'content-type': captionType('srt') } });
      },
      {
        scope: { key: scope, link: 'view' },
        detail: detail({
          operationId: 'getMeasuredCaptions',
          summary: 'Get the captions that were measured',
          description: 'The SRT file of that version, whose SHA-256 the measurement names.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'The captions.', content: text('application/x-subrip') },
            404: failing(NO_RUN_OR_MEASUREMENT, 'measurement_not_found', NO_MEASUREMENT),
          },
        }),
      },
    )
    .put(
      `${path}/:measurementId/passages/:number`,
      async ({ params, body, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        const number = /^\d{1,4}$/.test(params.number) ? Number(params.number) : 0;
        storesDocument();
        const judged = await measurements.judge(id, params.measurementId, number, body);
        if (!judged) throw unknownMeasurement();
        return Response.json(judged);
      },
      {
        scope,
        json,
        body: wireInput(JudgementInput),
        response: { 200: wireAnswer(JudgementReceipt) },
        detail: detail({
          operationId: 'judgePassage',
          summary: 'Say what is said in a passage of a measurement',
          description:
            'The errors and their classes follow from the difference to the shown text. A passage may be judged again. The captions themselves are corrected by saving the review.',
          tags: ['Captioning'],
          requestBody: bodyExample({ text: 'welcome to the Quilter talk' }),
          responses: {
            200: answer('What was found, and the figures.'),
            404: failing(
              'There is no such run, measurement or passage, or it is not due.',
              'measurement_not_found',
              NO_MEASUREMENT,
            ),
          },
        }),
      },
    )
    .delete(
      `${path}/:measurementId`,
      async ({ params, sender }) => {
        const { id } = await findSummary(runs, sender.organizationId, params.runId);
        if (!(await measurements.delete(id, params.measurementId))) throw unknownMeasurement();
        return new Response(null, { status: 204 });
      },
      {
        scope,
        detail: detail({
          operationId: 'deleteMeasurement',
          summary: 'Delete a measurement',
          tags: ['Captioning'],
          responses: {
            204: { description: 'It is deleted.' },
            404: failing(NO_RUN_OR_MEASUREMENT, 'measurement_not_found', NO_MEASUREMENT),
          },
        }),
      },
    );
}

/** All bytes of a held text, which is released. */
export async function bytesOf({ size, read, release }: SharedText): Promise<Uint8Array> {
  try {
    const bytes = new Uint8Array(size);
    let at = 0;
    for await (const chunk of read(0, size)) {
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return bytes;
  } finally {
    release();
  }
}

/** The captions of a run as they are measured. A task. */
export function measuredCaptions({
  result: stored,
  review,
}: {
  result: StoredText;
  review: StoredText | null;
}): MeasuredCaptions {
  const { transcript, captions, audit }: CaptionerCompletedResult = JSON.parse(stringOf(stored));
  const reviewed: ReviewDocument | null = review && JSON.parse(stringOf(review));
  const cues = reviewed?.cues ?? captions.cues;
  const doubts = transcript.words.filter(({ confidence = 1 }) => confidence < UNSURE_BELOW);
  const { duration } = transcript.metadata;
  const names = audit.corrections.flatMap(({ after }) => after.split(/\s+/));
  return {
    ...captionWords(cues, doubts),
    duration: typeof duration === 'number' ? duration : (cues.at(-1)?.end ?? 0),
    names: [...new Set(names)].filter((name) => /\p{Lu}/u.test(name)),
  };
}

const NO_MEASUREMENT = 'There is no such measurement, or no such passage is due.';
const NO_RUN_OR_MEASUREMENT = 'There is no such run or measurement.';
const TOO_MANY = `A run has at most ${MEASUREMENT.most} measurements. Delete some first.`;

const unknownMeasurement = (): Problem => new Problem(404, 'measurement_not_found', NO_MEASUREMENT);

const example: Measurement = {
  id: 'mea_5f0f6d0e-6f55-4f43-8f4e-7a8d3a0e9b21',
  runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
  person: 'Ann',
  seed: '9f86d081884c7d65',
  seedBy: 'service',
  goal: 0.99,
  startedAt: '2026-11-21T18:00:00.000Z',
  captions: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  passages: 1500,
  figures: {
    state: 'open',
    judged: 0,
    counted: 0,
    words: 0,
    accuracy: null,
    soFar: null,
    next: 50,
    wordsNeeded: null,
    designEffect: null,
    errors: {
      substitution: 0,
      insertion: 0,
      deletion: 0,
      name: 0,
      punctuation: 0,
      speaker: 0,
      sound: 0,
      time: 0,
    },
    withPunctuation: null,
    ner: null,
    names: { said: 0, right: 0 },
  },
  sample: [
    {
      number: 1,
      start: 12.4,
      end: 14.9,
      playFrom: 11.4,
      playTo: 15.9,
      speaker: '',
      shown: 'welcome to the quilter talk',
      said: null,
      errors: [],
      judgedAt: null,
    },
  ],
};
