/** The HTTP app and its routes, one line per resource. */
import { type AnyElysia, Elysia } from 'elysia';
import type { Tracing } from './base/tracing-settings.ts';
import type { Bounds, Lifetimes, Operator } from './config/config.ts';
import type { SingleSignOnSettings } from './remote/single-sign-on-settings.ts';
import type { SpeechSettings, WorkosService } from './remote/service-settings.ts';
import type { ProviderSummary } from './contract/providers.ts';
import type { TermPackList } from './contract/terminology.ts';
import { accountKeyRoutes } from './http/identity/account-keys.ts';
import { addressRoutes } from './http/identity/addresses.ts';
import { audioRoutes } from './http/uploads/audio.ts';
import { libraryRoutes } from './http/runs/library.ts';
import { browserAppRoutes } from './http/documents/browser-app.ts';
import { conversionRoutes } from './http/runs/conversions.ts';
import { captionFileRoutes } from './http/runs/caption-files.ts';
import { documentRoutes, createDocuments } from './http/documents/routes.ts';
import { explorerRoutes } from './http/documents/explorer.ts';
import { createAuthorize, createGuard, createRecord } from './http/identity/guard.ts';
import { requireRoles } from './http/identity/roles.ts';
import { erasureRoutes } from './http/runs/erasure.ts';
import {
  healthOf,
  countAnswers,
  healthRoute,
  metricsRoute,
  readinessRoute,
  type HealthChecks,
} from './http/health.ts';
import { routeTable, problemOf, traceRequests } from './http/route-table.ts';
import { prefers } from './http/negotiate.ts';
import { foreignOrigin, MCP_PATH, mcpRoutes } from './http/mcp/mcp.ts';
import { describePaths } from './http/documents/openapi-document.ts';
import { Problem } from './http/problems.ts';
import { asOpenAiProblem, isOpenAiPath } from './http/openai/errors.ts';
import { openAiRoutes } from './http/openai/routes.ts';
import { registrationRoutes, oauthRoutes } from './http/identity/registration.ts';
import { requestId, isPlainPath, pathOf, publicAddress } from './http/request.ts';
import { preflight, responseHeaders } from './http/response-headers.ts';
import { talkEvidenceRoutes } from './http/reviews/talk-evidence.ts';
import { singleSignOnRoutes } from './http/identity/single-sign-on.ts';
import { searchRoutes } from './http/runs/search.ts';
import type { CaptionSearch } from './search/caption-search.ts';
import { learningRoutes } from './http/workspace/learning.ts';
import { termRoutes } from './http/workspace/terms.ts';
import { reviewVersionRoutes } from './http/reviews/review-versions.ts';
import { reviewCommentRoutes } from './http/reviews/review-comments.ts';
import { reviewLinkRoutes } from './http/reviews/review-links.ts';
import { evidenceRoutes } from './http/reviews/reports.ts';
import { reviewRoutes } from './http/reviews/reviews.ts';
import { runMediaRoutes } from './http/runs/run-media.ts';
import { translationRoutes } from './http/runs/translations.ts';
import { createUploadLinks } from './http/uploads/upload-links.ts';
import { createUploads, type SetIdleTimeout } from './http/uploads/mp3-upload.ts';
import { resumableRoutes } from './http/uploads/resumable.ts';
import { tusHeaders } from './http/uploads/tus-headers.ts';
import { createRunTexts } from './http/runs/run-texts.ts';
import { NOT_STOPPING, type Stopping } from './http/stopping.ts';
import { createStoredTexts } from './http/work/stored-texts.ts';
import { webhookRoutes } from './http/workspace/webhooks.ts';
import { memberRoutes } from './http/workspace/members.ts';
import { organisationRoutes } from './http/workspace/organisation.ts';
import { personRoutes } from './http/workspace/person.ts';
import { workspaceRoutes } from './http/workspace/workspace.ts';
import { runWatchingRoutes } from './http/runs/run-streams.ts';
import { workflowRoutes } from './http/runs/workflows.ts';
import { createKeyAddresses } from './identity/key-addresses.ts';
import type { Mailer } from './identity/mail.ts';
import { standingOf } from './identity/members.ts';
import type { IdentityProvider, Principal } from './identity/provider.ts';
import type { Hasher } from './identity/secrets.ts';
import type { TerminologyStore } from './learning/terminology-store.ts';
import type { ReviewStore } from './reviews/review-store.ts';
import { withLogFields, type Log } from './base/log.ts';
import type { Metrics } from './base/metrics.ts';
import { createReviewLinks } from './reviews/review-links.ts';
import type { RunErasures } from './runs/run-erasure.ts';
import type { Runs } from './runs/service.ts';
import type { Translations } from './runs/translations.ts';
import type { AudioStore } from './storage/audio.ts';
import type { Database } from './storage/database.ts';
import type { Spool } from './storage/spool.ts';
import { answering, type BeforeWrite } from './storage/write-limit.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';
import { answeredInTime, type WorkPool } from './http/work/pool.ts';

