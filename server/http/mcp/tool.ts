/** Tools of the MCP server, and the form of their answers and refusals. */
import type {
  CallToolResult,
  ServerContext,
  Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { includesRole } from '../../contract/members.ts';
import type { CaptionerScope } from '../../contract/registration.ts';
import { validator, type Static, type TSchema } from '../../contract/schema.ts';
import type { Log } from '../../base/log.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { Authorized, RecordAction } from '../identity/guard.ts';
import { isRecorded, leastRole } from '../identity/roles.ts';
import { Problem, toProblem } from '../problems.ts';
import type { SharedText } from '../runs/run-texts.ts';

/** The caller, and the address at which it reaches the service. */
export interface Caller {
  principal: Authorized;
  /** The address at which the caller reaches the service, without a trailing slash. */
  baseUrl: string;
  /** Reports that the recording inside the message is no longer held in memory. */
  releaseBody(): void;
  /**
   * Counts an answer of this many bytes until it is sent.
   * @throws {Problem} 503 if the answers being sent already take up the maximum
   */
  holdAnswer(bytes: number): void;
}

/** The context of a call. */
interface ToolCall extends Caller {
  /** Aborted when the caller disconnects or cancels. */
  signal: AbortSignal;
  /** Whether the caller supports tasks. */
  followsTasks: boolean;
  /** Reports progress to the caller, 0 to 1, if it asked for it. */
  progress(fraction: number, message: string): Promise<void>;
}

/** A tool's answer: text for the model and a value for its program. */
export interface ToolAnswer {
  text: string[];
  value: Record<string, unknown>;
  /** Whether the call was understood but failed. */
  failed?: boolean;
}

/** An answer that is still to come: the run that the caller follows as a task. */
interface RunTask {
  task: RunSummary;
}

/** Whether the answer is a run to follow. */
export const isRunTask = (answer: object): answer is RunTask => 'task' in answer;

export interface Tool<Input extends TSchema = TSchema> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: TSchema;
  /** The scope that a key needs; null for any key. */
  scope: CaptionerScope | null;
  /**
   * The operation over HTTP that a call with these arguments is: it needs the same role and goes on the same record. If
   * absent, the tool has a role of its own.
   */
  operation?(input: Static<Input>): string;
  /** Without those that have the protocol's default. */
  hints:
    | { readOnlyHint: true }
    | { readOnlyHint: false; idempotentHint?: true; destructiveHint?: false };
  run(input: Static<Input>, call: ToolCall): Promise<ToolAnswer | RunTask>;
}

/** A tool, for listing and calling. */
export type PreparedTool = ReturnType<typeof prepareTool>;

/** Prepares the parts of a tool that are the same for every caller. */
export function prepareTool(
  tool: Tool,
  log: Log,
  followsTasks: (context: ServerContext['mcpReq']) => boolean,
  record: RecordAction = async () => {},
) {
  const { name, input: schema, operation = () => `tool ${name}` } = tool;
  const arguments_ = validator(schema);
  return {
    listed: listed(tool),
    /** Answers a call with any arguments; throws once the caller has disconnected. */
    async call(
      input: unknown,
      caller: Caller,
      context: ServerContext['mcpReq'],
    ): Promise<CallToolResult | RunTask> {
      const { signal } = context;
      try {
        const issues = arguments_.issues(input);
        if (issues.length > 0) throw Problem.invalidPayload('The arguments are invalid.', issues);
        const done = operation(input);
        permit(name, tool.scope, caller.principal, log, done);
        const progress = progressOf(context);
        const answer = await tool.run(input, {
          ...caller,
          signal,
          followsTasks: followsTasks(context),
          progress,
        });
        if (isRecorded(done)) await record(caller.principal, done, idsIn(input as object));
        return isRunTask(answer) ? answer : checkedResult(tool, answer);
      } catch (error) {
        // The caller has disconnected.
        if (signal.aborted) throw error;
        return refused(toProblem(error, `tool ${name}`, log));
      }
    },
  };
}

/** What a call was about, as the path of a request would say it. */
const idsIn = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name.endsWith('Id')));

/** A tool's entry in tools/list. */
function listed({ name, title, description, input, output, hints }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: brief(plain(input)) as ListedTool['inputSchema'],
    outputSchema: outline(plain(output)),
    annotations: { ...hints, openWorldHint: false },
  };
}

const plain = (schema: TSchema): ObjectSchema => JSON.parse(JSON.stringify(schema));

/** Sends progress to a caller that asked for it. The protocol requires it to increase with each message. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): ToolCall['progress'] {
  const token = _meta?.progressToken;
  let reached = -1;
  return async (fraction, message) => {
    if (token === undefined || fraction <= reached) return;
    reached = fraction;
    const params = { progressToken: token, progress: fraction, total: 1, message };
    await notify({ method: 'notifications/progress', params });
  };
}

/**
 * The longest text in an answer, in bytes: the answering thread validates and writes it. The captions of ten hours
 * have less, and no model reads more.
 */
export const MAX_ANSWER_BYTES = 2 ** 20;

/**
 * Counts an answer until it is sent.
 * @param path where to read a longer one over HTTP
 * @throws {Problem} 413 if it is too long for a tool, 503 while too many results are being sent
 */
export function countAnswer(
  bytes: number,
  path: string,
  { holdAnswer }: Pick<Caller, 'holdAnswer'>,
): void {
  if (bytes > MAX_ANSWER_BYTES) {
    const message = `This is too long for the answer of a tool. Read it over HTTP: GET ${path}`;
    throw new Problem(413, 'answer_too_large', message);
  }
  holdAnswer(bytes);
}

