/**
 * Runs as tasks of MCP: the extension io.modelcontextprotocol/tasks (SEP-2663). A caller that supports it immediately
 * gets a handle from caption_audio, and polls the run with tasks/get until it has ended. A task is the run itself, so
 * any process can answer for it, and it survives a restart.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type CallToolResult,
  type ClientCapabilities,
  type McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { open, Type, validator } from '../../contract/schema.ts';
import type { Log } from '../../base/log.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { toProblem } from '../problems.ts';
import { secondsToNextPoll, cancelRun, findSummary } from '../runs/run-representation.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { runOutcome } from './run-outcome.ts';
import { permit, type Caller, callResult } from './tool.ts';

const TASKS = 'io.modelcontextprotocol/tasks';

/** The extension as a capability declares it. */
export const TASKS_EXTENSION = { [TASKS]: {} };

/** Whether the sender of a message declares in it that it supports tasks. */
export function followsTasks({ envelope }: ServerContext['mcpReq']): boolean {
  const declared: Declared | undefined = envelope;
  return declared?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[TASKS] !== undefined;
}

type Declared = { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };

/** A task as the protocol describes it. */
interface TaskState {
  taskId: string;
  status: 'working' | 'completed' | 'cancelled';
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: null;
  pollIntervalMs?: number;
}

/** The state of a run as a task, without its result. */
function taskOf(run: RunSummary): TaskState {
  const { id, state, stage, progress, finishedAt } = run;
  const ended = finishedAt !== null;
  const percent = Math.round(progress * 100);
  return {
    taskId: id,
    status: !ended ? 'working' : state === 'cancelled' ? 'cancelled' : 'completed',
    statusMessage: ended ? `The run is ${state}.` : `${stage ?? state}, ${percent}% done`,
    createdAt: new Date(run.createdAt).toISOString(),
    lastUpdatedAt: new Date(run.updatedAt).toISOString(),
    // A run is kept until it is deleted.
    ttlMs: null,
    ...(!ended && { pollIntervalMs: secondsToNextPoll(run) * 1000 }),
  };
}

/** The answer to a call that is continued as a task. */
export const taskCreated = (run: RunSummary): CallToolResult => ({
  resultType: 'task',
  content: [],
  ...taskOf(run),
});

interface TaskServices {
  runs: Runs;
  texts: RunTexts;
  pool: WorkPool;
  log: Log;
}

/** Adds the methods of tasks to the server of one caller. */
export function registerTasks(server: McpServer, services: TaskServices, caller: Caller): void {
  const { runs, log } = services;
  const { organizationId } = caller.principal;
  const method = (
    name: string,
    answer: (run: RunSummary) => Promise<Record<string, unknown>>,
  ): void => {
    server.server.setRequestHandler(name, { params: anything }, async (params, { mcpReq }) => {
      if (!followsTasks(mcpReq)) throw notDeclared();
      try {
        const { taskId } = checked(params);
        permit(name, 'captioner:caption:run', caller.principal, log);
        return await answer(await findSummary(runs, organizationId, taskId));
      } catch (error) {
        throw protocolError(error, name, log);
      }
    });
  };
  method('tasks/get', async (run) => {
    const task = taskOf(run);
    if (task.status !== 'completed') return { ...task };
    return { ...task, result: callResult(await runOutcome(services, run, caller)) };
  });
  // A run asks for no input, so an update is acknowledged and ignored.
  method('tasks/update', async () => ({}));
  method('tasks/cancel', async (run) => {
    await cancelRun(runs, run);
    return {};
  });
}

const notDeclared = () =>
  new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: TASKS_EXTENSION } },
    `Declare the extension ${TASKS} in the capabilities of this request.`,
  );

/** A refusal as an error of the protocol. */
function protocolError(error: unknown, method: string, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const { status, code, message } = toProblem(error, method, log);
  const number = status === 404 ? INVALID_PARAMS : status < 500 ? INVALID_REQUEST : INTERNAL_ERROR;
  return new ProtocolError(number, `${code}: ${message}`);
}

/**
 * The parameters of a method. Unknown ones, such as those of later revisions, are ignored.
 * @throws {ProtocolError} if they name no task
 */
function checked(params: unknown): { taskId: string } {
  const [issue] = OfTask.issues(params);
  if (issue) throw new ProtocolError(INVALID_PARAMS, `${issue.path} ${issue.message}`);
  return params as { taskId: string };
}

const OfTask = validator(open({ taskId: Type.String() }));

/** Accepts any parameters, because the sender's capability is checked before they are. */
const anything: StandardSchemaWithJSON = {
  '~standard': {
    version: 1,
    vendor: 'captioner',
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({}), output: () => ({}) },
  },
};
