/** The HTTP app: one line per resource. */
import { Elysia } from 'elysia';
import type { WorkosService } from './config.ts';
import type { ProviderSummary } from './contract/providers.ts';
import type { TermPackList } from './contract/terminology.ts';
import { audioRoutes } from './http/audio.ts';
import { discoveryRoutes } from './http/discovery.ts';
import { createGuard } from './http/guard.ts';
import { problemResponse } from './http/problems.ts';
import { registrationRoutes } from './http/registration.ts';
import { preflight, responseHeaders } from './http/response-headers.ts';
import { workflowRoutes } from './http/workflows.ts';
import type { IdentityProvider } from './identity/provider.ts';
import type { Log } from './log.ts';
import type { Runs } from './runs/service.ts';
import type { AudioStore } from './storage/audio.ts';

export interface AppServices {
  /** Without a trailing slash. */
  baseUrl: string;
  identity: IdentityProvider;
  audio: AudioStore;
  runs: Runs;
  packs: TermPackList;
  providers: readonly ProviderSummary[];
  teamEmailDomain: string | null;
  /** An outside identity provider, for the metadata. */
  workos: WorkosService | null;
  trustProxy: boolean;
  /** The address of the client that sent a request. */
  clientAddress(request: Request): string;
  /** Whether the database and the audio store answer. */
  health(): Promise<boolean>;
  log: Log;
}

/** Builds the app: what answers requests. It holds no state of its own. */
export function createApp(services: AppServices): (request: Request) => Promise<Response> {
  const authorize = createGuard(services);
  const finish = responseHeaders(services);
  const app = new Elysia({ normalize: false })
    .onError(({ error, code, request }) => problemResponse(error, code, request, services.log))
    .use(discoveryRoutes(services))
    .use(registrationRoutes(services))
    .use(audioRoutes({ ...services, authorize }))
    .use(workflowRoutes({ ...services, authorize }));
  return async (request) =>
    finish(request, request.method === 'OPTIONS' ? preflight() : await app.handle(request));
}
