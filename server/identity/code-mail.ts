/** The mails that carry a code: plain text, no links. */
import type { Mail } from './mailer.ts';

/** What both mails tell of the registration. */
interface Told {
  email: string;
  code: string;
  scopes: readonly string[];
  /** The client shows it too: with several mails in the box it tells whose code this is. */
  registrationId: string;
  /** How long the code holds. */
  minutes: number;
}

/** The mail of a registration: who asks for what, the code, how long it holds. */
export function codeMail(request: Told & { clientAddress: string; userAgent: string }): Mail {
  const { clientAddress } = request;
  // What the client says of itself is not to look like a part of the mail, nor to become a link.
  const agent = request.userAgent.replace(/[^\w .;()+/-]|https?:\/*/g, '').slice(0, 100);
  return mailOf(request, 'Your Captioner code', [
    'A program asks for a Captioner key in your name.',
    'If you started it, give it this code:',
    '',
    request.code,
    '',
    `It holds for ${request.minutes} minutes and works once.`,
    '',
    `Asked from: ${clientAddress}${agent ? ` (${agent})` : ''}`,
  ]);
}

/** The mail with the second code, which is needed where somebody has been guessing codes. */
export const secondCodeMail = (request: Told): Mail =>
  mailOf(request, 'Your second Captioner code', [
    'The code you gave was right. Somebody has been guessing codes lately, so one more is needed.',
    'If it was you, give the program this code in its place:',
    '',
    request.code,
    '',
    `It holds for about ${request.minutes} minutes and works once.`,
    '',
  ]);

const mailOf = (
  { email, scopes, registrationId }: Told,
  subject: string,
  lines: string[],
): Mail => ({
  to: email,
  subject,
  text: [
    ...lines,
    `Registration: ${registrationId}`,
    'The key may:',
    ...scopes.map((scope) => `- ${scope}`),
    '',
    'If you did not ask for it, do nothing: without the code there is no key.',
    '',
  ].join('\n'),
});
