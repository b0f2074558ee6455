/** The mails with a code, word for word. */
import { expect, test } from 'bun:test';
import { codeMail, secondCodeMail } from '../../server/identity/code-mail.ts';

const told = {
  email: 'ann@example.com',
  code: '012345',
  scopes: ['captioner:audio:upload', 'captioner:caption:run'],
  registrationId: 'reg_1',
  minutes: 10,
};
const END = `Registration: reg_1
The key will be able to:
- captioner:audio:upload
- captioner:caption:run

If you did not request it, do nothing: without the code no key is issued.
`;

test('the first names the client, the scopes and the registration', () => {
  const mail = codeMail({ ...told, clientAddress: '192.0.2.1', userAgent: 'curl/8.5.0' });
  expect(mail).toEqual({
    to: 'ann@example.com',
    subject: 'Your Captioner code',
    text: `A Captioner key was requested for this address, by you when signing in or by a program acting for you.
If so, enter this code where you are asked for it, or give it to that program:

012345

It is valid for 10 minutes and works once.

Requested from: 192.0.2.1 (curl/8.5.0)
${END}`,
  });
});

test('the second says why there is another one', () => {
  expect(secondCodeMail({ ...told, minutes: 7 })).toEqual({
    to: 'ann@example.com',
    subject: 'Your second Captioner code',
    text: `Your code was correct, but because somebody has been guessing codes recently, a second one is needed.
If it was you, use this code instead:

012345

It is valid for about 7 minutes and works once.

${END}`,
  });
});
