/** The XML of captions: what is not well-formed is refused, and names keep to their namespaces. */
import { expect, test } from 'bun:test';
import { readXml, type XmlNode } from '../../server/captions/files/xml.ts';

test.each([
  ['a sign that begins no tag', '<tt>a < b</tt>'],
  ['elements that overlap', '<tt><a><b></a></b></tt>'],
  ['an element that is never closed', '<tt><a></a>'],
  ['a closing tag without an element', '<tt></tt></a>'],
  ['nothing but text', 'Hello'],
  ['nothing but a comment', '<!-- <tt/> -->'],
])('%s is an error', (_, document) => {
  expect(() => readXml(document)).toThrow(SyntaxError);
});

test('elements may be 199 deep', () => {
  const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
  expect(readXml(nested(199)).name).toBe('a');
  expect(() => readXml(nested(200))).toThrow('nested too deeply');
});

test('what surrounds the first element is ignored', () => {
  expect(readXml('\ufeff <?xml version="1.0"?>\n<tt/> end').name).toBe('tt');
});

test('a namespace is valid for an element and those in it, not for those after it', () => {
  const spaceOf = (node: XmlNode | undefined) =>
    typeof node === 'object' ? [node.name, node.space, node.attributes[0]?.space] : node;
  const root = readXml(
    '<tt xmlns="one" xmlns:p="two"><a xmlns="three" xmlns:p="four" p:x="1"><b p:x="1"/></a><p:c p:x="1"/></tt>',
  );
  const [a, c] = root.children;
  expect([root.space, spaceOf(a), spaceOf(c)]).toEqual([
    'one',
    ['a', 'three', 'four'],
    ['c', 'two', 'two'],
  ]);
  expect(typeof a === 'object' && spaceOf(a.children[0])).toEqual(['b', 'three', 'four']);
});

test('line ends and tabs in an attribute are spaces', () => {
  expect(readXml('<tt a="1\n2\t3\r4"/>').attributes[0]?.value).toBe('1 2 3 4');
});
