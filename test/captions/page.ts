/**
 * A page of captions for reviewers: how the builder divides a talk in the languages that it knows, so
 * that a change of style shows. “|” ends a line, and “‖” a caption.
 */
export const PAGE: Record<string, string> = {
  en: `Good evening, | and thank you all for coming. ‖ Ten years ago, ‖ when I started to write captions | for the lectures of Dr. Amara Okafor, ‖ I thought that the hard part | would be the typing. ‖ It was not. ‖ The hard part was to know | where a line should end. ‖ A caption is read in two seconds, | at the edge of the eye, ‖ by somebody who is looking | at a face or at a slide, ‖ and if a line ends in the wrong place | the reader has to go back. ‖ So we do not break after “the” or “of”, ‖ we do not part a name like Ada Lovelace | or a measure like 25 kilometers, ‖ and we try to let each line say one thing. ‖ Why does that matter? ‖ Because most people who use captions | never tell you that they do. ‖ About 80 percent of them | can hear quite well: ‖ they are on a train, ‖ in an open office, | or next to a sleeping child. ‖ Yes, really. ‖ Others are deaf, ‖ or are listening in their third language, | e.g. students from abroad, ‖ and for them the captions | are the talk itself. ‖ If we get a name wrong, | we have taught it wrong. ‖ If we show a line for half a second, | we have not shown it at all. ‖ I want to tell you | about three things tonight ‖ (and I will be brief): ‖ what the machine hears, | what it does with the words, ‖ and what is left for you to check.`,
  de: `Guten Abend und herzlich willkommen. ‖ Vor zehn Jahren, als ich anfing, ‖ die Vorlesungen von Dr. Amara Okafor | zu untertiteln, dachte ich, ‖ dass das Tippen | der schwierige Teil sein würde. ‖ Das war es nicht. ‖ Schwierig war es zu wissen, | wo eine Zeile enden soll, ‖ denn ein Untertitel | wird in zwei Sekunden gelesen.`,
  es: `Buenas noches y gracias a todos por venir. ‖ Hace diez años, ‖ cuando empecé a escribir subtítulos | para las clases de la Dra. Amara Okafor, ‖ pensé que lo difícil sería teclear. ‖ No lo fue. ‖ Lo difícil era saber | dónde debe terminar una línea, ‖ porque un subtítulo se lee | en dos segundos.`,
  fr: `Bonsoir et merci à tous d'être venus. ‖ Il y a dix ans, ‖ quand j'ai commencé à sous-titrer | les cours du Dr. Amara Okafor, ‖ je pensais que le plus difficile | serait de taper. ‖ Ce n'était pas cela. ‖ Le plus difficile était de savoir | où une ligne doit finir, ‖ parce qu'un sous-titre | se lit en deux secondes.`,
  it: `Buonasera e grazie a tutti | di essere venuti. ‖ Dieci anni fa, ‖ quando ho cominciato ‖ a scrivere i sottotitoli per le lezioni | della dott.ssa Amara Okafor, ‖ pensavo che la parte difficile | fosse battere a macchina. ‖ Non lo era. ‖ Difficile era sapere | dove una riga deve finire, ‖ perché un sottotitolo | si legge in due secondi.`,
  pt: `Boa noite e obrigado | a todos por terem vindo. ‖ Há dez anos, ‖ quando comecei a escrever legendas | para as aulas da Dra. Amara Okafor, ‖ pensei que a parte difícil seria digitar. ‖ Não foi. ‖ Difícil era saber | onde uma linha deve terminar, ‖ porque uma legenda se lê em dois segundos.`,
  nl: `Goedenavond en dank u wel | dat u gekomen bent. ‖ Tien jaar geleden, ‖ toen ik begon met het ondertitelen | van de colleges van dr. Amara Okafor, ‖ dacht ik dat het typen | het moeilijke deel zou zijn. ‖ Dat was het niet. ‖ Het moeilijke was om te weten | waar een regel moet eindigen, ‖ want een ondertitel | wordt in twee seconden gelezen.`,
  ja: `皆さんこんばんは。 ‖ 今日は来てくださってありがとうございます。 ‖ 十年前に講義の字幕を書き始めたとき、 ‖ 難しいのは入力だと思っていました。 ‖ そうではありませんでした。 ‖ 難しいのは行をどこで | 終えるかを知ることでした。 ‖ 字幕は二秒で読まれるからです。`,
  zh: `大家晚上好， ‖ 感谢各位的到来。 ‖ 十年前我开始为讲座写字幕的时候， ‖ 我以为最难的部分是打字。 ‖ 其实不是。 ‖ 最难的是知道一行应该在哪里结束， ‖ 因为观众只有两秒钟的时间来读一条字幕。`,
  th: `สวัสดีตอนเย็นครับขอบคุณทุกคนที่มาในวันนี้ ‖ เมื่อสิบปีก่อนตอนที่ผมเริ่มเขียนคำบรรยายผมคิด ‖ ว่าส่วนที่ยากคือการพิมพ์แต่มันไม่ใช่เลย`,
  ko: `안녕하세요, 와 주셔서 감사합니다. ‖ 십 년 전 제가 강의 | 자막을 쓰기 시작했을 때, ‖ 가장 어려운 일은 | 타자일 거라고 생각했습니다. ‖ 그렇지 않았습니다. ‖ 2026년에는 API 3개와 서버 | 12대로 자막을 만들지만, ‖ 한 줄을 어디에서 끝낼지 아는 일은 | 여전히 어렵습니다.`,
  he: `ערב טוב ותודה לכולכם שבאתם. ‖ לפני עשר שנים, ‖ כשהתחלתי לכתוב כתוביות להרצאות, ‖ חשבתי שהקושי יהיה ההקלדה. ‖ טעיתי. ‖ בשנת 2026 אנחנו משתמשים בשרת API | של OpenAI עם 25 מודלים, ‖ אבל עדיין קשה לדעת היכן | שורה צריכה להסתיים.`,
  hi: `नमस्कार, आप सभी का यहाँ आने के लिए धन्यवाद। ‖ दस साल पहले, ‖ जब मैंने व्याख्यानों के उपशीर्षक लिखना शुरू किया, ‖ मुझे लगा कि टाइप करना सबसे कठिन होगा। ‖ ऐसा नहीं था। ‖ कठिन यह जानना था कि पंक्ति कहाँ समाप्त हो, | क्योंकि उपशीर्षक दो सेकंड में पढ़ा जाता है।`,
  'ar-EG': `في عام 2026 نستخدم خادم API | من OpenAI مع 25 نموذجا، ‖ لكن معرفة المكان | الذي ينتهي فيه السطر ما زالت صعبة. ‖ يقرأ المشاهد الترجمة في ثانيتين، | فلا تفصل بين العدد 25 وما يليه.`,
  ar: `مساء الخير وشكرا لكم جميعا على الحضور. ‖ قبل عشر سنوات، ‖ عندما بدأت بكتابة الترجمة للمحاضرات، ‖ ظننت أن الجزء الصعب سيكون الكتابة. ‖ لم يكن كذلك، ‖ فالصعب هو أن تعرف أين ينبغي | أن ينتهي السطر.`,
};

/** The words of the page, and of a Russian talk, by BCP 47 tag, as a recogniser would return them. */
export const SPEECH: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'ru',
    'Добрый вечер, и спасибо всем, кто пришёл. Десять лет назад, когда я начал писать субтитры к лекциям, мне казалось, что трудным будет набор. Это было не так. Трудно было понять, где кончается строка, потому что субтитр читают две секунды.'.split(
      ' ',
    ),
  ],
  ...Object.entries(PAGE).map(([language, page]): [string, string[]] => [
    language,
    // These come character by character.
    ['ja', 'th', 'zh'].includes(language)
      ? [...page.replaceAll(/ [|‖] /g, '')]
      : page.split(/(?: [|‖])? /),
  ]),
]);
