/** Files with names: each type gives its lines, and hostile ones a clear refusal. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { HANDOUT } from '../../server/contract/limits.ts';
import { type HandoutLine, UnreadableHandout } from '../../server/handouts/lines.ts';
import { readHandout } from '../../server/handouts/read-handout.ts';
import { proposeTerms } from '../../server/terminology/packs/propose-terms.ts';

setDefaultTimeout(60_000);

const read = (content: string | Uint8Array<ArrayBuffer>, hint = ''): Promise<HandoutLine[]> =>
  readHandout({ bytes: typeof content === 'string' ? strToU8(content) : content, hint });

/** The names of people, companies and products that are proposed for a file. */
const groups = async (content: string | Uint8Array<ArrayBuffer>, hint = '') => {
  const found = proposeTerms(await read(content, hint));
  const of = (kind: string) =>
    found.flatMap((each) => (each.kind === kind ? [each.term] : [])).toSorted();
  return { people: of('person_name'), companies: of('company_name'), products: of('product_name') };
};

const refusal = (content: string | Uint8Array<ArrayBuffer>, hint = '') =>
  read(content, hint).then(
    (lines) => `read ${lines.length} lines`,
    (error) => (error instanceof UnreadableHandout ? error.reason : String(error)),
  );

const docx = (body: string) =>
  zipSync({
    '[Content_Types].xml': strToU8('<Types/>'),
    'word/document.xml': strToU8(
      `<?xml version="1.0"?><w:document xmlns:w="x"><w:body>${body}</w:body></w:document>`,
    ),
  });
const paragraph = (text: string, style = '') =>
  `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t>${text.slice(0, 3)}</w:t></w:r><w:r><w:t xml:space="preserve">${text.slice(3)}</w:t></w:r></w:p>`;

const shape = (kind: string, ...texts: string[]) =>
  `<p:sp><p:nvPr><p:ph type="${kind}"/></p:nvPr><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
const slide = (...shapes: string[]) =>
  strToU8(`<p:sld xmlns:p="p" xmlns:a="a">${shapes.join('')}</p:sld>`);

/** A PDF with lines of Helvetica at places: the size, the place and the text of each. */
function pdf(lines: readonly (readonly [size: number, x: number, y: number, text: string])[]) {
  const drawn = lines
    .map(([size, x, y, text]) => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`)
    .join('\n');
  return strToU8(
    `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length ${drawn.length}>>stream
${drawn}
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[147/fi]>>>>endobj
trailer<</Root 1 0 R>>
`,
    true,
  );
}

