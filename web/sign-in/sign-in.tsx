/** The sign-in dialog: an email address, then six boxes for the code. Contract 5. */
import type { Static } from '../../server/contract/schema.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { ApiProblem, NoAnswer, askJson } from '../api/request.ts';
import { useModal } from '../components/dialog.tsx';
import { Check } from '../components/fields.tsx';
import { Notice } from '../components/notice.tsx';
import { currentJob, isUnderWay } from '../job/job.ts';
import { isOver, queued } from '../job/queue-state.ts';
import { server } from '../tab/server.ts';
import { signIn, type signInRequest } from '../tab/session.ts';
import { OtherWays } from './other-ways.tsx';
import { chosenFiles } from '../job/chosen-file.ts';
import { problemText } from '../texts/problems.ts';
import { timeOfDay } from '../texts/format.ts';
import { text } from '../texts/shell.ts';
import { signIn as texts } from '../texts/start-parts.ts';
import type {
  AgentAuthCompleted,
  AgentAuthStarted,
  CaptionerScope,
} from '../../server/contract/registration.ts';

/** Error codes after which a new code is needed. */
const CODE_IS_OVER = new Set(['too_many_attempts', 'claim_expired']);

/** The dialog; its field is focused when it appears and when the address is requested again. */
export function SignIn({ request }: { request: NonNullable<typeof signInRequest.value> }) {
  const email = useSignal('');
  const claimToken = useSignal<string | null>(null);
  const keep = useSignal(true);
  const dialog = useModal();
  const { busy, problem, failed, attempt } = useAttempts(() => (claimToken.value = null));
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const job = currentJob.value;
  const hasFile =
    chosenFiles.value.length > 0 ||
    (job !== null && isUnderWay(job)) ||
    queued.value.some((entry) => !isOver(entry));
  const isAskingEmail = claimToken.value === null;
  useEffect(() => field.current?.focus(), [isAskingEmail]);

  const sendCode = () =>
    attempt(async () => {
      claimToken.value = (await startRegistration(email.value.trim())).claim_token;
    });
  const claim = (code: string) =>
    attempt(async () => {
      const { credential } = await completeRegistration(claimToken.value ?? '', code);
      signIn({ key: credential, email: email.value.trim() }, keep.value);
    });

  return (
    <dialog
      class="sign-in"
      ref={dialog}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault();
        request.dismiss();
      }}
    >
      <h2 id={`${id}-title`}>{texts.title}</h2>
      {request.reason === 'expired' ? (
        <Notice kind="warning">
          <p>{texts.expired}</p>
        </Notice>
      ) : (
        <p class="hint">
          {texts.why} {hasFile && texts.kept}
        </p>
      )}
      {isAskingEmail ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void sendCode();
          }}
        >
          <div class="field">
            <label for={`${id}-email`}>{texts.email}</label>
            <input
              ref={field}
              id={`${id}-email`}
              type="email"
              autocomplete="email"
              value={email}
              onInput={(event) => {
                email.value = event.currentTarget.value;
              }}
            />
          </div>
          <Check label={texts.keep} hint={texts.keepHint} value={keep} />
          <div class="actions">
            <button type="button" onClick={request.dismiss}>
              {text.cancel}
            </button>
            <button type="submit" class="primary" aria-disabled={busy}>
              {busy.value ? texts.sending : texts.send}
            </button>
          </div>
        </form>
      ) : (
        <div>
          <p>{texts.codeSent(email.value)}</p>
          {!server.sendsMail && <p class="hint">{texts.codeWritten}</p>}
          <CodeBoxes key={failed.value} disabled={busy.value} onCode={(code) => void claim(code)} />
          <p role="status">{busy.value ? texts.checking : ''}</p>
          <button
            type="button"
            class="plain"
            onClick={() => {
              claimToken.value = null;
            }}
          >
            {texts.again}
          </button>
        </div>
      )}
      {isAskingEmail && <OtherWays keep={() => keep.peek()} />}
      {problem.value !== '' && (
        <Notice kind="error">
          <p>{problem}</p>
        </Notice>
      )}
    </dialog>
  );
}

/**
 * The attempts to sign in or to make a key: whether one is under way, why the last one failed, and how many have.
 * @param onOver called once only a new code can help
 */
