/**
 * Ordinary English words that are also names or acronyms (Cursor, Linear, REST), or parts of such
 * names. In lower case they say nothing about the name, so a term made of them alone is never given
 * its capitals without other evidence. Not a dictionary: common words, and the words that products,
 * people and companies like to be called.
 */
const WORDS = `
a about above acid across act action active actor add admin after again agent agents ago ai aid air
all alone along also alpha always amazing amazon amber am among amp an anchor and angel angle angular
another answer any app apple apps arc are area arm arrow art as ash ask asset assets at atlas atom
audit aurora auto away axiom azure baby back bad bake baker ball band bank bar bark barn base basecamp
basic basil bat batch bay be beam bear beat because become bed bee been before begin behind bell below
bench best beta better between big bill bin bind bird bishop bit bits black blank blend block blocks
blue board boat body bold bolt bond bonus book books boot boots border boss both bottle bottom bowl box
boy brain branch brand brave bread break breeze brick bridge bright bring broken bronze brook brother
brown browse browser bubble bucket bud buffer bug build builder building bulk bull bundle bus business
busy but button buy by cable cache cake call calls calm came camel camp can canary candy canvas cap
captain car card cards care carry cart case cash cast cat catalyst catch cause cave cedar cell center
central chain chair chalk chamber champion chance change channel chapter charge chart charm chase chat
check cheese chef cherry chess child chip chips choice chrome church churn circle citrus city claim clay
clean clear clerk click client clients cliff clip clipper clock close cloud clouds club coach coast coat
cobalt code codex coffee coil coin cold collect color column comet coming command commerce common compass
compose composer concept concert concord condor cone confluence connect connection connector console
constant consul contact content context control convex cook cookie cool copper copy coral cord core cork
corn corner cosmos cost could count counter country couple courier course court cover cow craft crane
crate create creek crew crisp cross crown crystal cube cup curl current cursor cursors curve custom cut
cycle cypress daily dart dash data database date dawn day days dead deal dean dear deck deep deer define
delta demo den depot depth desert design desk detail dev develop device dial diamond diesel digital
direct directory discord discourse discover disk dispatch do dock docker dog dollar dolphin dome done
door dot double dove down dozen draft dragon draw dream dress drew drift drill drink drive driver drone
drop drum dry duck duke dust duty dynamic each eagle ear early earth ease east easy echo eclipse edge
editor effect egg eight elastic electron element elm else ember emerald end energy engine enter
enterprise entity entry envoy epic equal era error escape essential even event events ever every exact
example excel except exchange expand expo express extra eye fable fabric face fact factor factory fair
faith falcon fall family fan far farm fast fathom feather feature features fed feed feel felt fence fern
few fiber field fig figure file files fill filter final find fine finger fire firebird firefly firm first
fish fit five fix flag flame flash flask flat fleet flex flight flint flip float flock floor flow flower
flows fly focus fog fold folk follow font food fool foot for force forest forge fork form format fort
forward fossil found foundation fountain four fox frame framework frank free freedom fresh friend frog
from front frost fuel full fun function fund fusion future gain galaxy gallery game garden garnet gate
gateway gave gear gem gemini general genie gentle get ghost giant gift ginger girl git give glacier glass
glide global glow glue go goal goat gold golden good goose got grace grade grain grammar grand grape
graph grass gravity gray great green grid grip ground group grove grow guard guide guild gulf gum gun gusto
habit had hair half hall hammer hand handle happy harbor hard harmony harness harvest has hash hat hatch
have haven hawk hazel he head health heap hear heart heat heaven hedge helm help her here hero hi high
hill him hint hire his history hive hold hole home honey hood hook hope horizon horn horse host hot hotel
hour house how hub human humble hundred hunter hyper hyperdrive i ice icon id idea if image impact in inbox
index indigo ink inn input insight inspector instant intercom interface into iris iron is island it item
its ivory jack jade jam jasmine jasper java jay jet jewel job join joint journal journey joy judge juice
jump jumper juniper junior jupiter just keen keep kernel key keys kick kid kin kind king kit kite knife knight
knot know label lace ladder lake lamb lamp lance land lane language large lark laser last late later
latitude launch laurel lava law layer lead leaf lean leap learn least leather left legend lemon lens less
let letter level leverage library life lift light lightning like lily lime limit line linear lines link
linked links lion list listen lit little live load loan lobby local lock lodge log logic logs login long look lookout loom loop
lot lotus love low luck lumen luna lunch lynx mad made magenta magic magnet mail main make man manage
manager many map maple marble march margin marina mark marker market marlin mars marsh mason mass master
match mate material matrix matter may maybe me mean measure medium meet melody memory men mercury merge
merit mesa message met meta metal meteor meter metric metrics middle might mile milk mill mind mine mini
mint minute mirror mission mist mixer mobile mode model models modern module moment monday money monitor
monk month moon more morning moss most mother motion motor mountain mouse move much mural music must my
name native natural nature navy near neat nectar need neon nest net network neural never new news next
nice night nimble nimbus nine no noble node nomad none north not note notebook notes nothing notice notion
nova novel now number nut oak oasis object objects ocean octave of off offer office oil old olive on once one
onion only onto onyx open opening opera operator optic option opus or oracle orange orb orbit orchard order
organic origin other our out outlook output over owl own pace pack package page pages paint pair palace
palette palm panda panel paper parallel parcel park part parts party pass past paste patch path pattern pause pay
peace peach peak pearl peer pen penny people pepper perfect person phase phoenix phone photo piano pick
picture pie piece pike pilot pin pine pink pioneer pipe pit pitch pivot pixel place plaid plain plan plane
planet plant plate platform play player please plot plug plum plus pocket pod poem point pole police
polish pool pop port portal post pot potato power prefect present press pretty price pride prime prince
print prism private pro probe problem process product profile program project prompt prompts proof proper
propel prove public puck pull pulp pulsar pulse puma pump pumpkin puppet pure purple push put puzzle
python quality quantum quarry quartz queen quest question queue quick quill quilt quite rabbit race rack
radar radiant radio radius rag rail railway rain rainbow ram ramp ran ranch range ranger rapid raven ray
reach react read reader ready real realm reason rebel record red reef reflect relay release remix remote
render report resolve resource resources rest result retool return rich ride ridge right ring ripple rise
river road robin robot rock rocket role roll rome roof rook room root roots rope rose round route router
routes row royal ruby rule run runner runway rush rust safari safe sage said sail saint sales salt same
sampling sand sandbox sandy sapphire sat satellite save saw say scale scan scene school science scope
scout screen script sea seal search season seat second secret section secure see seed segment self
semaphore send senior sense sentinel sentry sequence serious serve server servers service session set
seven shade shadow shape share sharp she shell shelter shift shine ship shoe shop short should show side
sierra sift sight sigma sign signal silent silk silver sim simple since single sit site six size sketch
skill skim skin skip sky slack slate sleep slice slide slow small smart smile smoke snap snow snowflake
so soap social socket soft software soil solar sold solid solo some song sonic sonnet soon sort soul sound
source south space spark sparrow speak spear special speed spell sphere spice spider spin spiral splash
splice split spoke sport spot spring sprint sprout square stable stack staff stage stamp stand standard
star start state static station stay steam steel stellar stem step stick still stitch stock stone stop
storage store stork storm story straight strategy strava stream street strike string strip stripe strong structure
studio study style sublime such sugar suit summit sun super sure surf surface surge swan swarm sway sweet
swell swift swing switch sword sync system systems tab table tableau tablet tag tail take talk talks tall tan
tango tank tap target task taste tea teach teal team teams tech tell tempo ten tent term terminal test
text than that the their them theme then there these they thing think this thistle those thousand thread
three thrive through thunder ticket tide tiger tight tile time tin tip titan title to toast today
together token told tool tools top topaz torch total touch tower town toy trace track trade trail train
trait transfer travel tree trek trend tribe trick trio trip true trunk trust truth try tube tulip tuna
tune tunnel turbo turn turner turnstile turtle twelve twenty twin twist two type ultra umbrella under
unicorn union unit unity until up update upper upstart urban us use user valley value van vault vector
vectorize velvet vendor venture venus verb verse very vessel vest via victor video view vine vintage
violet virtual vision visit visual vital vivid voice volt volume voyage wagon walk walker wall walnut want
war warp was watch water wave way we weather weaver web week weigh well went were west whale what wheat
wheel when where which while whisper white who whole why wide widget widgets wild will willow win wind window
windows windsurf wing wings winter wire wise wish with wizard wolf wonder wood word words work worker workers
working workflow workflows works workspace world would wow wrangler write writer yard yarn year yellow yes yet you young
your zen zero zinc zip zone zoom grant drew pat gene mark carol holly ivy april may june august sunny
`;

const ordinary: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ''));

/** Whether a folded token is an ordinary English word, or the plural of one. */
export function isOrdinaryWord(token: string): boolean {
  return ordinary.has(token) || (token.endsWith('s') && ordinary.has(token.slice(0, -1)));
}

const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be because been but by can could did do does for from
  get go going got had has have he her here him his how i if in into is it its just like me more my no
  not now of off on one or our out over really right said say see she so some than that the their them
  then there these they thing things think this those to too up us use very want was way we well were
  what when where which who why will with would yeah you your don't that's it's i'm we're you're they're`.split(
    /\s+/,
  ),
);

/** Whether a folded token is one that holds sentences together and names nothing. */
export const isFunctionWord = (token: string): boolean => FUNCTION_WORDS.has(token);