describe('people, companies and products of', () => {
  test.each([
    ['Jane Doe – CEO, Acme GmbH', ['Jane Doe'], ['Acme GmbH']],
    ['1. Jane Doe (CEO), Acme', ['Jane Doe'], ['Acme']],
    [
      '10:30 – 11:00 Dr. José Łukasiewicz, Head of Data at Veltrona',
      ['José Łukasiewicz'],
      ['Veltrona'],
    ],
    ['Keynote speaker: Will Young', ['Will Young'], []],
    ['Chief Financial Officer: Grace Page', ['Grace Page'], []],
    ['山田太郎 – CTO, 株式会社アクメ', ['山田太郎'], ['株式会社アクメ']],
    [
      'Speakers\nWill Young\nAnalyst, Bank of Tresk\nGrace Page',
      ['Grace Page', 'Will Young'],
      ['Bank of Tresk'],
    ],
    ['Product Strategy – Head of Product', [], []],
  ])('the line %j', async (line, people, companies) => {
    expect(await groups(line)).toEqual({ people, companies, products: [] });
  });

  test('a document: its paragraphs and the columns of its tables', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const row = (...cells: string[]) => `<w:tr>${cells.map(cell).join('')}</w:tr>`;
    const file = docx(
      `${paragraph('Opening Remarks Today', 'Heading1')}${paragraph('Ondřej Kvapilík shows us OktaBridge.')}
      <w:tbl>${row('Name', 'Position', 'Company')}${row('Will Young', 'Analyst', 'Quillstone &amp; Sons')}</w:tbl>`,
    );
    expect(await groups(file)).toEqual({
      people: ['Ondřej Kvapilík', 'Will Young'],
      companies: ['Quillstone & Sons'],
      products: ['OktaBridge'],
    });
  });

  test('slides: points are names, titles and what every talk has are none', async () => {
    const file = zipSync({
      'ppt/slides/slide10.xml': slide(shape('title', 'Thank You'), shape('body', 'Q&amp;A')),
      'ppt/slides/slide2.xml': slide(
        shape('title', 'Getting Started With Directory Access'),
        shape(
          'body',
          'Monday Morning',
          'Key Takeaways',
          'Directory Sync',
          'We run TallGrass on SCIM',
        ),
      ),
      'ppt/slides/slide1.xml': slide(
        shape('ctrTitle', 'Agenda'),
        shape('subTitle', 'Helga Strömqvist, CFO'),
      ),
      'ppt/notesSlides/notesSlide2.xml': slide(shape('body', 'mention Ondavar')),
    });
    const lines = (await read(file)).map(({ text }) => text);
    expect([lines[0], lines.at(-1)]).toEqual(['Agenda', 'Q&A']);
    expect(proposeTerms(await read(file)).map(({ term }) => term)).toEqual([
      'TallGrass',
      'SCIM',
      'Directory Sync',
      'Helga Strömqvist',
      'Ondavar',
    ]);
  });

  test('a PDF: divided words and paragraphs are joined, columns are kept apart', async () => {
    const file = pdf([
      [24, 50, 760, 'Annual Meeting'],
      [12, 50, 700, 'The platform that we have been waiting for is shown by Annelise'],
      [12, 50, 685, 'Vandermeulen of Brindleton, who is one of those that use Brindle-'],
      [12, 50, 670, 'ware in their of\\223ce.'],
      [12, 50, 600, 'Speaker'],
      [12, 300, 600, 'Company'],
      [12, 50, 585, 'Grace Page'],
      [12, 300, 585, 'Nordvik'],
    ]);
    expect((await read(file)).map(({ text, is }) => `${is ?? ''}: ${text}`)).toEqual([
      'heading: Annual Meeting',
      ': The platform that we have been waiting for is shown by Annelise Vandermeulen of Brindleton, who is one of those that use Brindleware in their office.',
      'person: Grace Page',
      'company: Nordvik',
    ]);
  });

  test('an address book, in both of its versions', async () => {
    const card = [
      'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Jané \r\n Doe\r\nORG:Acme\\, Inc;Sales\r\nPHOTO:data:xyz\r\nEND:VCARD',
      'BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C5=BBm=\r\nija;=C5=81ukasz;;;\r\nEND:VCARD',
    ].join('\r\n');
    expect(await groups(card)).toEqual({
      people: ['Jané Doe', 'Łukasz Żmija'],
      companies: ['Acme, Inc'],
      products: [],
    });
  });

  test('a calendar', async () => {
    const event =
      'BEGIN:VCALENDAR\nSUMMARY:Launch of OktaBridge\nORGANIZER;CN="Doe, Jane":mailto:j@x.example\nATTENDEE;CN=a@x.example:mailto:a@x.example\nATTENDEE;CN=Hans Müller:mailto:h@x.example\nEND:VCALENDAR';
    expect(await groups(event)).toEqual({
      people: ['Hans Müller', 'Jane Doe'],
      companies: [],
      products: ['OktaBridge'],
    });
  });

  test.each([
    ['semicolons', 'Vorname;Nachname;Firma\nJürgen;Großmann;"Veltrona; KG"\n', 'a.csv'],
    ['headings alone', 'Name;Company\n"Jürgen Großmann";"Veltrona; KG"\n', ''],
    ['tabs', 'Name\tOrganisation\nGroßmann, Jürgen\tVeltrona; KG\n', 'text/tab-separated-values'],
  ])('a table with %s', async (_, table, hint) => {
    expect(await groups(table, hint)).toEqual({
      people: ['Jürgen Großmann'],
      companies: ['Veltrona; KG'],
      products: [],
    });
  });

  test('Markdown and a page', async () => {
    const found = {
      people: ['Grace Page', 'Jane Doe'],
      companies: ['Acme', 'Nordvik'],
      products: [],
    };
    const markdown =
      '# Our Big Launch\n\n- **Jane Doe** – CEO, [Acme](https://acme.example)\n\n| Speaker | Company |\n| --- | --- |\n| Grace Page | Nordvik |\n';
    const page =
      '<!doctype html><title>Our Big Launch</title><script>var Hidden1</script><ul><li><b>Jane Doe</b> &ndash; CEO, Acme</ul><table><tr><th>Speaker<th>Company<tr><td>Grace Page<td>Nordvik</table>';
    expect([await groups(markdown), await groups(page)]).toEqual([found, found]);
  });
});

