/**
 * The MCP server: the service's tools and resources, created for the caller of each request. It stores nothing between
 * requests, so any process can answer any of them.
 */
import {
  createMcpHandler,
  INVALID_PARAMS,
  McpServer,
  ProtocolError,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { API_VERSION } from '../../contract/results.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import type { Log } from '../../base/log.ts';
import { createRecord } from '../identity/guard.ts';
import { createRuleBook } from '../workspace/rule-requests.ts';
import type { Database } from '../../storage/database.ts';
import type { TerminologyStore } from '../../learning/terminology-store.ts';
import type { ReviewStore } from '../../reviews/review-store.ts';
import type { RunErasures } from '../../runs/run-erasure.ts';
import type { Runs } from '../../runs/service.ts';
import type { Translations } from '../../runs/translations.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { RunTexts } from '../runs/run-texts.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import type { UploadLinks } from '../uploads/upload-links.ts';
import { captionTool, uploadTool } from './caption-tool.ts';
import type { CaptionSearch } from '../../search/caption-search.ts';
import { searchTool } from './search-tool.ts';
import { evidenceTool } from './evidence-tool.ts';
import { reviewTools } from './review-tools.ts';
import { prepareTool, type Caller, type Tool, isRunTask, type PreparedTool } from './tool.ts';
import type { WebhookServices } from '../workspace/webhooks.ts';
import type { WorkPool } from '../work/pool.ts';
import type { Source } from '../documents/html.ts';
import {
  cancelRunTool,
  eraseRunTool,
  getCaptionsTool,
  getRunTool,
  listRunsTool,
  translationTool,
} from './run-tools.ts';
import { learningTools, packTool, termTools, webhookTool } from './workspace-tools.ts';
import { followsTasks, registerTasks, taskCreated, TASKS_EXTENSION } from './tasks.ts';

export interface McpServices extends WebhookServices {
  runs: Runs;
  texts: RunTexts;
  erasure: RunErasures;
  reviews: ReviewStore;
  captionSearch: CaptionSearch;
  translations: Translations;
  stored: StoredTexts;
  terminology: TerminologyStore;
  database: Database;
  audio: AudioStore;
  uploadLinks: UploadLinks;
  pool: WorkPool;
  packs: TermPackList;
  /** This server's providers, for the descriptions of the payload's fields. */
  providers: readonly ProviderSummary[];
  log: Log;
}

/** The sender of a message, and the documents as rendered for that sender. */
interface McpCaller extends Caller {
  documents: ReadableDocuments;
}

/** Answers an MCP message: an authorised request with its body. */
type ServeMcp = (caller: McpCaller, request: Request, parsedBody: unknown) => Promise<Response>;

/** The interval for comments on a quiet stream, well within any proxy's time-out. */
const KEEP_ALIVE_MS = 5000;

/** Creates the function that answers messages. */
export function createServeMcp(services: McpServices): ServeMcp {
  const { log } = services;
  const record = createRecord(services);
  const tools = new Map(
    toolsOf(services).map((tool) => [tool.name, prepareTool(tool, log, followsTasks, record)]),
  );
  const options = {
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error: Error) => log.debug('mcp_refused', { error }),
  };
  const callers = new WeakMap<Request, McpCaller>();
  const make = ({ era, requestInfo }: McpRequestContext) => {
    const caller = requestInfo && callers.get(requestInfo);
    if (!caller) throw new Error('the message has no caller');
    const server = serverFor(services, tools, caller);
    // Revisions before 2026-07-28 have no extensions.
    if (era === 'modern') registerTasks(server, services, caller);
    return server;
  };
  const quick = createMcpHandler(make, options);
  // A call may take long, so its stream is opened immediately and kept alive.
  const lasting = createMcpHandler(make, { ...options, responseMode: 'sse' });
  return (caller, request, parsedBody) => {
    callers.set(request, caller);
    return (isCall(parsedBody) ? lasting : quick).fetch(request, { parsedBody });
  };
}