export function useAttempts(onOver: () => void) {
  const busy = useSignal(false);
  const problem = useSignal('');
  /** Each failed attempt empties the boxes of the code. */
  const failed = useSignal(0);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (busy.peek()) return;
    busy.value = true;
    problem.value = '';
    try {
      await work();
    } catch (error) {
      const { words, isOver } = explainSignIn(error);
      problem.value = words;
      failed.value += 1;
      if (isOver) onOver();
    } finally {
      busy.value = false;
    }
  };
  return { busy, problem, failed, attempt };
}

/**
 * The message for a registration or claim that failed, and whether a new code is needed.
 * @throws the error itself, if it is not a failed request
 */
export function explainSignIn(error: unknown): { words: string; isOver: boolean } {
  const { problems } = texts;
  if (error instanceof NoAnswer) return { words: problems['no_answer'] ?? '', isOver: false };
  if (!(error instanceof ApiProblem)) throw error;
  const { code, retryAfter } = error;
  const words =
    code === 'rate_limited' && retryAfter !== null
      ? texts.tooMany(retryAfter, clockAfter(retryAfter))
      : (problems[code] ?? texts.problem(problemText(error)));
  return { words, isOver: CODE_IS_OVER.has(code) };
}

/** The time of day some seconds from now. */
const clockAfter = (seconds: number): string => timeOfDay(Date.now() + seconds * 1000);

const LENGTH = 6;

interface CodeBoxesProps {
  disabled: boolean;
  /** Called once all digits are entered. */
  onCode(code: string): void;
}

/** The boxes; the first is focused when they become enabled. */
export function CodeBoxes({ disabled, onCode }: CodeBoxesProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const boxes = (): HTMLInputElement[] => [...frame.current!.querySelectorAll('input')];
  useEffect(() => {
    if (!disabled) boxes()[0]?.focus();
  }, [disabled]);

  /** Enters digits into the boxes, starting at one of them. */
  const fill = (at: number, typed: string): void => {
    const all = boxes();
    const digits = typed.replaceAll(/\D/g, '');
    for (const [offset, digit] of [...digits].entries()) {
      const box = all[at + offset];
      if (box) box.value = digit;
    }
    if (digits === '') all[at]!.value = '';
    else all[Math.min(LENGTH - 1, at + digits.length)]?.focus();
    const code = all.map(({ value }) => value).join('');
    if (code.length === LENGTH) onCode(code);
  };

  const move = (at: number, event: KeyboardEvent): void => {
    const all = boxes();
    if (event.code === 'Backspace' && all[at]?.value === '' && at > 0) {
      event.preventDefault();
      all[at - 1]!.value = '';
      all[at - 1]?.focus();
    } else if (event.code === 'ArrowLeft') all[at - 1]?.focus();
    else if (event.code === 'ArrowRight') all[at + 1]?.focus();
  };

  return (
    <fieldset class="code-boxes" dir="ltr" ref={frame} disabled={disabled}>
      <legend>{texts.code}</legend>
      {Array.from({ length: LENGTH }, (_, at) => (
        <input
          key={at}
          type="text"
          inputMode="numeric"
          autocomplete={at === 0 ? 'one-time-code' : 'off'}
          aria-label={texts.digit(at + 1)}
          onFocus={(event) => event.currentTarget.select()}
          onKeyDown={(event) => move(at, event)}
          onInput={(event) => fill(at, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}

/**
 * Has a code emailed to an address.
 * @param scopes what the key will be able to do; everything if absent
 * @throws {ApiProblem} `invalid_email`, `rate_limited`
 */
export const startRegistration = (
  email: string,
  scopes?: readonly CaptionerScope[],
): Promise<Static<typeof AgentAuthStarted>> =>
  askJson('/agent/auth', {
    method: 'POST',
    body: {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
      ...(scopes && { requested_scopes: scopes }),
    },
  });

/**
 * Exchanges a code for a key.
 * @param organizationId the workspace in which the key is valid; default: that of the address
 * @throws {ApiProblem} `invalid_otp`, `too_many_attempts`, `claim_expired`
 */
export const completeRegistration = (
  claimToken: string,
  otp: string,
  organizationId?: string,
): Promise<Static<typeof AgentAuthCompleted>> =>
  askJson('/agent/auth/claim/complete', {
    method: 'POST',
    body: {
      claim_token: claimToken,
      otp,
      ...(organizationId !== undefined && { organization_id: organizationId }),
    },
  });
