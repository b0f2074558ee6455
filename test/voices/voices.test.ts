/** Remembered voices: whose name is proposed, and for whom nobody's. */
import { expect, test } from 'bun:test';
import { proposeNames, type NamedVoice, type OwnVoice } from '../../server/voices/propose-names.ts';

const turned = (degrees: number): number[] => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
];
const known = (name: string, degrees: number, more: Partial<NamedVoice> = {}): NamedVoice => ({
  personId: `person_${name}`,
  name,
  model: 'one',
  print: turned(degrees),
  seconds: 30,
  ...more,
});
const own = (speaker: string, degrees: number, more: Partial<OwnVoice> = {}): OwnVoice => ({
  speaker,
  model: 'one',
  print: turned(degrees),
  seconds: 30,
  personId: null,
  refused: [],
  ...more,
});
const ada = known('Ada', 0);
const ben = known('Ben', 90);

/** The names proposed for the voices of a run, by speaker. */
test.each<[string, OwnVoice[], NamedVoice[], Record<string, string>]>([
  ['a voice that is known', [own('0', 20)], [ada, ben], { 0: 'Ada' }],
  ['by what a person said in several runs', [own('0', 20)], [known('Ada', -60), ada], { 0: 'Ada' }],
  ['two people', [own('0', 20), own('1', 80)], [ada, ben], { 0: 'Ada', 1: 'Ben' }],
  ['nobody is like it', [own('0', 180)], [ada, ben], {}],
  ['it may be either of two', [own('0', 45)], [ada, ben], {}],
  ['too little was said', [own('0', 0, { seconds: 1 })], [ada], {}],
  ['nobody twice: the more similar', [own('0', 20), own('1', 10)], [ada], { 1: 'Ada' }],
  ['who has a name already', [own('0', 10, { personId: 'person_Ada' }), own('1', 10)], [ada], {}],
  ['what somebody has refused', [own('0', 10, { refused: ['person_Ada'] })], [ada], {}],
  ['prints of another model', [own('0', 0, { model: 'two' })], [ada], {}],
  ['prints of another length', [own('0', 0, { print: [1] })], [ada], {}],
  ['no direction', [own('0', 0, { print: [0, 0] })], [ada], {}],
])('proposals: %s', (_, voices, people, expected) => {
  const found = [...proposeNames(voices, people)].map(([speaker, { name }]) => [speaker, name]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

test('strangers get no name, however many people are known', () => {
  let state = 7;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647 - 0.5;
  const print = () => Array.from({ length: 192 }, random);
  const people = Array.from({ length: 100 }, (_, at) => known(`P${at}`, 0, { print: print() }));
  for (let tries = 0; tries < 100; tries += 1) {
    expect(proposeNames([own('0', 0, { print: print() })], people).size).toBe(0);
  }
});