test('a file is what its content says, whatever its name', async () => {
  expect(await groups(docx(paragraph('Jane Doe – CEO')), 'a.txt')).toMatchObject({
    people: ['Jane Doe'],
  });
  const wide = new Uint8Array([0xff, 0xfe, ...Buffer.from('Jane Doe – CEO', 'utf16le')]);
  expect(await groups(wide, 'a.pdf')).toMatchObject({ people: ['Jane Doe'] });
  const western = new Uint8Array(Buffer.from('José Pérez: speaker', 'latin1'));
  expect(await groups(western)).toMatchObject({ people: ['José Pérez'] });
});

describe('what cannot be read is refused:', () => {
  const zeros = (size: number) => new Uint8Array(size);
  /** A zipped file that says of its parts that they are small. */
  const lying = () => {
    const file = zipSync({
      'word/document.xml': [zeros(HANDOUT.maxUnzippedBytes + 1), { level: 9 }],
    });
    const view = new DataView(file.buffer);
    const signatures = { [0x04034b50]: 22, [0x02014b50]: 24 } as Record<number, number>;
    for (let at = 0; at < file.length - 30; at += 1) {
      const size = signatures[view.getUint32(at, true)];
      if (size !== undefined) view.setUint32(at + size, 100, true);
    }
    return file;
  };
  const packedPdf = (packed: Uint8Array, filter: string) =>
    new Uint8Array(
      Buffer.concat([
        Buffer.from(`%PDF-1.4\n4 0 obj<</Filter${filter}/Length ${packed.length}>>stream\n`),
        packed,
        Buffer.from('\nendstream endobj\n'),
      ]),
    );

  test.each([
    ['a zipped file that unpacks to too much', lying, 'size'],
    [
      'one with too many parts',
      () =>
        zipSync(
          Object.fromEntries(
            Array.from({ length: HANDOUT.maxEntries + 1 }, (_, at) => [`${at}`, zeros(0)]),
          ),
        ),
      'size',
    ],
    ['another zipped file', () => zipSync({ 'xl/workbook.xml': zeros(9) }), 'type'],
    [
      'a damaged one',
      () => docx(paragraph('x')).map((byte, at) => (at > 110 && at < 140 ? 255 - byte : byte)),
      'content',
    ],
    ['elements within elements', () => docx('<w:p>'.repeat(HANDOUT.maxDepth + 1)), 'content'],
    ['an old file of Office', () => new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'type'],
    ['a picture', () => new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), 'type'],
    ['too much text', () => strToU8('word '.repeat(HANDOUT.maxChars / 4)), 'size'],
    ['too many lines', () => strToU8('a\n'.repeat(HANDOUT.maxLines + 1)), 'size'],
    [
      'a PDF that unpacks to too much',
      () => packedPdf(deflateSync(zeros(5 * HANDOUT.maxUnzippedBytes)), '/FlateDecode'),
      'size',
    ],
    ['one that is packed twice', () => packedPdf(zeros(9), '[/FlateDecode /FlateDecode]'), 'size'],
    ['a damaged PDF', () => strToU8('%PDF-1.7 obj stream'), 'content'],
  ] as const)('%s', async (_, file, reason) => {
    expect(await refusal(file())).toBe(reason);
  });

  test('entities that a document declares are not read', async () => {
    const text = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const file = zipSync({
      'word/document.xml': strToU8(`${text}<w:p><w:t>&a; &f; Tom &amp; Ann</w:t></w:p>`),
    });
    expect(await read(file)).toEqual([{ text: '&a; &f; Tom & Ann' }]);
  });
});
