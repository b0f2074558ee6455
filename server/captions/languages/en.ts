import type { LanguageWords } from '../language.ts';

export const en: LanguageWords = {
  articles: 'a an the this that these those',
  possessives: 'my your his her its our their',
  prepositions:
    'about above across after against along among around as at before behind below between beyond by despite during except for from in inside into like near of off on onto out over per since through throughout to toward towards under until up upon via with within without',
  conjunctions:
    'and but or nor so yet because although though while whereas if unless when where whether than which who whose that',
  auxiliaries:
    "am is are was were be been being have has had do does did will would shall should can could may might must i'm you're we're they're i've you've we've they've i'll you'll we'll they'll isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't",
  pronouns: 'i you he she it we they',
  abbreviations: 'mr. mrs. ms. dr. prof. st. vs. etc. e.g. i.e. u.s. u.k. inc. ltd. no. jr. sr.',
};
