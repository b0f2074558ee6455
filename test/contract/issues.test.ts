/** The validator's issues for an invalid value: path and message, each error once. */
import { expect, test } from 'bun:test';
import { closed, enumeration, maybe, Type, validator } from '../../server/contract/schema.ts';

const Short = Type.String({ minLength: 2, maxLength: 3 });
const Few = Type.Array(Type.String(), { minItems: 1, maxItems: 2 });
const Schema = closed({
  place: closed({ x: Type.Number(), y: Type.Optional(Type.Number()) }),
  format: Type.Optional(enumeration(['srt', 'vtt'])),
  texts: Type.Optional(Type.Union([Short, Few])),
  texts2: Type.Optional(Type.Number()),
  textLists: Type.Optional(Type.Union([Type.Number(), Type.Array(Short)])),
  either: Type.Optional(Type.Union([Type.Number(), Type.Boolean()])),
  key: Type.Optional(Type.String({ maxLength: 3, pattern: 'x$' })),
  note: maybe(Type.String()),
  others: Type.Optional(Type.Record(Type.String(), Type.Number())),
});
const place = { x: 1 };
const NONE = 'matches none of the allowed forms';

test.each<[string, unknown, [path: string, message: string][]]>([
  ['a whole value', { place, format: 'srt', texts: 'abc', either: true, note: null }, []],
  ['no object', 'text', [['', 'must be object']]],
  ['a missing field', {}, [['place', 'is required']]],
  ['a missing field within', { place: { y: 1 } }, [['place.x', 'is required']]],
  ['an unknown field', { place, z: 1 }, [['z', 'is not a known field']]],
  [
    'two of them within',
    { place: { x: 1, 'a/b': 1, c: 1 } },
    [
      ['place.a/b', 'is not a known field'],
      ['place.c', 'is not a known field'],
    ],
  ],
  ['another type', { place: { x: '1' } }, [['place.x', 'must be number']]],
  ['another word', { place, format: 'doc' }, [['format', 'must be one of srt, vtt']]],
  [
    'a field with marks in its name',
    { place, others: { 'a/b~c~1/d': '' } },
    [['others.a/b~c~1/d', 'must be number']],
  ],
  [
    'two errors in one field',
    { place, key: 'abcd' },
    [
      ['key', 'must not have more than 3 characters'],
      ['key', 'must match pattern "x$"'],
    ],
  ],
  ['none of the forms', { place, either: 'x' }, [['either', NONE]]],
  ['none of those that may be null', { place, note: 7 }, [['note', NONE]]],
  [
    'none of two forms, one field after the other',
    { place, texts: 7, texts2: '' },
    [
      ['texts', NONE],
      ['texts2', 'must be number'],
    ],
  ],
  [
    'a form that is too long',
    { place, texts: 'abcd' },
    [['texts', 'must not have more than 3 characters']],
  ],
  [
    'a form that is too short',
    { place, texts: 'a' },
    [['texts', 'must not have fewer than 2 characters']],
  ],
  [
    'a list that is too long',
    { place, texts: ['a', 'b', 'c'] },
    [['texts', 'must not have more than 2 items']],
  ],
  [
    'a text that is too long in a list',
    { place, textLists: ['abc', 'abcd'] },
    [['textLists.1', 'must not have more than 3 characters']],
  ],
  ['a number in a list of texts', { place, textLists: [7] }, [['textLists', NONE]]],
  ['a list that is empty', { place, texts: [] }, [['texts', 'must not have fewer than 1 items']]],
])('%s', (_, value, expected) => {
  const issues = expected.map(([path, message]) => ({ path, message }));
  expect(validator(Schema).issues(value)).toEqual(issues);
  expect(validator(Schema).check(value)).toBe(issues.length === 0);
});

test('of many errors the first fifty are listed, and a value with too many to name one is invalid', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`z${at}`, at]));
  const some = validator(Schema).issues({ place, ...unknown(150) });
  expect(some).toHaveLength(50);
  expect(some[49]).toEqual({ path: 'z49', message: 'is not a known field' });
  expect(validator(Schema).issues({ place, ...unknown(300) })).toEqual([
    { path: '', message: 'has too many errors to list' },
  ]);
});

test('a schema is compiled once', () => {
  expect(validator(Schema)).toBe(validator(Schema));
});
