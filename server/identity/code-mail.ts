/** The emails that contain a code, in plain text without links. */
import type { Mail } from './mailer.ts';

/** The registration details in both emails. */
interface CodeRequest {
  email: string;
  code: string;
  scopes: readonly string[];
  /** The client shows it too, so that a user with several emails can distinguish them. */
  registrationId: string;
  /** The time for which the code is valid. */
  minutes: number;
}

/** The mail of a registration: who requests what, the code, and how long it is valid. */
export function codeMail(
  request: CodeRequest & { clientAddress: string; userAgent: string },
): Mail {
  const { clientAddress } = request;
  // The client's description of itself must not look like part of the mail or become a link.
  const agent = request.userAgent.replace(/[^\w .;()+/-]|https?:\/*/g, '').slice(0, 100);
  return mailOf(request, 'Your Captioner code', [
    'A Captioner key was requested for this address, by you when signing in or by a program acting for you.',
    'If so, enter this code where you are asked for it, or give it to that program:',
    '',
    request.code,
    '',
    `It is valid for ${request.minutes} minutes and works once.`,
    '',
    `Requested from: ${clientAddress}${agent ? ` (${agent})` : ''}`,
  ]);
}

/** The mail with the second code, required after somebody has been guessing codes. */
export const secondCodeMail = (request: CodeRequest): Mail =>
  mailOf(request, 'Your second Captioner code', [
    'Your code was correct, but because somebody has been guessing codes recently, a second one is needed.',
    'If it was you, use this code instead:',
    '',
    request.code,
    '',
    `It is valid for about ${request.minutes} minutes and works once.`,
    '',
  ]);

const mailOf = (
  { email, scopes, registrationId }: CodeRequest,
  subject: string,
  lines: string[],
): Mail => ({
  to: email,
  subject,
  text: [
    ...lines,
    `Registration: ${registrationId}`,
    'The key will be able to:',
    ...scopes.map((scope) => `- ${scope}`),
    '',
    'If you did not request it, do nothing: without the code no key is issued.',
    '',
  ].join('\n'),
});
