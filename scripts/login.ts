/**
 * `captioner login EMAIL --server URL`: registers an address on a server, asks for the emailed code,
 * and stores the API key in the keychain.
 */
import type { Static } from '../server/contract/schema.ts';
import { createInterface } from 'node:readline';
import type { AgentAuthCompleted, AgentAuthStarted } from '../server/contract/registration.ts';
import { CommandFailure, runCommand, UsageError, type Given } from './command-line.ts';
import { asTyped } from './current-folder.ts';
import { serverAddress } from './server-requests.ts';
import { say } from './terminal.ts';
import { keyFile, storeKeyInFile, storeKeyInKeychain } from './key-store.ts';

const OPTIONS = {
  server: { short: 's', value: 'URL', says: 'The server' },
  file: { says: 'Without a keychain, store the key in a file without asking' },
};

async function login({ options, words }: Given<typeof OPTIONS>): Promise<void> {
  const [email = '', ...more] = words;
  if (email === '' || more.length > 0) throw new UsageError('Name one email address.');
  if (options.server === undefined) throw new UsageError('Name the server with --server.');
  const address = serverAddress(options.server);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const { value, done } = await lines.next();
    if (done) throw new CommandFailure('There was no answer.');
    return value.trim();
  };

  const started = await post<Static<typeof AgentAuthStarted>>(address, '/agent/auth', {
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: email,
    requested_credential_type: 'api_key',
  });
  say(`A six-digit code was emailed to ${started.delivery.email}.`);
  const key = await claimed(address, started.claim_token, () => ask('Code: '));
  if (storeKeyInKeychain(address, email, key)) {
    say(`The key for ${address.host} is in the keychain.`);
    return;
  }
  const path = asTyped(keyFile());
  const question = `There is no keychain here. Store the key in ${path}, readable only by you? [y/N] `;
  if (options.file === undefined && !/^y(?:es)?$/i.test(await ask(question))) {
    throw new CommandFailure(
      'The key was not stored, and cannot be shown again. Run the command again to get another.',
    );
  }
  storeKeyInFile(address, key);
  say(`The key for ${address.host} is in ${path}.`);
}

/** The key for the code that the user types; a wrong one can be corrected. */
async function claimed(address: URL, token: string, ask: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      const body = { claim_token: token, otp: await ask() };
      const path = '/agent/auth/claim/complete';
      return (await post<Static<typeof AgentAuthCompleted>>(address, path, body)).credential;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_otp') throw error;
      say(error.message);
    }
  }
}

class Refusal extends CommandFailure {
  readonly code: unknown;

  constructor(code: unknown, message: string) {
    super(message);
    this.code = code;
  }
}

async function post<T>(address: URL, path: string, body: object): Promise<T> {
  const response = await fetch(`${address.href.replace(/\/+$/, '')}${path}`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new CommandFailure(`${address.origin} cannot be reached.`);
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { code, message = `The server answered with status ${response.status}.` } =
    answer.error ?? {};
  throw new Refusal(code, message);
}

await runCommand(
  {
    name: 'login',
    says: 'Gets an API key for a server by email, and stores it in the keychain.',
    uses: [
      { line: 'EMAIL --server URL', says: 'Registers, asks for the emailed code, stores the key' },
    ],
    options: OPTIONS,
    notes: ['The entry in the keychain is named “captioner” and the host of the server.'],
  },
  login,
);
