/** `npm run packs`: the line of a pack. */
import { expect, test } from 'bun:test';
import { packLine } from '../../scripts/pack-line.ts';
import type { TermPack } from '../../server/terminology/packs/packs.ts';

test('a line has the id, the title, the version, and the counts of a pack', () => {
  const pack: TermPack = {
    id: 'fields/astronomy',
    version: 3,
    title: 'Astronomy',
    triggers: ['telescope'],
    relatedPackIds: [],
    terms: [
      { canonical: 'ALMA', kind: 'acronym', weight: 8, mishears: ['alma', 'elma', 'a l m a'] },
      { canonical: 'redshift', kind: 'technical_term', weight: 3, mishears: ['red shift'] },
      { canonical: 'Hubble', kind: 'person_name', weight: 3 },
    ],
  };
  expect(packLine(pack)).toBe('fields/astronomy (Astronomy, version 3): 3 terms, 4 mishears');
});
