import { describe, expect, test } from 'bun:test';
import { clientAddress } from '../../server/http/request.ts';

const request = (forwarded?: string) =>
  new Request('http://x/', { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} });

describe('behind a proxy', () => {
  const address = clientAddress(() => '10.0.0.1', true);
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['192.0.2.1, 203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['unknown', '10.0.0.1'],
    ['198.51.100.7, <script>', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('%j is %s', (forwarded, expected) => expect(address(request(forwarded))).toBe(expected));
});

test('without a proxy the header is ignored', () => {
  expect(clientAddress(() => '10.0.0.1', false)(request('198.51.100.7'))).toBe('10.0.0.1');
  expect(clientAddress(() => null, false)(request())).toBe('unknown');
});
