/** Configured addresses: only web addresses that can safely be shown are accepted. */
import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../../server/config/config.ts';

describe('the configuration', () => {
  const ADDRESSES = `
    BASE_URL DEEPGRAM_BASE_URL ASSEMBLYAI_BASE_URL OPENAI_BASE_URL GROQ_BASE_URL CLOUDFLARE_BASE_URL
    WORKOS_API_URL EDGE_LLM_URL EDGE_SPEECH_URL EDGE_MODERATION_URL MODELS_BASE_URL
  `
    .trim()
    .split(/\s+/);
  test.each(ADDRESSES)('%s is an address of the web, or refused by its name', (name) => {
    for (const value of [
      'file:///etc/passwd',
      'ftp://files.example',
      'javascript:alert(1)',
      'data:text/plain,x',
      'gopher://127.0.0.1',
      'unix:///var/run/docker.sock',
      '//host.example',
      'host.example',
      'http://',
      'http://ann:secret@host.example',
      'http://host.example@evil.example',
      'http://host.example/\r\nx',
    ]) {
      let message = 'accepted';
      try {
        readConfig({ [name]: value });
      } catch (error) {
        message = String(error);
      }
      expect(message).toStartWith(`ConfigError: ${name} must`);
      expect(message).not.toContain('secret');
    }
  });

  test.each([
    ['BASE_URL', 'javascript:alert(1)'],
    ['BASE_URL', 'data:text/html,x'],
    ['BASE_URL', 'http://ann:secret@captions.example'],
    ['BASE_URL', 'http://captions.example/\r\nSet-Cookie: a=b'],
    ['BASE_URL', 'http://a"b.example'],
    ['BASE_URL', "http://captions.example/it's"],
    ['BASE_URL', 'http://captions.example/$(id)'],
    ['BASE_URL', 'http://captions.example/{{packs}}|'],
    ['BASE_URL', 'http://captions.example?a=<b>'],
    ['BASE_URL', 'http://a;b.example'],
    ['TEAM_EMAIL_DOMAIN', 'team.example\r\nx'],
    ['TEAM_EMAIL_DOMAIN', '<b>.example'],
    ['TEAM_EMAIL_DOMAIN', 'a.example,b.example'],
    ['SMTP_URL', 'javascript:alert(1)'],
    ['SMTP_URL', 'http://mail.example'],
  ])("%s=%j is refused with the variable's name, without repeating the value", (name, value) => {
    let message = '';
    try {
      readConfig({ [name]: value });
    } catch (error) {
      message = String(error);
    }
    expect(message).toStartWith(`ConfigError: ${name} must`);
    expect(message).not.toMatch(/secret|Set-Cookie|script/);
  });

  test('characters that need escapes in an address are escaped', () => {
    expect(readConfig({ BASE_URL: 'http://captions.example/<b>`id`"' }).baseUrl).toBe(
      'http://captions.example/%3Cb%3E%60id%60%22',
    );
  });
});
