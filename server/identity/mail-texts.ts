/** The mails to people in their language. */
import { INVITATION } from '../contract/limits.ts';
import { fill } from '../texts/fill.ts';
import { textsIn } from '../texts/languages.ts';
import type { Mail } from './mail.ts';
import type { StoredInvitation } from './invitations.ts';

/** What a mail with a code says of its registration. */
export interface CodeRequest {
  email: string;
  code: string;
  scopes: readonly string[];
  /** The client shows it too, so that a user with several emails can distinguish them. */
  registrationId: string;
  /** The time for which the code is valid. */
  minutes: number;
  /** BCP 47. Default: English. */
  language?: string | undefined;
}

/** The mail of a registration: who requests what, the code, and how long it is valid. */
export function codeMail(
  request: CodeRequest & { clientAddress: string; userAgent: string },
): Mail {
  const say = speaker(request.language);
  const { clientAddress, code, minutes } = request;
  // The client's description of itself must not look like part of the mail or become a link.
  const agent = request.userAgent.replace(/[^\w .;()+/-]|https?:\/*/g, '').slice(0, 100);
  const client = `${clientAddress}${agent ? ` (${agent})` : ''}`;
  const time = lasting(minutes, 'minute', request.language);
  return mailOf(request, say('codeSubject'), [
    say('code', { code, time }),
    '',
    say('from', { client }),
  ]);
}

/** The mail with the second code, required after somebody has been guessing codes. */
export function secondCodeMail(request: CodeRequest): Mail {
  const say = speaker(request.language);
  const { code, minutes } = request;
  const time = lasting(minutes, 'minute', request.language);
  return mailOf(request, say('secondSubject'), [say('second', { code, time }), '']);
}

function mailOf(
  { email, scopes, registrationId, language }: CodeRequest,
  subject: string,
  lines: string[],
): Mail {
  const say = speaker(language);
  return {
    to: email,
    subject,
    text: [
      ...lines,
      say('registration', { id: registrationId }),
      say('scopes'),
      ...scopes.map((scope) => `- ${scope}`),
      '',
      say('notYou'),
      '',
    ].join('\n'),
  };
}

/**
 * The mail of an invitation.
 * @param address that of the service; null if it is not known
 * @param language BCP 47
 */
export function invitationMail(
  { email, role, invitedBy, code }: StoredInvitation & { code: string },
  address: string | null,
  language = 'en',
): Mail {
  const say = speaker(language);
  const time = lasting(INVITATION.days, 'day', language);
  return {
    to: email,
    subject: say('invitationSubject'),
    text: [
      say(role, { who: invitedBy ?? say('somebody') }),
      address === null ? say('accept') : say('acceptAt', { address: `${address}/app` }),
      '',
      code,
      '',
      say('invitation', { time }),
      '',
    ].join('\n'),
  };
}

const speaker = (language = 'en') => {
  const { mail } = textsIn(language);
  return (name: string, values: Record<string, string> = {}): string =>
    fill(`the mail in ${language}`, mail[name] ?? '', values);
};

const lasting = (value: number, unit: 'minute' | 'day', language = 'en'): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
