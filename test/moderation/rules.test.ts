import { describe, expect, test } from 'bun:test';
import { ContentModerationSummary } from '../../server/contract/moderation.ts';
import { validator } from '../../server/contract/schema.ts';
import type { Transcript } from '../../server/contract/transcript.ts';
import {
  createRulesModerator,
  findBrokenRule,
  RULES_MODEL,
} from '../../server/moderation/rules.ts';

/** Sentences that may not be published, by what is wrong with them. */
const BLOCKED = {
  threat: [
    'I will kill you.',
    "I'm going to kill you tonight.",
    "I'm gonna stab him when he comes out.",
    'We are going to murder all of you.',
    'i am going to shoot everyone in that building',
    "I'll fucking kill your family.",
    'I want to kill my wife.',
    'I swear to god I will shoot that judge.',
    'We are going to blow up the school.',
    "I'm going to burn down your house.",
    "Tomorrow I'm going to bring a gun to school.",
    'We planted a bomb in the train station.',
    'There is a bomb in the building and it will go off at noon.',
    "I'm going to slit your throat.",
    "We'll beat you to death.",
    "I don't care anymore, I will kill you.",
    'If you go to the police I will kill you.',
    'I told you I am going to kill you.',
    "I'm going to kill her tonight.",
    'I know where you live and I will come for you.',
    "You're going to die tonight.",
    'Somebody should shoot the president.',
    "Let's go and lynch them.",
    'We need to kill the mayor.',
    'Te voy a matar.',
    'Je vais te tuer.',
    'Ich werde dich umbringen.',
    'Vou te matar.',
    'Ti ammazzo.',
  ],
  hate: [
    'Jews are vermin.',
    'All immigrants are parasites.',
    'Muslims are nothing but animals.',
    'Black people are subhuman.',
    'Those refugees are cockroaches.',
    'Gay people should be killed.',
    'All women deserve to die.',
    'We should exterminate all the Roma.',
    'Kill all Muslims.',
    'Death to all gays.',
    'Gas the Jews.',
    'Hitler was right.',
    "Trans people don't deserve to live.",
    'Foreigners have no right to exist.',
    'I hate all Mexicans.',
    'Disabled people are worthless.',
    'Get rid of all the asylum seekers one by one.',
    'Asians are an inferior race.',
    'Those dirty kikes.',
    'Shut up faggots.',
    'Hay que matar a todos los inmigrantes.',
    'Mort aux juifs.',
    'Morte agli ebrei.',
  ],
  minors: [
    'I want to have sex with a child.',
    'I love sleeping with underage girls.',
    "I'm attracted to little boys.",
    'Little girls turn me on.',
    'Send me child porn.',
    'I am selling nude photos of minors.',
    'We trade naked pictures of twelve year old girls.',
    'Look at that sexy little girl.',
    'Toddlers are so sexy.',
    "She's only twelve and so sexy.",
    'Sex with children should be legal.',
    'I fantasize about having sex with a ten year old boy.',
  ],
} as const;

/** Sentences that may be, and what kind of speech they stand for. */
const ALLOWED = {
  talks: [
    'Today we ship the MCP server with AuthKit.',
    'Kill the process and restart the server.',
    "I'm going to kill the container and start a new one.",
    "We're going to shoot a video of you at the booth.",
    'The agent executes the tool call.',
    'The master process killed all child processes.',
    'An orphaned child is adopted by init.',
    'The attacker can inject a prompt.',
    'This will blow up the cache.',
    "I'll bomb this interview.",
    'We are going to crush the competition.',
    'The parent kills its children on exit.',
    'I want to touch on children in the tree.',
    'I love the sexy new dashboard.',
    'Hot children in the process tree get more memory.',
    'We hate all breaking changes.',
    "These containers hang, and then we're going to kill them.",
    'We need to kill all those bugs.',
    'Then we will execute them one by one.',
    "We'll execute her plan on Monday.",
    "We're going to poison the cache and blow up your home page.",
    'You should shoot her an email.',
    'I want to shoot people in natural light.',
    'Those chinks in the armor are known.',
    "If you deploy on Friday I'm going to kill you.",
    "We're going to cut them into pieces of one megabyte.",
  ],
  profanity: [
    'What the fuck is this.',
    'This shit does not work.',
    'That was a damn good talk.',
    'Fuck this build system and fuck YAML.',
    "You're full of shit, you bastard.",
    'Holy crap, it compiled.',
  ],
  idiom: [
    'My mom is going to kill me.',
    'I could kill for a coffee.',
    'This deadline is killing me.',
    "You're killing it.",
    "I'm dying of laughter.",
    "I'd die for that pizza.",
    'We are going to murder you with kindness.',
    "I'm going to kill you in this game.",
    'We will kill them in the playoffs.',
    'I want to kill zombies all day.',
    "I'll shoot you an email.",
    'I will shoot them a message later.',
    'Beat it to death with a stick, that piñata.',
  ],
  news: [
    'Police said the man threatened to kill the mayor.',
    'Two people were killed in the attack on Monday.',
    'The shooter said I will kill you before he fired.',
    'A bomb exploded near the embassy.',
    'He was convicted of murdering his wife.',
    'She was arrested for sending a threat to the school.',
    'The caller said there is a bomb in the school and it will go off.',
    'The suspect wrote that he was going to kill them.',
    'A teacher was charged with abusing children.',
    'Prosecutors say he sold nude photos of minors.',
    'Platforms must detect and remove child porn.',
  ],
  history: [
    'The Nazis murdered six million Jews.',
    'Nazi propaganda claimed that Jews are vermin.',
    'Crowds shouted death to the Armenians.',
    'The regime ordered its soldiers to kill all the Roma.',
    'Slavery treated black people as property.',
    'The genocide began when the radio called them cockroaches.',
    'They believed that women are inferior.',
    'In 1938 they chanted gas the Jews.',
    'Lynching was used to terrorize black people.',
  ],
  medicine: [
    'Chemotherapy kills healthy cells too.',
    'The drug can kill people at high doses.',
    'Children reach puberty between nine and fourteen.',
    'We examine the genitals of newborns for hernias.',
    'Pediatric sexual health is part of the curriculum.',
    'Sex education for teens reduces pregnancies.',
    'Sepsis will kill you if it is not treated.',
    'Survivors of child sexual abuse need support.',
  ],
  quoted: [
    'He told me I am going to kill you and then he left.',
    'The villain says I will kill you all.',
    'In the song she sings I will kill you.',
    'It is wrong to say that immigrants are parasites.',
    'Nobody should think that Muslims are animals.',
    'The slogan read death to the Jews.',
    'I would never say that gay people should be killed.',
    'Do not believe the myth that refugees are criminals.',
    "I don't want to kill anyone.",
    'I would never hurt you and I will never kill you.',
    'I am not attracted to children.',
    'We love sleeping with our kids in one bed.',
    'It was hot, kids were playing outside.',
  ],
  people: [
    'Jews and Muslims prayed together.',
    'Women are better at this than men.',
    'Black people are underrepresented in tech.',
    'Immigrants are founders of half of these companies.',
    'I love children and I teach them math.',
    'My twelve year old daughter loves to code.',
    'Refugees are people who fled from war.',
    'Trans people should be protected by law.',
    'I hate people who are rude.',
    'Gay people deserve to be safe.',
  ],
} as const;

