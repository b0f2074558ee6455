/** Tools of the MCP server, and the form of their answers and refusals. */
import type {
  CallToolResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { CaptionerScope } from '../../contract/scopes.ts';
import { validator, type Static, type TSchema } from '../../contract/schema.ts';
import type { Principal } from '../../identity/provider.ts';
import type { Log } from '../../log.ts';
import type { HeldText } from '../run-texts.ts';
import { insufficientScope, toProblem, type Problem } from '../problems.ts';

/** The caller, and how it reaches the service. */
export interface Caller {
  principal: Principal;
  /** The address under which the caller reaches the service, without a trailing slash. */
  baseUrl: string;
  /** Reports that the recording inside the message is no longer held in memory. */
  releaseBody(): void;
  /**
   * Counts an answer of so many bytes until it is sent.
   * @throws {Problem} 503 where those under way are as large as is allowed
   */
  holdAnswer(bytes: number): void;
}

/** The context of a call. */
export interface ToolCall extends Caller {
  /** Aborted when the caller disconnects or cancels. */
  signal: AbortSignal;
  /** Reports progress to the caller, 0 to 1, if it asked for it. */
  progress(fraction: number, message: string): Promise<void>;
}

/** A tool's answer: text for the model, a value for its program. */
export interface ToolAnswer {
  text: string[];
  value: Record<string, unknown>;
  /** The call was understood, but failed. */
  failed?: boolean;
}

export interface Tool<Input extends TSchema = TSchema> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: TSchema;
  /** The scope that a key needs; null for any key. */
  scope: CaptionerScope | null;
  hints: { readOnlyHint: boolean; idempotentHint?: boolean; destructiveHint?: boolean };
  run(input: Static<Input>, call: ToolCall): Promise<ToolAnswer>;
}

/** Adds a tool to a server for one caller. */
export type RegisterTool = (server: McpServer, caller: Caller) => void;

/** Prepares the parts of a tool that are the same for every caller. */
export function prepareTool(tool: Tool, log: Log): RegisterTool {
  const { name, title, description, hints } = tool;
  const config = {
    title,
    description,
    inputSchema: standardSchema(tool.input),
    outputSchema: standardSchema(tool.output),
    annotations: { ...hints, openWorldHint: false },
  };
  const call = async (
    input: unknown,
    caller: Caller,
    mcpReq: ServerContext['mcpReq'],
  ): Promise<CallToolResult> => {
    const token = mcpReq._meta?.progressToken;
    let reached = -1;
    const progress = async (fraction: number, message: string): Promise<void> => {
      // Progress has to increase with each message.
      if (token === undefined || fraction <= reached) return;
      reached = fraction;
      const params = { progressToken: token, progress: fraction, total: 1, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    };
    try {
      permit(tool, caller.principal, log);
      return told(await tool.run(input, { ...caller, signal: mcpReq.signal, progress }));
    } catch (error) {
      // The caller is gone.
      if (mcpReq.signal.aborted) throw error;
      return refused(toProblem(error, `tool ${name}`, log));
    }
  };
  return (server, caller) => {
    server.registerTool(name, config, (input, { mcpReq }) => call(input, caller, mcpReq));
  };
}

/**
 * The text of an answer about a result, counted until the answer is sent.
 * @throws {Problem} 503 while too many results are being read or sent
 */
export async function heldAnswer(held: Promise<HeldText>, call: Caller): Promise<string> {
  const { bytes, release } = await held;
  try {
    call.holdAnswer(bytes.byteLength);
    return new TextDecoder().decode(bytes);
  } finally {
    release();
  }
}

/** Checks the scope, and writes every call to the audit log. */
function permit({ name, scope }: Tool, principal: Principal, log: Log): void {
  const { keyId, ownerType, organizationId, scopes } = principal;
  const allowed = scope === null || scopes.includes(scope);
  const outcome = allowed ? 'allowed' : 'insufficient_scope';
  log.audit('tool_call', {
    keyId,
    ownerType,
    organizationId,
    tool: name,
    requiredScope: scope,
    outcome,
  });
  if (!allowed) throw insufficientScope(scope);
}

/**
 * Refuses a key that lacks a scope.
 * @throws {Problem} 403 `insufficient_scope`
 */
export function requireScope({ scopes }: Principal, scope: CaptionerScope): void {
  if (!scopes.includes(scope)) throw insufficientScope(scope);
}

const told = ({ text, value, failed = false }: ToolAnswer): CallToolResult => ({
  content: text.map((part) => ({ type: 'text', text: part })),
  structuredContent: value,
  isError: failed,
});

/**
 * A refusal in words that say what to change. It has no structuredContent: clients of SDK 1.x
 * validate that against the tool's outputSchema even if isError is set, and then discard the text.
 */
function refused({ code, message, options }: Problem): CallToolResult {
  const lines = (options.details ?? []).map((fault) => `- ${fault.path} ${fault.message}`);
  return {
    content: [{ type: 'text', text: [`${code}: ${message}`, ...lines].join('\n') }],
    isError: true,
  };
}

/** A schema of the contract in the SDK's interface, checked by our own validator. */
function standardSchema<S extends TSchema>(schema: S): StandardSchemaWithJSON<Static<S>> {
  const check = validator(schema);
  const json = () => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'captioner',
      validate: (value) =>
        check.check(value)
          ? { value }
          : {
              issues: check
                .faults(value)
                .map(({ path, message }) => ({ message, path: path.split('.') })),
            },
      jsonSchema: { input: json, output: json },
    },
  };
}
