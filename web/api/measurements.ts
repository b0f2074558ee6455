/** Measurements of how accurate captions are, over HTTP. */
import type {
  JudgementInput,
  MeasuredPassage,
  Measurement,
  MeasurementFigures,
  MeasurementList,
} from '../../server/contract/evidence.ts';
import { askJson } from './request.ts';
import { runPath } from './runs.ts';

/** The measurements of a run. */
export const listMeasurements = (key: string, runId: string): Promise<MeasurementList> =>
  askJson(runPath(runId, '/measurements'), { key });

/** Starts one. */
export const startMeasurement = (
  key: string,
  runId: string,
  person: string,
): Promise<Measurement> =>
  askJson(runPath(runId, '/measurements'), { method: 'POST', key, body: { person } });

/** One with its passages. */
export const getMeasurement = (key: string, runId: string, id: string): Promise<Measurement> =>
  askJson(runPath(runId, `/measurements/${encodeURIComponent(id)}`), { key });

/** Says what is said in a passage. */
export const judgePassage = (
  key: string,
  { runId, id }: Pick<Measurement, 'runId' | 'id'>,
  number: number,
  body: JudgementInput,
): Promise<{ passage: MeasuredPassage; figures: MeasurementFigures }> =>
  askJson(runPath(runId, `/measurements/${encodeURIComponent(id)}/passages/${number}`), {
    method: 'PUT',
    key,
    body,
  });