/**
 * The text of an answer about a result, counted until the answer is sent.
 * @param path where to read a longer one over HTTP
 * @throws {Problem} 413 if it is too long for a tool, 503 while too many results are being read or sent
 */
export async function heldAnswer(
  held: Promise<SharedText>,
  path: string,
  call: Pick<Caller, 'holdAnswer'>,
): Promise<string> {
  const { size, read, release } = await held;
  try {
    countAnswer(size, path, call);
    return Buffer.concat(await Array.fromAsync(read())).toString();
  } finally {
    release();
  }
}

/**
 * Checks scope and role, and records every call in the audit log.
 * @param tool the name of the tool or method
 * @param scope the scope that it needs; null for any key
 * @param operation whose role it needs, as the table of roles has it
 * @throws {Problem} 403 `insufficient_scope`, `insufficient_role`
 */
export function permit(
  tool: string,
  scope: CaptionerScope | null,
  principal: Caller['principal'],
  log: Log,
  operation = `tool ${tool}`,
): void {
  const { keyId, ownerType, organizationId, scopes, role } = principal;
  const allowed = scope === null || scopes.includes(scope);
  const least = leastRole(operation);
  const hasRole = includesRole(role, least);
  const outcome = !allowed ? 'insufficient_scope' : hasRole ? 'allowed' : 'insufficient_role';
  log.audit('tool_call', { keyId, ownerType, organizationId, tool, requiredScope: scope, outcome });
  if (!allowed) throw Problem.insufficientScope(scope);
  if (!hasRole) throw Problem.insufficientRole(least, role);
}

/**
 * The result of a call.
 * @throws {Error} the value does not match the tool's output schema
 */
function checkedResult(
  { name, output }: Tool,
  { text, value, failed = false }: ToolAnswer,
): CallToolResult {
  const [issue] = validator(output).issues(value);
  if (issue) throw new Error(`the answer of ${name} is wrong: ${issue.path} ${issue.message}`);
  return callResult({ text, value, failed });
}

/** An answer as the result of tools/call. */
export const callResult = ({ text, value, failed = false }: ToolAnswer): CallToolResult => ({
  content: text.map((part) => ({ type: 'text', text: part })),
  structuredContent: value,
  isError: failed,
});

/**
 * A refusal as text that says what to change. It has no structuredContent, because clients of SDK 1.x validate that
 * against the tool's outputSchema even if isError is set, and then discard the text.
 */
function refused({ code, message, options: { details = [] } }: Problem): CallToolResult {
  const lines = details.map((issue) => `- ${issue.path} ${issue.message}`);
  return {
    content: [{ type: 'text', text: [`${code}: ${message}`, ...lines].join('\n') }],
    isError: true,
  };
}

/**
 * Shortens the schemas of tools for tools/list, which every client reads in full and most put into a model's context.
 * Calls and answers are still checked against the full schemas, which /openapi.json documents.
 */
type Json = Record<string, unknown>;

/** The schema of an object, as JSON. */
interface ObjectSchema extends Json {
  properties: Record<string, Json>;
  required?: string[];
}

/** Keywords that a caller rarely needs; a refusal explains them when one does. */
const RARE = new Set(
  ['minLength', 'maxLength', 'pattern', 'format', 'maxItems'].concat(
    // That nothing else may be in them is said of the arguments themselves.
    ['additionalProperties', 'propertyNames', 'maxProperties', 'examples'],
  ),
);

/**
 * The schema of arguments without limits on the length of texts and lists. Of a choice from a list of names, or a list
 * of such choices, only the list is shown, since it contains the same names again.
 * @example
 * brief({ type: 'object', properties: { n: { type: 'string', maxLength: 9, description: 'a name' } } });
 * // => { type: 'object', properties: { n: { type: 'string', description: 'a name' } } }
 */
const brief = (schema: Json): Json => {
  const { additionalProperties } = schema;
  return {
    ...(without(schema) as Json),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
};

/** A schema, or a part of one, without rare keywords. A property may have the same name as a keyword. */
function without(part: unknown, named = false): unknown {
  if (Array.isArray(part)) return part.map((each) => without(each));
  if (typeof part !== 'object' || part === null) return part;
  const [one, many] = (part as { anyOf?: Json[] }).anyOf ?? [];
  if (!named && Array.isArray(one?.['enum']) && many?.['type'] === 'array') return without(many);
  const kept = Object.entries(part).filter(([key]) => named || !RARE.has(key));
  return Object.fromEntries(
    kept.map(([key, each]) => [key, without(each, !named && key === 'properties')]),
  );
}

/**
 * The schema of an answer, reduced to the names and types of its fields. Whatever fits the schema fits its outline.
 * @example
 * outline({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } });
 * // => { type: 'object', properties: { n: { type: 'integer' } } }
 */
function outline({ required, properties }: ObjectSchema): Json {
  const fields = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, each]) => [name, typeOf(each)])),
    ...(required !== undefined && { required }),
  };
}

/** The type of a field, and of the elements of a list unless they are objects. Not every client understands lists of types. */
function typeOf({ type, anyOf, items }: Json): Json {
  if (Array.isArray(anyOf)) {
    const types = [...new Set(anyOf.map((each: Json) => each['type']))];
    return types.length === 1
      ? { type: types[0] }
      : { anyOf: types.map((each) => ({ type: each })) };
  }
  const element = items as Json | undefined;
  if (element === undefined || element['type'] === 'object') return { type };
  return { type, items: typeOf(element) };
}
