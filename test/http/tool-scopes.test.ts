/** The scope that each tool needs, and the line that each call leaves in the audit log. */
import { expect, test } from 'bun:test';
import { SCOPES } from '../../server/contract/registration.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const keys = await Promise.all(
  SCOPES.map(async (scope, at) => ({ scope, ...(await app.signUp(`a@c${at}.example`, [scope])) })),
);

test.each([
  ['list_runs', {}, 'captioner:caption:run'],
  ['webhooks', { action: 'list' }, 'captioner:caption:run'],
  ['settle_rule', { ruleId: 'r', state: 'applied' }, 'captioner:caption:run'],
  ['list_rules', {}, 'captioner:terminology:read'],
  ['create_upload_link', {}, 'captioner:audio:upload'],
])('%s %j needs %s', async (tool, input, needed) => {
  for (const key of keys) {
    const isAllowed = key.scope === needed;
    const { words } = await callTool(app, key, tool, input);
    expect(words.startsWith('insufficient_scope: ')).toBe(!isAllowed);
    expect(app.log().findLast(({ event }) => event === 'tool_call')).toEqual({
      time: expect.any(String),
      level: 'audit',
      event: 'tool_call',
      requestId: expect.any(String),
      keyId: expect.stringMatching(/./),
      ownerType: 'organization',
      organizationId: key.organizationId,
      tool,
      requiredScope: needed,
      outcome: isAllowed ? 'allowed' : 'insufficient_scope',
    });
  }
});
