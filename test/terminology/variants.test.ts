import { describe, expect, test } from 'bun:test';
import { array, assert, property, stringMatching } from 'fast-check';
import { compactKey, phraseKey } from '../../server/terminology/match/normalize.ts';
import { variantsOf, type VariantForm } from '../../server/terminology/match/variants.ts';
import { corrected } from './support.ts';

const keys = (canonical: string, form: VariantForm): string[] =>
  variantsOf(canonical).flatMap((variant) => (variant.form === form ? variant.key : []));

describe('forms', () => {
  test.each<[string, VariantForm, string[]]>([
    ['JSON-RPC', 'joined', ['jsonrpc']],
    ['AuthKit', 'split', ['auth kit']],
    ['OAuth', 'split', ['o auth']],
    ['FGA', 'spelled', ['f g a']],
    ['MCP', 'pieces', ['m cp', 'mc p']],
    ['Go', 'pieces', []],
    ['Internationalizations2026', 'pieces', ['internationalizations 2026']],
    ['OAuth 2.1', 'spoken', ['oauth two point one', 'oauth two dot one', 'oauth 2 point 1']],
    ['FIDO2', 'spoken', ['fido two']],
    ['SOC 42', 'spoken', ['soc forty two']],
    ['SOC 19', 'spoken', ['soc nineteen']],
    ['SOC 20', 'spoken', ['soc twenty']],
    ['SOC 99', 'spoken', ['soc ninety nine']],
    ['SOC 100', 'spoken', []],
    ['ISO 27001', 'spoken', []],
    ['R2', 'pieces', ['r 2']],
    ['SaaS', 'spelled', ['s a a s']],
    ['OpenID Connect', 'spelled', ['open i d connect']],
    ['Workers AI', 'spelled', ['workers a i']],
    ['Zorb HTTPS', 'spelled', ['zorb h t t p s']],
    ['HTTPSX', 'spelled', []],
    ['JWT', 'spelled', ['j w t', 'j double u t']],
    ['WWF', 'spelled', ['w w f', 'double u double u f']],
    ['AWS WAF', 'spelled', ['a w s w a f']],
    ['Anthropic', 'spelled', []],
  ])('%s %s: %p', (canonical, form, expected) => {
    expect(keys(canonical, form)).toEqual(expected);
  });

  test('none equals the term, and all but the spoken ones have its letters', () => {
    const word = stringMatching(/^[A-Za-z][A-Za-z0-9]{0,9}$/);
    assert(
      property(array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const canonical = words.join(' ');
        for (const { key, form } of variantsOf(canonical)) {
          expect(key).not.toBe(phraseKey(canonical));
          if (form !== 'spoken') {
            expect(compactKey(key.replaceAll('double u', 'w'))).toBe(compactKey(canonical));
          }
        }
      }),
    );
  });
});

describe('in speech', () => {
  test.each([
    ['an o auth two point one flow', 'an OAuth 2.1 flow'],
    ['fido two and auth zero', 'FIDO2 and Auth0'],
    ['an o auth 2 point 1 flow', 'an OAuth 2.1 flow'],
    ['a j double u t from the double u a f', 'a JWT from the WAF'],
    ['the letter double u', 'the letter double u'],
    ['the mc p and the g dpr', 'the MCP and the GDPR'],
    ['with id p and oid c', 'with IdP and OIDC'],
    // Ordinary words are left for a person to check.
    ['a turns tile', 'a Turnstile'],
    ['in the wid gets', 'in the Widgets'],
    ['Mr R said so', 'Mr R said so'],
  ])('%s → %s', async (heard, expected) => {
    expect(await corrected(heard)).toBe(expected);
  });
});
