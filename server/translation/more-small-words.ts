/** Small words of languages that have no rules for lines here: what a text in one of them is full of. */

/** By language; all are written in Latin letters. */
export const MORE_SMALL_WORDS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    cs: 'a aby ale ani až bude být by co do ho i jako je jen jeho její jsem jsme jsou již jsi k kde když která které který mezi mi mu na nebo než o od po pod pokud pro proto před při s se si také tak ten tím to u už v ve však z za ze že',
    da: 'af at blev da de den der det dig din du efter eller en er et for fra ham han hans har have havde hun hvad hvis hvor i ikke ind jeg kan man med meget men mig min nogle nu når og også om op os på sig skal som så til ud var ved vi vil være',
    fi: 'ei en että ettei hän he hänen ja jo joka jos jotka kanssa kuin kun me meidän mikä mitä mutta myös ne niin nyt ole oli olen on ovat se sen siitä siihen sitä tai tämä vain voi',
    hr: 'a ali bi bio će da do ga i iz ja je jer još kad kada kako kao koje koji li mi mu na ne nego nije o od on po samo sam se smo su što ta to u uz već za',
    hu: 'a az és hogy nem is egy ez meg csak már de mint ha volt van vagy még el ki azt kell mert lehet aki ami itt most úgy nagyon minden lesz vannak',
    id: 'yang dan di ini itu dengan untuk tidak dari dalam akan pada juga ke ada saya kami kita bisa karena atau sudah oleh lebih mereka sebagai adalah jika seperti telah lagi',
    nb: 'av at ble da de den der det deg din du eller en er et for fra ham han hans har hadde hun hva hvis hvor i ikke inn jeg kan man med mye men meg min noen nå når og også om opp oss på seg skal som så til ut var ved vi vil være',
    pl: 'a aby ale bo by był było być co czy dla do gdy gdzie go i ich jak jako je jego jej jest jestem już każdy kiedy która które który lub ma mi może można mnie na nad nie niż o od ona oni oraz po pod przed przez przy są się tak także tam te tego tej ten to tu tylko tym u w we wszystko z za ze że żeby',
    ro: 'a acest această acum al ale am au ca că care cu cum da dar de din doar după ea ei el era este eu fi foarte fost iar în între la lui mai mi mult ne ni nu o pe pentru poate prin sa să sau se și sunt te toate tot un unde',
    sk: 'a aby aj ako ale alebo ani až bol bola bolo by byť čo do ho i iba je jeho jej k kde keď ktorá ktoré ktorý len mi mu na nie o od po pod pre pred pri s sa si so sú tak ten to u už v vo však z za ze že',
    sv: 'att av de dem den det dig din du där efter eller en ett från för ha hade han har hon hur i in inte jag kan man med men mer mig min mycket nu när och också om oss på sig ska skulle som så till upp ut vad var vi vid vill vår är även',
    tr: 'ama bana ben bir biz bu çok da daha de değil diye en gibi hem her için ile ise kadar ki mi mı ne o olan olarak oldu olduğu onu sana sen siz şey şimdi şu var ve veya ya yok',
  }).map(([language, words]) => [language, new Set(words.split(' '))]),
);