const toolsOf = ({
  runs,
  texts,
  erasure,
  webhooks,
  webhookAllow,
  reviews,
  translations,
  stored,
  terminology,
  database,
  audio,
  uploadLinks,
  pool,
  packs,
  providers,
  captionSearch,
  log,
}: McpServices): Tool[] =>
  [
    packTool(packs),
    uploadTool(uploadLinks),
    captionTool({ runs, texts, pool, audio, providers, packs }),
    getRunTool(runs, texts, pool),
    getCaptionsTool(runs, { texts, stored, translations, pool }),
    ...reviewTools({ runs, reviews, stored, database, audio, pool }),
    ...termTools({ terminology, pool }),
    ...learningTools(createRuleBook({ database, terminology, stored, pool })),
    listRunsTool(runs),
    searchTool(captionSearch),
    evidenceTool({ runs, database, stored, pool, log }),
    cancelRunTool(runs),
    eraseRunTool(runs, erasure),
    translationTool(runs, translations),
    webhookTool({ webhooks, webhookAllow }),
  ] as Tool[];

/** The time for which a client may cache lists, which change only with a new version of the service. */
const KEPT_LISTS = { ttlMs: 5 * 60_000, cacheScope: 'public' as const };

function serverFor(
  { packs }: McpServices,
  tools: ReadonlyMap<string, PreparedTool>,
  caller: McpCaller,
): McpServer {
  const { baseUrl, documents } = caller;
  const server = new McpServer(
    {
      name: 'captioner',
      title: 'Captioner',
      version: API_VERSION,
      websiteUrl: `${baseUrl}/`,
    },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        extensions: TASKS_EXTENSION,
      },
      cacheHints: {
        'server/discover': KEPT_LISTS,
        'tools/list': KEPT_LISTS,
        'resources/list': KEPT_LISTS,
        'resources/templates/list': KEPT_LISTS,
        'resources/read': KEPT_LISTS,
      },
    },
  );
  registerTools(server, tools, caller);
  registerResources(server, { baseUrl, documents, packs });
  return server;
}

function registerTools(
  { server }: McpServer,
  tools: ReadonlyMap<string, PreparedTool>,
  caller: Caller,
): void {
  const list = [...tools.values()].map(({ listed }) => listed);
  server.setRequestHandler('tools/list', () => ({ tools: list }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (!tool) throw new ProtocolError(INVALID_PARAMS, `There is no tool ${params.name}.`);
    const answer = await tool.call(params.arguments ?? {}, caller, mcpReq);
    return isRunTask(answer) ? taskCreated(answer.task) : answer;
  });
}

const INSTRUCTIONS =
  'Captioner makes corrected SRT captions of recordings. A small MP3 goes into caption_audio as base64; ' +
  'a larger one is uploaded to the URL that create_upload_link returns, and then named in caption_audio by its key. ' +
  'Pass topic, names and language if you know them. Show the user the score, the warnings and the terms to review.';

const isCall = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'tools/call';

/** Documents by the path of their Markdown. */
type ReadableDocuments = ReadonlyMap<string, Source>;

/** Adds the resources to a server. */
function registerResources(
  server: McpServer,
  resources: { baseUrl: string; documents: ReadableDocuments; packs: TermPackList },
): void {
  const { baseUrl, documents, packs } = resources;
  for (const [path, { title, description, whole, name, markdown }] of documents) {
    const mimeType = 'text/markdown';
    const uri = `${baseUrl}${path}`;
    // A skill includes its front matter; in other documents it is internal.
    const text = name === '' ? markdown : whole;
    server.registerResource(path, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, text }],
    }));
  }
  for (const pack of packs.packs) {
    const { id, title, description = title } = pack;
    const uri = `captioner://packs/${id}`;
    const mimeType = 'application/json';
    server.registerResource(id, uri, { title, description, mimeType }, () => ({
      contents: [{ uri, mimeType, text: JSON.stringify(pack, null, 2) }],
    }));
  }
}