export interface AppServices extends Lifetimes, Bounds, Operator {
  /** BASE_URL, or the address for requests without one. No trailing slash. */
  baseUrl: string;
  /** Whether the operator has set BASE_URL; if not, documents use the address that the client used. */
  baseUrlIsSet: boolean;
  identity: IdentityProvider;
  /** Signs the tokens that clients carry for us. */
  hasher: Hasher;
  /** The settings of recognition. */
  speech: Pick<SpeechSettings, 'engine' | 'model' | 'modelsDir' | 'speakers'>;
  /** For tests: the time after which the response to a client of OpenAI begins although its run goes on. */
  beginAfterMs?: number;
  /** For tests: the time in which a request that waits for work has its response, in milliseconds. */
  answerMs?: number;
  /** The folder of the service's files. */
  dataDir: string;
  /** The path of the service's SQLite file, or a PostgreSQL address. */
  databaseUrl: string;
  database: Database;
  /** Limits what requests write; is asked before what is written by other threads. */
  beforeWrite: BeforeWrite;
  audio: AudioStore;
  setIdleTimeout: SetIdleTimeout;
  runs: Runs;
  erasure: RunErasures;
  /** Calls back with the id of each run that is erased. */
  onErased(listener: (runId: string) => void): void;
  reviews: ReviewStore;
  captionSearch: CaptionSearch;
  translations: Translations;
  terminology: TerminologyStore;
  webhooks: WebhookStore;
  /** Holds responses that wait for slow readers, and uploads that are converted before they are stored. */
  spool: Spool;
  /** The threads that do the work of requests that must not hold up others. */
  pool: WorkPool;
  /** Private hosts and networks that webhooks may reach. */
  webhookAllow: readonly string[];
  packs: TermPackList;
  providers: readonly ProviderSummary[];
  teamEmailDomain: string | null;
  mailer: Pick<Mailer, 'deliver'>;
  /** Whether emails are sent; otherwise they are written to the outbox. */
  sendsMail: boolean;
  /** The OpenID Connect provider that signs people in; null if there is none. */
  singleSignOn: SingleSignOnSettings | null;
  /** For how long a key of such a sign-in is valid. */
  sessionMs: number;
  /** An outside identity provider, for the metadata. */
  workos: WorkosService | null;
  trustProxy: boolean;
  metrics: Metrics;
  /** The token that protects /metrics on the public port; without it, /metrics is not served there. */
  metricsToken: string | null;
  /** Whether requests are traced as spans. */
  tracing: Tracing | null;
  /** The address of the client that sent a request. */
  clientAddress(request: Request): string;
  /** The checks that must pass for the service to work. */
  health: HealthChecks;
  /** Those of them that must pass for this process to take requests. */
  readiness: HealthChecks;
  /** Default: the process does not stop. */
  stopping?: Stopping;
  log: Log;
}

/** Responds to requests: synchronously for documents, asynchronously for everything else. */
export type Answer = (request: Request) => Response | Promise<Response>;

/**
 * Creates the routes, one line per resource, and everything that is derived from them.
 * @throws {Error} a route has no description
 */
