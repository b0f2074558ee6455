/** Speakers of runs, who they may be, and the voices that a workspace remembers, over HTTP. */
import type { RunSpeakers } from '../../server/contract/speakers.ts';
import type { RememberedVoices } from '../../server/contract/voices.ts';
import { askJson } from './request.ts';
import { runPath } from './runs.ts';

/** The speakers of a run, as its review on the service has them. */
export const listSpeakers = async (key: string, runId: string): Promise<RunSpeakers['speakers']> =>
  (await askJson<RunSpeakers>(runPath(runId, '/speakers'), { key })).speakers;

/** Says that a speaker is not the person that is proposed. */
export const refuseProposal = (key: string, runId: string, speaker: string): Promise<RunSpeakers> =>
  askJson(runPath(runId, '/speakers'), {
    method: 'PUT',
    key,
    body: { speakers: [], refused: [speaker] },
  });

const PATH = '/workspace/voices';

/** Whether the workspace remembers voices, and whose. */
export const listVoices = (key: string): Promise<RememberedVoices> => askJson(PATH, { key });

/** Remembers voices from now on, or forgets all of them. */
export const rememberVoices = (key: string, remember: boolean): Promise<RememberedVoices> =>
  askJson(PATH, { method: 'PUT', key, body: { remember } });

/** Forgets a person. */
export const forgetPerson = (key: string, personId: string): Promise<RememberedVoices> =>
  askJson(`${PATH}/${encodeURIComponent(personId)}`, { method: 'DELETE', key });
