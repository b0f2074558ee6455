/** A rule of moderation: a pattern, and the exceptions under which its words pass. */

/** A kind of content that is not published. Patterns match folded sentences (`foldedSentences`). */
export interface Rule {
  category: RuleCategory;
  severity: 'medium' | 'high';
  /** A global pattern without nested repetition, so that it takes linear time. */
  pattern: RegExp;
  /**
   * Exceptions. The words pass if one of these precedes the match in the sentence or, with `anywhere`, is anywhere in
   * it.
   */
  unless: readonly Exception[];
}

interface Exception {
  pattern: RegExp;
  where: 'before' | 'anywhere';
}

/** An exception is searched at most so many characters before the match (about ten words). */
const REACH = 60;

/** Somebody else's words: reported, quoted, sung, played, or discussed as words. "I said" does not count. */
export const REPORTED: Exception = {
  where: 'before',
  pattern:
    /(?<!\b(?:i|we|i've|we've) (?:already |just |also |have )?)\b(?:said|says|saying|told|tells|telling|wrote|writes|writing|written|tweeted|posted|texted|shouted|shouting|screamed|screaming|yelled|yelling|chanted|chanting|claimed|claims|claiming|believed|believes|thought|threatened|threatening|threats?|warned|quote|quoted|quoting|quotes|called|reads|read|declared|argued|preached|insisted|was like|goes like|sings|sang|lyrics?|verse|song|movie|film|novel|character|villain|slogans?|propaganda|posters?|pamphlets?|headline|phrase|sentence|slur|letter|caller|voicemail|stereotype|myth|lie|idea that|notion that|rhetoric|ideology|racists?|bigots?|nazis|extremists?|trolls?|comments? like|things like|stuff like)\b/g,
};

/** Reported speech in Spanish, French, German, Portuguese and Italian. */
export const REPORTED_ELSEWHERE: Exception = {
  where: 'before',
  pattern:
    /\b(?:dijo|dice|grito|decia|amenazo|cancion|pelicula|dit|disait|crie|menace|chanson|sagte|sagt|schrie|drohte|lied|disse|diz|gritou|musica|filme|ha detto|diceva|urlo|canzone)\b/g,
};

/** Words that the speaker rejects: "nobody should say that …". */
export const DISOWNED: Exception = {
  where: 'before',
  pattern:
    /\b(?:not|never|don't|doesn't|didn't|won't|can't|cannot|wouldn't|shouldn't|nobody|no one) (?:(?:should|would|could|can|ever|to|i|you|we) )*(?:say|think|believe|claim|argue|suggest|accept|agree|mean|teach|hear)\b|\b(?:wrong to|wrong that|false that|untrue that|absurd that|condemn|condemns|refuse to believe|instead of)\b/g,
};

/** A game, a match or a stage, where nobody is harmed. */
export const PLAY: Exception = {
  where: 'anywhere',
  pattern:
    /\b(?:games?|gaming|level|boss fight|npcs?|respawn|respawns|minecraft|fortnite|chess|checkers|paintball|laser tag|video game|multiplayer|scene|in character|dungeon|dragons?|zombies?|orcs?|goblins?|playoffs?|tournament|scoreboard|improv|stand up comedy|karaoke|debate club|dance battle|rap battle|trivia|mario kart|scrabble|ping pong|tennis|the match|this match)\b/g,
};

/** Whether a folded sentence violates a rule. */
export function breaksRule(sentence: string, rule: Rule): boolean {
  for (const match of sentence.matchAll(rule.pattern)) {
    const before = sentence.slice(Math.max(0, match.index - REACH), match.index);
    const passes = rule.unless.some(({ pattern, where }) =>
      (where === 'before' ? before : sentence).match(pattern),
    );
    if (!passes) return true;
  }
  return false;
}

type RuleCategory = 'threat' | 'hate' | 'minors';
