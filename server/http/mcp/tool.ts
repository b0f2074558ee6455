/** What a tool of the MCP server is, and how its answers and refusals are told. */
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
import { insufficientScope, toProblem, type Problem } from '../problems.ts';

/** Who calls, and how. */
export interface Caller {
  principal: Principal;
  /** The address under which the caller reaches the service, without a trailing slash. */
  baseUrl: string;
  /** Says that a recording inside the message is no longer held in memory. */
  releaseBody(): void;
}

/** What a call of a tool is made with. */
export interface ToolCall extends Caller {
  /** Aborted when the caller goes away or cancels. */
  signal: AbortSignal;
  /** Tells the caller how far it is, 0 to 1, where it wants to know. */
  progress(fraction: number, message: string): Promise<void>;
}

/** What a tool answers: words for the model, a value for its program. */
export interface ToolAnswer {
  text: string[];
  value: Record<string, unknown>;
  /** The call was understood, but did not come to what it was for. */
  failed?: boolean;
}

export interface Tool<Input extends TSchema = TSchema> {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: TSchema;
  /** What a key needs; null: any key will do. */
  scope: CaptionerScope | null;
  hints: { readOnlyHint: boolean; idempotentHint?: boolean; destructiveHint?: boolean };
  run(input: Static<Input>, call: ToolCall): Promise<ToolAnswer>;
}

/** Adds a tool to a server that answers one caller. */
export type RegisterTool = (server: McpServer, caller: Caller) => void;

/** Makes ready what is the same for every caller of a tool. */
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
      // It has to grow with each that is sent.
      if (token === undefined || fraction <= reached) return;
      reached = fraction;
      const params = { progressToken: token, progress: fraction, total: 1, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    };
    try {
      permit(tool, caller.principal, log);
      return told(await tool.run(input, { ...caller, signal: mcpReq.signal, progress }));
    } catch (error) {
      // Nobody is there to be told any more.
      if (mcpReq.signal.aborted) throw error;
      return refused(toProblem(error, `tool ${name}`, log));
    }
  };
  return (server, caller) => {
    server.registerTool(name, config, (input, { mcpReq }) => call(input, caller, mcpReq));
  };
}

/** A key without the scope is told so, and every call leaves a line of audit log. */
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
 * A refusal in words that say what to change. It has no structuredContent: clients of SDK 1.x hold that
 * against the tool's outputSchema even where isError is set, and then throw the words away.
 */
function refused({ code, message, options }: Problem): CallToolResult {
  const lines = (options.details ?? []).map((fault) => `- ${fault.path} ${fault.message}`);
  return {
    content: [{ type: 'text', text: [`${code}: ${message}`, ...lines].join('\n') }],
    isError: true,
  };
}

/** A schema of the contract as the SDK takes it: told as it is, checked by our own validator. */
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
