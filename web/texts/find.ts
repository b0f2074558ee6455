/** The texts of the find bar. */

/** They are loaded with the bar. */
export const find = {
  findLabel: 'Find',
  replaceLabel: 'Replace with',
  replace: 'Replace',
  replaceAll: 'Replace all',
  remember: 'Replace all and remember',
  remembered: (mishear: string, term: string) =>
    `“${mishear}” → “${term}” was added to the terms of your workspace.`,
  rememberHint:
    'Also adds the replacement to the terms of your workspace, for future talks (Ctrl+Alt+Shift+Enter)',
  regex: 'Regular expression',
  wrongExpression: 'Not a valid expression',
  tried: {
    trying: 'Searching…',
    slow: 'This expression takes too long.',
  },
  matchCase: 'Match case',
  wholeWord: 'Whole words',
  matches: (at: number, all: number) => (all === 0 ? 'Not found' : `${at} of ${all}`),
};
