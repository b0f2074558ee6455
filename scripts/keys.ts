/**
 * `npm run keys -- list | revoke KEY_ID | revoke-unused DAYS | create EMAIL [SCOPE …]`: manages the keys of the embedded
 * identity provider, whether or not the service is running.
 */
import { readConfig } from '../server/config/config.ts';
import { SCOPES } from '../server/contract/registration.ts';
import { runCommand } from './command-line.ts';
import { manageKeys, requireUse } from './key-commands.ts';

await runCommand(
  {
    name: 'keys',
    says: 'Lists, creates and revokes API keys, whether or not the service is running.',
    uses: [
      { line: 'list', says: 'Lists all keys with id, state, owner, workspace, times and scopes' },
      {
        line: 'create EMAIL [SCOPE …]',
        says: 'Creates a key and prints it once; it gets all scopes if none is named',
      },
      { line: 'revoke KEY_ID', says: 'Revokes a key immediately' },
      { line: 'revoke-unused DAYS', says: 'Revokes the keys that nobody has used for so long' },
    ],
    options: {},
    notes: [
      `Scopes: ${SCOPES.join(', ')}`,
      "For scripts: with npm's --silent before the name, standard output has only the key.",
    ],
  },
  async ({ words }) => {
    requireUse(words);
    await manageKeys(words, readConfig(), console.log);
  },
);
