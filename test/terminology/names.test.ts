/** Names that were given for the talk, where recognisers wrote something that sounds like them. */
import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { compileTerminology } from '../../server/terminology/packs/compile.ts';
import { applyCorrections, audit, request, textOf, wordsOf } from './support.ts';

/** Words between the names, so that a talk is more than its names. */
const TALK =
  'we had a good quarter and revenue grew while margins were stable across all segments.';

async function audited(glossary: readonly string[], text: string, own = {}) {
  const { terms } = compileTerminology([], request({ glossary: [...glossary], ...own }));
  const words = wordsOf(text);
  const { corrections } = await audit(words, { terms });
  return {
    text: textOf(applyCorrections(words, corrections)),
    offers: corrections.flatMap(({ decision, before, after }) =>
      decision === 'needs_review' ? `${before} → ${after}` : [],
    ),
  };
}

describe('names given for the talk', () => {
  test.each([
    ['Markus Mittermaier', 'Marcus Mitermeier is here.', 'Markus Mittermaier is here.'],
    ['David Stevens', 'From the line of David Stephens.', 'From the line of David Stevens.'],
    ['Walter Betz', 'I thank mr Bets, who agrees.', 'I thank mr Betz, who agrees.'],
    ['LiveSmart', 'So live smart is new.', 'So LiveSmart is new.'],
    ['Openreach', 'So open reach is new.', 'So Openreach is new.'],
    ['SG&A', 'So sg and a is down.', 'So SG&A is down.'],
    ['Needham & Co', 'We met needham and co here.', 'We met Needham & Co here.'],
    ['Bret Jordan', 'Next is Brett Jordan’s question.', 'Next is Bret Jordan’s question.'],
  ])('%s: %s', async (name, heard, right) => {
    const { text } = await audited([name], `${TALK} ${heard} ${TALK}`);
    expect(text).toBe(`${TALK} ${right} ${TALK}`);
  });

  test.each([
    ['Brandon', 'brand on'],
    ['SiTime', 'site time'],
  ])('that the words alone cannot decide are offered: %s', async (name, heard) => {
    const { text, offers } = await audited([name], `${TALK} so ${heard} is new. ${TALK}`);
    expect(text).toContain(heard);
    expect(offers).toEqual([`${heard} → ${name}`]);
  });

  test('that sound exactly like a word that is none are offered, however often it is said', async () => {
    const heard = `${TALK} ${'thank you karolina. '.repeat(12)} ${TALK}`;
    const { offers } = await audited(['Carolina Dybeck Happe'], heard);
    expect(offers).toHaveLength(12);
    const country = `${TALK} ${'we sell in colombia. '.repeat(12)} ${TALK}`;
    expect((await audited(['Columbia Sportswear'], country)).offers).toEqual([]);
  });

  test.each([
    ['Carolina Dybeck Happe', 'karolina', 'Carolina'],
    ['Monro Inc', 'Monroe', 'Monro'],
  ])('%s: “%s” is offered if it is said often and the name never', async (given, heard, meant) => {
    const said = (often: number) => `${TALK} ${`and ${heard} is growing. `.repeat(often)} ${TALK}`;
    expect((await audited([given], said(12))).offers).toEqual(
      Array.from({ length: 12 }, () => `${heard} → ${meant}`),
    );
    expect((await audited([given], said(2))).offers).toEqual([]);
  });

  test('never take the place of a country unasked', async () => {
    const heard = `${TALK} our team in Colombia grew. in Colombia and Peru we see demand. we sell to Columbia Sportswear. ${TALK}`;
    expect((await audited(['Columbia Sportswear'], heard)).text).toBe(heard);
    const company = `${TALK} our store with Colombia Sportswear grew. ${TALK}`;
    expect((await audited(['Columbia Sportswear'], company)).text).toContain('Columbia Sportswear');
  });

  test('are offered where only the capitals of another name would be written', async () => {
    const { offers } = await audited(
      ['Tall grass', 'Tallgrass', 'Tallgrass Energy'],
      `${TALK} we sold tall grass. ${TALK}`,
    );
    expect(offers).toEqual(['tall grass. → Tallgrass.']);
  });

  test.each([
    [['Q2 of 2020'], 'the end of Q4 2020 was fine.'],
    [['SBM', 'SBMs'], 'here SBM is growing.'],
    [['Ecologic Ministry'], 'this is ecological.'],
    [['New Home Company'], 'at the New Home Company it grew.'],
    [['Mark Connolly', 'Mark Connelly'], 'here is Mark Connelly.'],
  ])('%p are not read into “%s”', async (glossary, heard) => {
    expect(await audited(glossary, `${TALK} ${heard} ${TALK}`)).toEqual({
      text: `${TALK} ${heard} ${TALK}`,
      offers: [],
    });
  });

  test('are mended where one of their words is a word of another name', async () => {
    const { text } = await audited(
      ['Brendon Frey', 'Rodger Reed', 'Brendan Hill'],
      `${TALK} the question comes from brendan frey please go ahead. ${TALK}`,
    );
    expect(text).toContain('from Brendon Frey please');
  });

  test('are heard in the parts that hyphens divide them into', async () => {
    const heard = 'these are non gap measures and the gap is not. on a gap basis it grew.';
    const { offers, text } = await audited(['Non-GAAP'], `${TALK} ${heard} ${TALK}`);
    expect(`${text} ${offers.join()}`).toContain('GAAP');
  });

  test('of which one is given more often are meant where a part of the other is heard', async () => {
    const heard = `${TALK} I thank monroe for this. the people at monroe agree. ${TALK}`;
    const { text, offers } = await audited(
      ['Monro', 'Monro University', 'Monroe Forward', 'Monroe'],
      heard,
    );
    expect(text.toLowerCase()).toBe(heard.toLowerCase());
    expect(offers).toEqual([]);
    // Where Monroe is only a part of another name, that name would have been heard whole.
    const part = ['Monro', 'Monro University', 'Monroe Forward'];
    expect((await audited(part, heard)).text).toBe(heard.replaceAll('monroe', 'Monro'));
    const whole = `${TALK} the Monroe forward initiative grew. ${TALK}`;
    expect((await audited(part, whole)).text).toContain('Monroe Forward initiative');
    const greeted = `${TALK} thank you Allen. ${TALK}`;
    expect((await audited(['Alan', 'Alan Jones', 'Allen Smith'], greeted)).text).toBe(greeted);
  });

  test('of which two sound alike are both left as they are heard', async () => {
    const heard = `${TALK} Allen Smith and Alan Jones are here. thank you Alan. thank you Allen. ${TALK}`;
    const { text } = await audited(['Allen Smith', 'Alan Jones'], heard);
    expect(text).toBe(heard);
  });

  test('that have nothing to do with the talk change and offer nothing', async () => {
    const heard = `${TALK} So I will mark this page, and the power of the market is in your hand. ${TALK}`;
    expect(await audited(['Mark Powers', 'Will Handy', 'Ondavar', 'NDA'], heard)).toEqual({
      text: heard,
      offers: [],
    });
  });

  test('are written quietly where they were given in capitals, and acronyms as they are', async () => {
    const given = ['CAROLINA DYBECK HAPPE', 'MARKUS MITTERMAIER', 'NDA', 'BANK OF AMERICA'];
    const heard =
      'thank you karolina dibeck happe. Marcus Mitermeier of the bank of america signs an nda.';
    const { text } = await audited(given, `${TALK} ${heard} ${TALK}`);
    expect(text).toContain(
      'thank you Carolina Dybeck Happe. Markus Mittermaier of the Bank of America signs an NDA.',
    );
  });

  test('with typing errors do not change names that were heard right', async () => {
    const heard = `${TALK} Steve Lindsey of Rochester thanks Robert Anderson. ${TALK}`;
    const given = ['Steve Ldindsey', 'Rocester', 'Robert Andersno'];
    expect((await audited(given, heard)).text).toBe(heard);
    // Nor where something else that sounds like the mistyped name is heard, or where no dictionary has the name.
    const also = `${heard} thank you Lindsay. ConocoPhillips agrees.`;
    expect((await audited([...given, 'ConocoPhililps'], also)).text).toBe(also);
  });

  // However they were given, and whatever else was given, names that were heard right stay.
  const NAMES = ['Allen Smith', 'Brian Quimby', 'Jean-Marc Germain', 'Columbia', 'Monro', 'Betz'];
  const RIGHT = `${TALK} Allen Smith and Brian Quimby of Columbia thank Jean-Marc Germain. Monro and Betz agree. ${TALK}`;
  const syllables = ['ka', 'von', 'dri', 'mel', 'tus', 'por', 'zin', 'gar', 'lo', 'bex'];
  const syllable = (at: number): string => syllables[at % syllables.length]!;
  const invented = Array.from({ length: 990 }, (_, at) => {
    const [first, last] = [syllable(at), syllable(Math.floor(at / 100))];
    return `K${first}${syllable(Math.floor(at / 10))} M${last}${first}dor`;
  });
  test.each<[string, readonly string[]]>([
    ['in capitals', NAMES.map((name) => name.toUpperCase())],
    ['in small letters', NAMES.map((name) => name.toLowerCase())],
    ['with others that sound alike', [...NAMES, 'Alan Trent', 'Bryan Trent', 'Colombia', 'Monroe']],
    ['with two letters exchanged', ['Allen Smiht', 'Brian Qumiby', 'Columbai', 'Germian']],
    ['among 1,000', [...NAMES, ...invented]],
    ['among those of another talk', ['Mark Powers', 'Will Handy', 'NDA', ...invented.slice(0, 40)]],
  ])('heard right stay, given %s', async (_, glossary) => {
    expect((await audited(glossary, RIGHT)).text.toLowerCase()).toBe(RIGHT.toLowerCase());
  });

  test('of another talk change nothing, and are offered if their words need only be written together', async () => {
    const heard = `${TALK} We had ebit da of co vid, and open fga. ${TALK} `.repeat(6);
    const strange = ['EBITDA', 'COVID', 'OpenFGA', ...invented.slice(0, 40)];
    const { text, offers } = await audited(strange, heard);
    expect(text.trim()).toBe(heard.trim());
    expect(new Set(offers)).toEqual(
      new Set(['ebit da → EBITDA', 'co vid, → COVID,', 'open fga. → OpenFGA.']),
    );
  });

  test('of one word are only offered for two of which one is a name too', async () => {
    const heard = `${TALK} We met conoco phillips and live smart. ${TALK}`;
    const { text, offers } = await audited(['ConocoPhillips', 'Conoco', 'LiveSmart'], heard);
    expect(text).toContain('conoco phillips and LiveSmart.');
    expect(offers).toEqual(['conoco phillips → ConocoPhillips']);
  });

  test('of many talks are kept without what was heard in these', async () => {
    let seed = 7;
    const letter = () => 'abdeiklmnorstu'[(seed = (seed * 16_807) % 2_147_483_647) % 14]!;
    const word = () => Array.from({ length: 7 }, letter).join('');
    const kept = [];
    const heap: number[] = [];
    for (let talk = 0; talk < 6; talk += 1) {
      kept.push(compileTerminology([], request({ glossary: Array.from({ length: 40 }, word) })));
      await audit(wordsOf(Array.from({ length: 6000 }, word).join(' ')), kept.at(-1));
      Bun.gc(true);
      heap.push(heapStats().heapSize);
    }
    expect(heap.at(-1)! - heap[1]!).toBeLessThan(10 * 2 ** 20);
  });

  test('are not written where people said never', async () => {
    const heard = `${TALK} I thank mr Bets, who agrees. ${TALK}`;
    const never = [{ surface: 'bets', canonical: 'Betz' }];
    const { text, offers } = await audited(['Walter Betz'], heard, {
      own: { terms: [], rules: [], never },
    });
    expect({ text, offers }).toEqual({ text: heard, offers: [] });
  });

  test('belong to English speech; in another language, they are only offered', async () => {
    const { terms } = compileTerminology([], request({ glossary: ['Markus Mittermaier'] }));
    const words = wordsOf('heute spricht Marcus Mitermeier über das letzte Jahr');
    const { corrections } = await audit(words, { terms, language: 'de' });
    expect(corrections.filter(({ decision }) => decision === 'accepted')).toEqual([]);
  });
});