export function createRoutes(services: AppServices) {
  const address = publicAddress(services);
  const links = createReviewLinks(services.database, (token) =>
    services.hasher.hash('review-link', token),
  );
  const addresses = createKeyAddresses(services);
  const standingIn = (principal: Principal) => standingOf(services.database, principal);
  const authorize = createAuthorize({ ...services, address, links, addresses, standingIn });
  const guard = createGuard(authorize, { record: createRecord(services) });
  const documents = createDocuments({ ...services, address, paths: () => paths });
  const uploadLinks = createUploadLinks(services);
  const uploads = createUploads(services);
  const stored = createStoredTexts(services);
  const texts = createRunTexts(stored.result, services);
  services.onErased(texts.forget);
  const isWell = healthOf(services.health, services.log);
  const isReady = healthOf(services.readiness, services.log);
  const { stopping = NOT_STOPPING } = services;

  // Types of many routes in one chain are too deep for the compiler.
  const ownRoutes: AnyElysia = new Elysia()
    .use(accountKeyRoutes({ ...services, address, guard }))
    .use(addressRoutes({ address, guard, addresses }))
    .use(personRoutes({ ...services, guard }))
    .use(memberRoutes({ ...services, address, guard }))
    .use(organisationRoutes({ ...services, guard }));
  if (services.singleSignOn) {
    const settings = services.singleSignOn;
    ownRoutes.use(singleSignOnRoutes({ ...services, settings, guard }));
  }
  const besideReviews = new Elysia()
    .use(reviewCommentRoutes({ ...services, guard }))
    .use(reviewVersionRoutes({ ...services, guard, texts, stored }));
  const app = new Elysia({ normalize: false, ...EXACT })
    .onError((failed) => {
      const { request } = failed;
      const problem = problemOf(failed, missing, services.log);
      return isVisit(request)
        ? documents.errorPage(request, problem)
        : problemResponse(request, problem);
    })
    .use(registrationRoutes({ ...services, address }))
    .use(oauthRoutes(address))
    .use(ownRoutes)
    .use(audioRoutes({ ...services, guard, uploadLinks, uploads }))
    .use(resumableRoutes({ ...services, guard, address, uploads }))
    .use(workflowRoutes({ ...services, address, guard, texts }))
    .use(libraryRoutes({ ...services, guard, stored }))
    .use(talkEvidenceRoutes({ ...services, address, guard, stored }))
    .use(searchRoutes({ ...services, address, guard }))
    .use(runWatchingRoutes({ ...services, guard, texts, stopping }))
    .use(erasureRoutes({ ...services, guard }))
    .use(workspaceRoutes({ ...services, guard, stored }))
    .use(captionFileRoutes({ ...services, guard, texts, stored }))
    .use(conversionRoutes({ ...services, guard }))
    .use(translationRoutes({ ...services, guard, address, texts, stored }))
    .use(reviewRoutes({ ...services, guard, texts, stored }))
    .use(reviewLinkRoutes({ ...services, guard, address, links, uploads }))
    .use(runMediaRoutes({ ...services, guard, links, uploads }))
    .use(evidenceRoutes({ ...services, guard, texts, stored, links, address }))
    .use(besideReviews)
    .use(termRoutes({ ...services, guard }))
    .use(learningRoutes({ ...services, guard, stored }))
    .use(
      mcpRoutes({
        ...services,
        texts,
        stored,
        guard,
        address,
        uploadLinks,
        documents: documents.sources,
      }),
    )
    .use(webhookRoutes({ ...services, guard }))
    .use(openAiRoutes({ ...services, guard, texts, stored, uploads }))
    .use(documentRoutes(documents))
    .use(explorerRoutes())
    .use(browserAppRoutes(services))
    .use(healthRoute(isWell))
    .use(readinessRoute(isReady))
    .use(services.metricsToken === null ? new Elysia() : metricsRoute(services));

  requireRoles(app.routes);
  const paths = describePaths(app.routes);
  const table = routeTable(app.routes);
  const missing = ({ url }: Request) => {
    const methods = table.methodsOf(pathOf(url));
    return methods.length > 0 ? Problem.methodNotAllowed(methods) : Problem.notFound();
  };
  return { app, address, documents, paths, table };
}

