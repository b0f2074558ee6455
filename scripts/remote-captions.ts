/** Captions recordings on a Captioner server instead of this machine. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CaptionerPayload } from '../server/contract/payload.ts';
import type { CaptionerResult } from '../server/contract/results.ts';
import { CommandFailure, UsageError } from './command-line.ts';
import { uploadRecording, type Requests } from './remote-upload.ts';

/** The name under which system key chains hold the key. */
const KEY_CHAIN_ENTRY = 'captioner';
/** How often the state of a run is asked for, unless the server says when. */
const LOOK_EVERY_MS = 1000;
/** Most refusals in a row (a busy server, a broken connection) before a recording is given up. */
const MOST_TRIES = 8;

export interface Server {
  caption(
    mp3: string,
    payload: CaptionerPayload,
    report: (stage: string, progress: number) => void,
    words: (text: string) => void,
  ): Promise<CaptionerResult>;
}

/**
 * The API key of a server: CAPTIONER_API_KEY, else the entry `captioner` of the system's key chain
 * (macOS: security; Linux: secret-tool), for the server's host.
 * @throws {CommandFailure} if there is none
 */
export function serverKey(address: URL): string {
  const fromEnvironment = process.env['CAPTIONER_API_KEY']?.trim();
  if (fromEnvironment) return fromEnvironment;
  const lookUp: [string, string[]] =
    process.platform === 'darwin'
      ? ['security', ['find-generic-password', '-s', KEY_CHAIN_ENTRY, '-a', address.host, '-w']]
      : ['secret-tool', ['lookup', 'service', KEY_CHAIN_ENTRY, 'host', address.host]];
  const { stdout } = spawnSync(...lookUp, { encoding: 'utf8', timeout: 30_000 });
  if (stdout?.trim()) return stdout.trim();
  throw new CommandFailure(
    `${address.origin} needs an API key: set CAPTIONER_API_KEY, or store one in the key chain as ${KEY_CHAIN_ENTRY} for ${address.host}.`,
  );
}

/**
 * The server at an address.
 * @throws {UsageError} for what is no address of one
 */
export function serverAddress(given: string): URL {
  const address = URL.parse(given);
  if (!address || !/^https?:$/.test(address.protocol) || address.username || address.password) {
    throw new UsageError('--server must be an http or https address, without a password in it.');
  }
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(address.hostname);
  if (address.protocol === 'http:' && !isLocal) {
    throw new UsageError('--server must be an https address: over http the key could be read.');
  }
  return address;
}

/** Connects to a server; nothing is sent before the first recording. */
export function connect(address: URL, key: string): Server {
  const base = address.href.replace(/\/+$/, '');

  const once: Requests['once'] = (method, path, { headers, ...init }) =>
    fetch(`${base}${path}`, {
      ...init,
      method,
      // Nobody else is to be given the key.
      redirect: 'error',
      headers: { ...(headers as Record<string, string>), authorization: `Bearer ${key}` },
    }).catch(() => null);
  const isPassing = (response: Response | null): boolean =>
    !response || [429, 502, 503, 504].includes(response.status);

  /** Sends a request, again where the server is busy or the connection broke. */
  const send: Requests['send'] = async (method, path, make = () => ({})) => {
    for (let tries = 1; ; tries += 1) {
      const response = await once(method, path, make());
      if (response?.ok) return response;
      if (!isPassing(response) || tries >= MOST_TRIES) throw await refusal(address, response);
      const told = Number(response?.headers.get('retry-after') ?? NaN);
      await response?.body?.cancel();
      await sleep(1000 * Math.min(60, told >= 0 ? told : 2 ** Math.min(tries, 5) / 4));
    }
  };
  const requests: Requests = {
    once,
    send,
    isPassing,
    refusal: (response) => refusal(address, response),
    mostTries: MOST_TRIES,
  };

  return {
    async caption(mp3, payload, report, words) {
      const audioKey = `shell/${randomUUID()}.mp3`;
      const recording = await openAsBlob(mp3, { type: 'audio/mpeg' });
      report('storage', 0);
      await uploadRecording(requests, audioKey, recording, (fraction) =>
        report('storage', fraction),
      );
      const idempotencyKey = randomUUID();
      const started = await send('POST', '/workflows/captioner', () => ({
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ ...payload, audio: { ...payload.audio, key: audioKey } }),
      }));
      const { runId } = (await started.json()) as { runId: string };
      let heardUntil = 0;
      /** Shows what is new; a server of an earlier version has nothing to show. */
      const listen = async () => {
        const path = `/workflows/captioner/${runId}/partial-transcript?after=${heardUntil}`;
        const heard = (await send('GET', path)
          .then((response) => response.json())
          .catch(() => null)) as { position: number; parts: { text: string }[] } | null;
        heardUntil = heard?.position ?? NaN;
        for (const { text } of heard?.parts ?? []) words(text);
      };
      for (;;) {
        const run = (await (await send('GET', `/workflows/captioner/${runId}`)).json()) as {
          finishedAt: string | null;
          stage: string | null;
          progress: number;
          envelope?: { result: CaptionerResult };
        };
        if (run.finishedAt !== null && run.envelope) return run.envelope.result;
        report(run.stage ?? 'payload', run.progress);
        if (process.stderr.isTTY && heardUntil >= 0) await listen();
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}

/** What a server said when it refused, in its own words. */
async function refusal({ origin }: URL, response: Response | null): Promise<CommandFailure> {
  if (!response) return new CommandFailure(`${origin} cannot be reached.`);
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: unknown; message?: unknown };
  } | null;
  const { code, message } = body?.error ?? {};
  return new CommandFailure(
    typeof message === 'string'
      ? `${origin} refused it (${response.status} ${String(code)}): ${message}`
      : `${origin} answered with status ${response.status}.`,
  );
}