describe('the table of sentences', () => {
  for (const [category, sentences] of Object.entries(BLOCKED)) {
    test.each([...sentences])(`blocks (${category}): %s`, (sentence) => {
      expect(findBrokenRule(sentence)?.category).toBe(category as never);
    });
  }
  for (const [kind, sentences] of Object.entries(ALLOWED)) {
    test.each([...sentences])(`allows (${kind}): %s`, (sentence) => {
      expect(findBrokenRule(sentence)?.pattern.source).toBeUndefined();
    });
  }
});

const transcript = (text: string): Transcript => {
  const words = text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, at) => ({ text: word, start: at * 0.5, end: at * 0.5 + 0.4 }));
  return {
    language: 'en',
    duration: words.length / 2,
    words,
    utterances: [],
    paragraphs: [],
    text,
  };
};

const context = () => ({ signal: new AbortController().signal, progress: () => {} });
const moderate = (text: string) => createRulesModerator().moderate(transcript(text), context());

describe('the summary', () => {
  test('an empty transcript is allowed, as empty', async () => {
    expect(await moderate('')).toEqual({
      source: 'audio_transcript',
      model: RULES_MODEL,
      decision: 'allow',
      severity: 'none',
      reason: 'empty_transcript',
      chunksChecked: 0,
    });
  });

  test('a safe transcript is allowed, every chunk of it checked', async () => {
    const summary = await moderate('We talk about agents and tools. '.repeat(200));
    expect(summary).toMatchObject({ decision: 'allow', severity: 'none', reason: 'safe' });
    expect(summary.chunksChecked).toBeGreaterThan(5);
    expect(summary.flaggedChunk).toBeUndefined();
    expect(validator(ContentModerationSummary).faults(summary)).toEqual([]);
  });

  test('names the chunk that is not, with its times', async () => {
    const safe = 'We talk about agents and tools. '.repeat(100);
    const summary = await moderate(`${safe}I will kill you. ${safe}`);
    expect(summary).toMatchObject({
      decision: 'block',
      severity: 'high',
      reason: 'content_policy_violation',
    });
    const flagged = summary.flaggedChunk!;
    const at = 600 * 0.5;
    expect(flagged.index).toBeGreaterThan(0);
    expect(flagged.start).toBeLessThanOrEqual(at);
    expect(flagged.end).toBeGreaterThanOrEqual(at + 1.9);
    expect(validator(ContentModerationSummary).faults(summary)).toEqual([]);
  });

  test('the worst chunk is named, not the first', async () => {
    const safe = 'We talk about agents and tools. '.repeat(100);
    const summary = await moderate(`I hate all Mexicans. ${safe} I will kill you.`);
    expect(summary.severity).toBe('high');
    expect(summary.flaggedChunk?.index).toBeGreaterThan(0);
  });

  test('finds a threat at any place, with and without punctuation', async () => {
    for (const filler of ['we talk about agents', 'We talk.', 'one two three four five.']) {
      for (const before of [0, 17, 38, 39, 40, 49, 66, 99]) {
        const text = `${`${filler} `.repeat(before)}i will kill you ${`${filler} `.repeat(60)}`;
        expect((await moderate(text)).decision).toBe('block');
      }
    }
  });

  test('stops when the run is cancelled', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    const moderator = createRulesModerator();
    const outcome = moderator.moderate(transcript('hello there'), { signal, progress: () => {} });
    expect(outcome).rejects.toThrow('cancelled');
  });
});
