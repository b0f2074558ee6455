/** The messages for failed requests. */
import { expect, test } from 'bun:test';
import { ApiProblem, NoAnswer, readProblem } from '../../web/api/request.ts';
import { failureText } from '../../web/failure-text.ts';
import { ConversionError } from '../../web/media/conversion-error.ts';
import { failureOf } from '../../web/run/job-failure.ts';
import { SignInDismissed } from '../../web/session.ts';
import { progressText } from '../../web/texts/run-progress.ts';
import { text } from '../../web/texts/shell.ts';

test('a declined sign-in has no message; other failures have that of the connection or the service', () => {
  expect(failureText(new SignInDismissed())).toBeNull();
  expect(failureText(new NoAnswer())).toBe(text.offline);
  const refused = new ApiProblem(403, 'forbidden', 'Not for this key.');
  expect(failureText(refused)).toBe(text.run.refused('Not for this key.'));
  expect(failureText(refused, (message) => `No: ${message}`)).toBe('No: Not for this key.');
  const other = new RangeError('a fault of the program');
  expect(() => failureText(other)).toThrow(other);
});

test.each([
  [423, 'locked', true],
  [429, 'rate_limited', true],
  [429, 'quota_exceeded', false],
  [500, 'internal', true],
  [503, 'unavailable', true],
  [499, 'odd', false],
  [428, 'precondition_required', false],
  [404, 'not_found', false],
])('%p %s passes by itself: %p', (status, code, isPassing) => {
  expect(new ApiProblem(status, code, '').isPassing).toBe(isPassing);
});

test('a refusal is read in both forms of the contract, and without a body of either form', () => {
  const read = (body: string, wait?: string) => {
    const { status, code, message, retryAfter } = readProblem(
      400,
      body,
      new Headers(wait === undefined ? {} : { 'retry-after': wait }),
    );
    return [status, code, message, retryAfter];
  };
  expect(read('{"error":{"code":"a","message":"b"}}')).toEqual([400, 'a', 'b', null]);
  expect(read('{"error":{"code":"a"}}', '7')).toEqual([400, 'a', '', 7]);
  expect(read('{"error":"a","error_description":"b"}', '0')).toEqual([400, 'a', 'b', 0]);
  expect(read('{"error":"a"}', 'soon')).toEqual([400, 'a', '', null]);
  expect(read('<h1>Bad gateway</h1>')).toEqual([400, 'unknown', '', null]);
});

test.each([
  ['no_audio', false, true],
  ['unreadable', false, true],
  ['codec_unsupported', true, true],
  ['too_large', false, true],
  ['failed', true, false],
] as const)(
  'the conversion error %p shows a command: %p, and asks for another file: %p',
  (reason, showCommand, isOfFile) => {
    const message = progressText.conversion[reason];
    expect(failureOf(new ConversionError(reason, ''))).toEqual({ message, showCommand, isOfFile });
  },
);