/** Creates the app, which has no state of its own except for counts. */
export function createApp(services: AppServices): Answer {
  const { app, address, documents, table } = createRoutes(services);
  const { finish, secure } = responseHeaders(services);
  const count = countAnswers(services.metrics);
  const answerNotFound = (request: Request): Response =>
    isVisit(request)
      ? documents.errorPage(request, Problem.notFound())
      : problemResponse(request, Problem.notFound());
  const answerOptions = (request: Request): Response => {
    const methods = table.methodsOf(pathOf(request.url));
    const isPreflight = request.headers.has('access-control-request-method');
    const foreign = pathOf(request.url) === MCP_PATH ? foreignOrigin(address, request) : null;
    if (foreign) return problemResponse(request, foreign);
    return methods.length > 0 || isPreflight ? preflight(methods) : answerNotFound(request);
  };
  const answerAny = async (request: Request): Promise<Response> => {
    if (!isPlainPath(request)) return answerNotFound(request);
    if (request.method === 'OPTIONS') return answerOptions(request);
    if (request.method === 'HEAD') return withoutBody(await app.handle(asGet(request)));
    return app.handle(request);
  };
  const answer = services.tracing ? traceRequests(answerAny) : answerAny;
  return (request) => {
    const id = requestId(request);
    const document = documents.answer(request);
    if (document) {
      services.metrics.answered(request.method, pathOf(request.url), document.status, 0);
      document.headers.set('x-request-id', id);
      return secure(request, document);
    }
    const began = performance.now();
    const answered = () =>
      answeredInTime(async () => answer(request), services.answerMs, request.signal);
    return answering(() => withLogFields({ requestId: id }, answered)).then((response) => {
      count(request, table.routeOf(pathOf(request.url)) ?? '(none)', response.status, began);
      response.headers.set('x-request-id', id);
      for (const [name, value] of tusHeaders(request)) response.headers.set(name, value);
      return finish(request, response);
    });
  };
}

/** Creates the app for operators, with health and metrics, on a worker's port and on METRICS_PORT. */
export function createOperatorApp(
  services: Pick<AppServices, 'health' | 'readiness' | 'metrics' | 'metricsToken' | 'log'>,
): Answer {
  const isWell = healthOf(services.health, services.log);
  const isReady = healthOf(services.readiness, services.log);
  const app = new Elysia(EXACT)
    .onError((failed) => problemOf(failed, Problem.notFound, services.log).response())
    .use(healthRoute(isWell))
    .use(readinessRoute(isReady))
    .use(metricsRoute(services));
  return (request) => app.handle(request);
}

/**
 * Options for exact routing. The router would search for the path after the fourth letter of the host, but a host such
 * as `web` may be shorter. A path with a trailing slash is a different path.
 */
const EXACT = { strictPath: true, handler: { standardHostname: false } };

/** The response for a problem, in the format that the request asks for. */
const problemResponse = ({ url, headers }: Request, problem: Problem): Response =>
  isOpenAiPath(pathOf(url))
    ? asOpenAiProblem(problem).response()
    : problem.response(headers.get('accept'));

/** Whether a person follows a link in a browser, and so gets errors as a page. */
const isVisit = ({ method, headers }: Request): boolean =>
  method === 'GET' && prefers.page(headers.get('accept'));

/** A request as GET, without Range, which applies only to GET. */
function asGet({ url, headers, signal }: Request): Request {
  const get = new Request(url, { headers, signal });
  get.headers.delete('range');
  return get;
}

/**
 * The response to HEAD: that to GET without its body, but with its length. Streams are not read to their end, so they
 * have no length.
 */
async function withoutBody(response: Response): Promise<Response> {
  const { body, status, headers } = response;
  if (/^(text\/event-stream|application\/gzip)/.test(headers.get('content-type') ?? '')) {
    await body?.cancel();
  } else if (body) headers.set('content-length', String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}
