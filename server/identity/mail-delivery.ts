/** Sends emails in the background to a server that may refuse, stall or drop them, with retries if they can help. */
import { createLimiter } from '../concurrency.ts';
import type { Log } from '../log.ts';
import { realTime, type Waiting } from '../waiting.ts';
import type { Mail, Mailer } from './mailer.ts';

/** Simultaneous connections to the server. */
const AT_ONCE = 8;
/** The most emails held in memory, so that a flood of registrations cannot exhaust it. */
const MAX_HELD = 1000;

interface DeliveryOptions {
  /** Sends once. */
  send(mail: Mail): Promise<void>;
  /** Pauses before each retry, in milliseconds. */
  retryAfterMs: readonly number[];
  log: Log;
  /** Timer (default: real time). */
  waiting?: Waiting | undefined;
}

/** Creates the background delivery. It logs neither emails nor their addresses. */
export function createDelivery({
  send,
  retryAfterMs,
  log,
  waiting = realTime,
}: DeliveryOptions): Mailer {
  const limited = createLimiter(AT_ONCE);
  const closing = new AbortController();
  const held = new Set<Promise<void>>();

  const deliver = async (mail: Mail): Promise<void> => {
    for (let tries = 0; !closing.signal.aborted; tries += 1) {
      try {
        await limited(() => send(mail));
        return;
      } catch (error) {
        const pause = isTemporary(error) ? retryAfterMs[tries] : undefined;
        log.error('mail_not_sent', {
          ...smtpDetails(error),
          tries: tries + 1,
          retryAfterMs: pause ?? null,
        });
        if (pause === undefined) return;
        await waiting.pause(pause, closing.signal).catch(() => {});
      }
    }
  };

  return {
    async deliver(mail) {
      if (held.size >= MAX_HELD || closing.signal.aborted) {
        log.error('mail_not_sent', {
          reason: 'too many emails are waiting to be sent',
          tries: 0,
          retryAfterMs: null,
        });
        return;
      }
      const delivery = deliver(mail).finally(() => held.delete(delivery));
      held.add(delivery);
    },
    async close(graceMs) {
      closing.abort();
      const over = new AbortController();
      await Promise.race([Promise.all(held), waiting.pause(graceMs, over.signal)]);
      over.abort();
    },
  };
}

/** The fields of an SMTP error that may be logged; its message may quote addresses. */
interface SmtpError {
  code?: unknown;
  responseCode?: unknown;
  command?: unknown;
}

const smtpDetails = (error: unknown) => {
  const { code = null, responseCode = null, command = null } = error as SmtpError;
  return { code, responseCode, command };
};

/**
 * Whether an error may pass. A refusal with a code of 500 or above is permanent (RFC 5321, 4.2.1), and so is a wrong
 * password.
 */
function isTemporary(error: unknown): boolean {
  const { code, responseCode } = error as SmtpError;
  if (code === 'EAUTH' || code === 'EENVELOPE') return isTemporaryCode(responseCode);
  return typeof responseCode !== 'number' || isTemporaryCode(responseCode);
}

const isTemporaryCode = (responseCode: unknown): boolean => Number(responseCode) < 500;
