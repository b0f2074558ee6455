import type { LanguageWords } from '../language-words.ts';

/** German. */
export const de: LanguageWords = {
  verbsLast: true,
  articles: 'der die das den dem des ein eine einen einem einer eines',
  possessives:
    'mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren euer eure meines deiner deinem deines seines ihres unserem unserer unseres eurem euren eurer eures',
  determiners:
    'dieser diese dieses diesen diesem jeder jede jedes jeden jedem kein keine keinen keinem keiner alle allen aller manche viele vielen einige mehrere andere anderen welche welcher welches solche zwei drei vier fünf sechs sieben acht neun zehn hundert tausend erste ersten dies jener jene jenes jenen jenem mancher manches manchen manchem keines solcher solches solchen solchem welchen welchem beide beiden beider beides sämtliche sämtlichen mehreren einigen einiger viel vieler wenig wenige wenigen weniger etliche irgendein irgendeine irgendeinen irgendwelche derselbe dieselbe dasselbe denselben derjenige diejenige dasjenige diejenigen elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig zweite zweiten dritte dritten anderer anderes anderem erster erstes',
  prepositions:
    'an am auf aus außer bei beim bis durch für gegen gegenüber hinter im in ins mit nach neben ohne seit trotz über um unter von vom vor während wegen zu zum zur zwischen anstatt aufs ans anhand aufgrund außerhalb binnen fürs gemäß hinterm innerhalb mithilfe mittels oberhalb samt übers überm ums unters unterm unterhalb vors vorm diesseits jenseits',
  conjunctions:
    'und oder aber denn sondern dass weil obwohl wenn als ob damit sodass bevor nachdem wo wie was wer sowie falls sobald solange sooft soweit sofern indem indes insofern obgleich obschon wenngleich wohingegen weder entweder dessen deren warum wieso weshalb wann wen wem wessen woher wohin worauf wodurch womit',
  auxiliaries:
    'ist sind war waren bin bist seid sein habe hat haben hatte hatten wird werden wurde wurden worden kann können konnte soll sollen sollte muss müssen musste will wollen wollte darf dürfen möchte wäre wären wärst wart hast habt hätte hätten hättest wirst werdet würde würden würdest kannst könnt konnten könnte könnten könntest sollst sollt sollten muß musst müsst mussten müsste müssten willst wollt wollten darfst dürft durfte durften dürfte dürften mag mögen mochte möchten lässt lassen ließ sei seien',
  pronouns:
    'ich du er sie es wir man sich mich dich uns euch mir dir ihm ihn ihnen einander jemand niemand etwas nichts',
  objectPronouns:
    'sie es sich mich dich uns euch mir dir ihm ihn ihnen einander jemand niemand etwas nichts',
  modifiers:
    'sehr nicht nur auch noch schon immer nie ganz so zu mehr weniger fast etwa ziemlich wirklich neue neuen neuer neues große großen gute guten kleine kleinen kurze kurzen lange langen junge alte alten eigene eigenen letzte letzten ganze ganzen wichtige wichtigen',
  pairs: {
    wenn: 'auch selbst immer',
    dass: 'so',
  },
  modifierEndings: 'lich liche lichen licher ige igen iger ische ischen ischer',
  units:
    'euro dollar jahre jahren jahr monate wochen tage tagen tag stunden stunde minuten sekunden kilometer meter prozent millionen million milliarden tausend mal',
  titles: 'hr. fr. dr. prof. st. dipl. ing.',
  counters: 'nr. s. art. bd. abs. kap. ca.',
  abbreviations: 'z.b. d.h. u.a. usw. bzw. evtl. ggf. inkl. str. o.ä. v.a. etc. z. b. d. h.',
};
