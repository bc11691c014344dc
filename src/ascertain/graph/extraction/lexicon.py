"""Word lists of the rules: what tells an organisation from a place and a verb from a noun. All folded, singular unless said.

Put together by hand from what Wikipedia, news, documentation, papers and transcripts show; each list is a cue, not a dictionary.
"""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ORGANISATION_HEADS = _words(
    "academy administration agency airline airlines airways alliance army assembly associates association authority"
    " bank bbc board broadcasting brothers bureau cathedral center centre chamber church club coalition college commission"
    " committee communications community company conference confederation congress conservatory consortium corporation corps council"
    " court department division engineering enterprises entertainment exchange faculty federation films firm force forces foundation"
    " front fund gallery government group guild holdings hospital house inc industries initiative institute institution"
    " international jazeera journal laboratories laboratory labs league library llc ltd magazine media ministry motors movement museum"
    " nations navy network networks news newspaper office opera orchestra organisation organization parliament partners party"
    " pictures platform police post press productions publications publishers publishing quartet radio railway railways records"
    " regiment republicans democrats school schools seminary senate services society software solutions squadron state studio studios"
    " symphony syndicate systems team technologies television theatre times treasury tribune trust union university ventures working"
).difference(_words("house state community platform working international"))
"""Last words, or words before "of", of what acts as one."""

PLACE_HEADS = _words(
    "abbey airport archipelago avenue basin bay beach boulevard borough bridge canal canyon cape castle cemetery city coast county creek"
    " desert district falls forest garden gardens gulf harbor harbour heights highway hill hills island islands isle kingdom"
    " lake lakes mount mountain mountains municipality ocean palace park parish peak peninsula plain plateau port prefecture"
    " province ranch range region republic reservoir ridge river road rock route sea shire shore square station strait street"
    " suburb temple territory town township tower valley village volcano waterfall woods zone"
)

PLACE_OPENERS = _words("lake mount cape fort port")
"""First words of places."""

EVENT_HEADS = _words(
    "act ad-hoc affair attack attacks award awards battle bombing bowl campaign celebration ceremony championship championships coup"
    " crisis cup derby disaster earthquake election elections eruption expedition expo fair famine festival final finals fire flood"
    " games grammys hackathon hurricane incident invasion massacre match marathon meeting mission olympics open operation pandemic"
    " playoffs prix protests rally rebellion referendum revolt revolution riot season series siege strike summit symposium tour"
    " tournament treaty trial uprising war wars wedding workshop"
).difference(_words("act open series ad-hoc mission operation"))

PRODUCT_HEADS = _words(
    "album anthem app application browser camera car coin compiler computer console database drive edition editor engine film game"
    " iphone library model movie network novel os phone platform plugin protocol sdk series server service song software suite token"
    " toolkit trilogy vehicle watch"
)

PERSON_TITLES = _words(
    "mr mrs ms dr prof professor president chancellor senator congressman congresswoman governor mayor judge justice king queen"
    " prince princess emperor empress duke duchess earl count countess baron baroness lord lady sir dame pope saint cardinal bishop"
    " archbishop father rabbi imam general colonel major captain lieutenant sergeant admiral commander marshal minister secretary"
    " ambassador coach chief inspector detective officer sheriff"
)
"""Words before or at the start of a name of a person."""

PERSON_ROLES = _words(
    "actor actress activist anthropologist archaeologist architect artist astronaut astronomer athlete attorney author bassist biologist businessman businesswoman"
    " ceo cfo cto chairman chairwoman chemist choreographer co-founder cofounder comedian commentator composer conductor critic"
    " cyclist dancer designer developer director diplomat drummer economist editor engineer entrepreneur explorer filmmaker"
    " footballer founder frontman geologist goalkeeper golfer guitarist historian host illustrator inventor investor"
    " journalist keyboardist lawyer lyricist mathematician missionary musician novelist nurse painter philosopher photographer"
    " physician physicist pianist pioneer player playwright poet politician presenter producer programmer"
    " psychiatrist psychologist quarterback rapper reporter researcher saxophonist scholar scientist screenwriter sculptor"
    " singer singer-songwriter sociologist songwriter soprano spokesman spokesperson spokeswoman striker student teacher tenor"
    " theologian violinist vocalist wrestler writer brother sister son daughter wife husband mother father uncle nephew"
)
"""What a person is called before or after the name."""

PERSON_VERBS = _words(
    "said says told tells asked asks wrote writes argued argues explained explains added adds recalled recalls admitted denied"
    " married died born resigned retired starred sang sings thinks believes thought believed studied graduated joked replied"
    " tweeted starred portrayed plays"
)
ORGANISATION_VERBS = _words(
    "announced announces acquired acquires acquire merged operates employs hired sued headquartered incorporated manufactures"
)
PRODUCT_VERBS = _words("version costs runs supports")
PLACE_PREPOSITIONS = _words(
    "in at near from to into across throughout outside inside around toward towards through"
)

GIVEN_NAMES = _words(
    "aaron adam adrian agnes ahmed alan albert alejandro alex alexander alexandra alexis alfred ali alice alicia allen amanda amy"
    " ana anders andre andrea andreas andrew andy angela anita ann anna anne annie anthony antonio arnold arthur barbara barry ben"
    " benjamin bernard bernhard bert beth betty bill billy björn bjorn bob bobby brad brandon brenda brian bruce bruno bryan carl carlos carol"
    " caroline catherine cecil charles charlie charlotte chen chloe chris christian christina christine christoph christopher claire"
    " clara claude clint colin craig cynthia dale dan daniel daniela danny darren dave david dean deborah dennis derek diana diane"
    " diego dick dmitri dmitry don donald donna doris dorothy doug douglas duncan dylan earl eddie edgar edith edmund edward edwin"
    " eleanor elena elizabeth ella ellen emil emily emma enrico eric erik ernest esther ethan eugene eva evan evelyn fatima felix"
    " fernando florence frances francesco francis francisco frank franklin franz fred frederick friedrich gabriel gareth gary gavin"
    " gene geoffrey george gerald gerard giovanni giuseppe gloria gordon grace graham greg gregory guillermo gustav guy hank hannah hans"
    " harold harriet harris harry harvey heather hector heinrich helen helena henri henry herbert herman hillary hiroshi holly howard"
    " hugh hugo ian ibrahim igor ingrid irene isaac isabel ivan jack jackie jacob jacques jake james jamie jan jane janet janice jason"
    " javier jay jean jeff jeffrey jen jennifer jeremy jerry jesse jessica jill jim jimmy joan joanna joe joel johan johann johannes john"
    " johnny jonathan jorge jose josef joseph josh joshua joyce juan judith judy julia julian julie justin karen karl kate katherine"
    " kathleen kathryn katie keith kelly ken kenneth kevin kim kofi kurt kwame lance larry laura lauren lawrence leo leon leonard leonardo"
    " leslie lewis liam lily linda lionel lisa liz logan louis louise luca lucas lucy luigi luis luke lynn malcolm marc marcel marco marcus"
    " margaret maria marie marilyn mario marit mark marlon marta martha martin marvin mary mathew matt matthew maurice max maya megan"
    " mei melissa mia michael michel michelle miguel mikhail mike milton mohamed mohammed molly monica morgan muhammad nancy naomi natalie"
    " nathan neil nelson nicholas nick nicolas nicole nikolai nina noah nora norman oliver olivia omar oscar otto owen pablo pamela"
    " patricia patrick paul paula pedro peggy penny pete peter phil philip philippe phillip pierre rachel ralph ramon randy raymond"
    " rebecca reginald rene ricardo richard rick rob robert roberto robin rodney roger roland ron ronald rosa rose ross roy ruby rudolf"
    " russell ruth ryan sally sam samantha samuel sandra sanjay sara sarah satya scott sean sebastian sergei sergey seth shane sharon shaun"
    " shirley sidney simon sofia sophia sophie stan stanley stefan stella stephan stephanie stephen steve steven stewart stuart sue"
    " sundar susan suzanne sylvia ted terence teresa terry theo theodore theresa thomas tim timothy tina todd tom tommy tony tracy"
    " trevor tyler ursula valerie vanessa vera vernon veronica vic victor victoria vincent vladimir walter wanda warren wayne wendy werner"
    " wilhelm william winston wolfgang xavier yan yuki yusra yves zachary zoe"
).difference(_words("dean rose earl grace max guy mark jay don will claude florence victoria"))
"""Given names common in English text, without those that are as often something else."""

COUNTRIES = _words(
    "afghanistan albania algeria angola argentina armenia australia austria azerbaijan bahrain bangladesh belarus belgium belize benin"
    " bhutan bolivia botswana brazil britain brunei bulgaria cambodia cameroon canada chad chile china colombia croatia cuba cyprus"
    " denmark ecuador egypt england eritrea estonia ethiopia fiji finland france gabon georgia germany ghana greece guatemala guinea"
    " guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kosovo"
    " kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg macedonia madagascar malawi malaysia"
    " maldives mali malta mauritania mauritius mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nepal"
    " netherlands nicaragua niger nigeria norway oman pakistan palestine panama paraguay peru philippines poland portugal qatar romania"
    " russia rwanda scotland senegal serbia singapore slovakia slovenia somalia spain sudan suriname sweden switzerland syria taiwan"
    " tajikistan tanzania thailand togo tunisia turkey turkmenistan uganda ukraine uruguay uzbekistan venezuela vietnam wales yemen zambia"
    " zimbabwe africa asia europe america antarctica oceania scandinavia"
)
STATES = _words(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana iowa kansas"
    " kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma"
    " oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming ontario quebec manitoba alberta saskatchewan queensland"
    " tasmania bavaria catalonia lombardy tuscany normandy sicily"
)
CITIES = _words(
    " amsterdam athens atlanta auckland baghdad bangkok berkeley barcelona beijing"
    " belgrade berlin bern boston brisbane bristol brooklyn brussels bucharest budapest cairo calgary cambridge chicago cleveland"
    " cologne copenhagen dallas damascus delhi denver detroit dubai dublin edinburgh frankfurt geneva glasgow hamburg helsinki houston"
    " istanbul jakarta jerusalem johannesburg karachi kiev kyiv lagos lima lisbon liverpool london madrid manchester manila marseille"
    " melbourne miami milan minneapolis montreal moscow mumbai munich nairobi naples nashville oslo ottawa oxford paris philadelphia phoenix"
    " pittsburgh portland prague rome rotterdam sacramento santiago seattle seoul shanghai stockholm stuttgart sydney tehran tokyo toronto"
    " turin valencia vancouver venice vienna warsaw zagreb zurich manhattan hollywood"
)
NATIONAL = _words(
    "african american arab argentine armenian asian australian austrian belgian brazilian british bulgarian canadian catholic chilean"
    " chinese christian colombian croatian cuban czech danish dutch egyptian english estonian european finnish flemish french german greek hindi telugu tamil malayalam bengali urdu punjabi marathi kannada mandarin cantonese"
    " hindu hungarian indian indonesian iranian iraqi irish islamic israeli italian jamaican japanese jewish kenyan korean latin latvian"
    " lithuanian malaysian mexican muslim nigerian norwegian pakistani palestinian persian peruvian polish portuguese protestant"
    " roman romanian russian scottish serbian slovak slovenian soviet spanish swedish swiss syrian thai turkish ukrainian vietnamese welsh"
    " democratic republican"
)
"""Adjectives of nations and faiths: alone they name nothing that a walk should pass through, so many texts have them."""

PRACTICE_HEADS = _words(
    "coaching coding collaboration delegation deployment design development exercise experiment feedback habit hiring interviewing"
    " journaling management marketing meditation meeting mentoring method methodology mining monitoring onboarding planning practice process programming"
    " refactoring retrospective review ritual routine sampling scheduling strategy technique testing therapy training tuning"
    " workflow writing parsing rendering"
)
OUTCOME_HEADS = _words(
    "advantage adoption benefit breakthrough burnout change consequence cost decline decrease downtime efficiency effect failure gain growth"
    " impact improvement increase innovation latency lesson loss outage outcome performance productivity profit"
    " progress quality reduction regression reliability result return revenue risk satisfaction saving savings speedup success"
)
METHOD_HEADS = _words(
    "algorithm approach architecture attention autoencoder classifier clustering decoder embedding encoder estimator forest framework"
    " function heuristic kernel layer learning loss machine mechanism method model network normalization normalisation objective optimizer"
    " pretraining procedure regression regularization sampling scheme search sketch technique training transform transformer"
)
DATASET_HEADS = _words("benchmark collection corpora corpus database dataset datasets treebank testbed")
METRIC_HEADS = _words(
    "accuracy auc auroc bleu coefficient distance error f1 index metric ndcg perplexity precision rate ratio recall rouge score similarity"
)
TASK_HEADS = _words(
    "answering categorization classification comprehension detection extraction generation inference labeling parsing prediction"
    " ranking recognition retrieval segmentation summarization summarisation task tagging translation"
)
COMPONENT_HEADS = _words(
    "api backend cache client component controller daemon dashboard database driver endpoint engine extension file frontend gateway"
    " handler header index interface library logger module node package parser plugin proxy queue registry repository sandbox schema"
    " scheduler sdk server service store table thread token tool toolchain volume widget window worker"
)

VERBS = _words(
    "accept accepts accepted achieve achieves achieved add adds added adding allow allows allowed allowing appear appears appeared apply"
    " applies applied ask asks asked asking avoid avoids become becomes became begin begins began begun believe believes believed bring"
    " brings brought build builds buy buys bought call calls called came choose chooses chose chosen come comes coming consider"
    " considered considers contain contains contained containing continue continues continued continuing create creates created creating"
    " decide decides decided define defines defined depend depends describe describes described determine determines develop develops do"
    " doing done enable enables enabled ensure ensures ensuring exist exists expect expects expected explain explains explained fail fails"
    " failed feel feels felt find finds finding found gave gets getting give gives given giving go goes going gone got happen happens"
    " happened help helps helped helping hold holds held improve improves improved include includes included including increase"
    " increases increased indicate indicates involve involves involved keep keeps kept keeping know knows knew known knowing lead leads"
    " led learn learns learned leave leaves left let lets like liked live lived lives look looks looked looking lose lost made make makes"
    " making mean means meant meet meets met move moves moved need needs needed obtain obtained occur occurs occurred offer offers offered"
    " play plays played provide provides provided providing publish published put puts putting reach reaches reached read reads receive"
    " receives received reduce reduces reduced remain remains remained remember replace replaces replaced represent represents"
    " represented require requires required requiring return returns returned returning said saw say says saying see sees seeing seem"
    " seems seemed seen send sends sent serve serves served serving set sets shall show shows showed shown showing sit specify"
    " specified start starts started starting stay stayed stop stopped store stores stored suggest suggests suggested support supports"
    " supported supporting take takes taken taking talk talks talked talking tell tells telling tend tends think thinks thinking thought"
    " told took try tries tried trying turn turns turned turning understand understands understood use uses used using want wants wanted"
    " wanting went win wins won work works worked working write writes wrote written run runs running ran propose proposed"
    " propose proposes perform performs performed released release located based born died known named directed produced"
    " compared followed trained learned consists consist follows compute computes computed gets say specify specifies handle handles"
    " hit hits pass passes passed passing check checks checked happen wait waits click clicks choose select selected selects please"
    " lies lie falls grew grow grows saved save saves load loads loaded imagine mention mentioned guess love loved hear heard"
    " starring featuring fell rose broke saw hit drew threw fly flew listen listened spend spent pay paid cut cuts sell sells sold"
)
"""Verbs that end a noun phrase, in the forms that are met; those that are nouns as often are left out."""

VAGUE = _words(
    "able largest smallest highest lowest oldest longest biggest newest founding actual additional afterwards alike alone amount available away bad best better big bit case certain clear common complete couple"
    " current currently day days different difficult due easily easy end enough entire even eventually every everyone everything exact"
    " example extra fact far fast few finally first five following four full fully general generally good great guy half hand hard"
    " high however huge hundred idea important instead interesting just kind kinds large larger last late later least less level little long"
    " longer lot lots low main major many maybe mere million minute month months much multiple near nearly necessary never new next nice"
    " nine nobody none normal nothing number numerous often old one ones open original others overall part particular pair people perhaps person piece place"
    " plus point possible pretty previous probably proper question quick quickly quite rather real really reason recent recently right same second"
    " section seven several short similar simple simply single six small somebody someone something sometimes soon sort special specific step"
    " still stuff sure ten things thing third thousand three time times today together tomorrow too total true two type types usual usually"
    " various way ways week weeks well whole wide without word words year years yes yesterday yet young zero okay oh yeah gonna"
    " gotta um uh like back around among across along per via versus vs etc et al eg ie also already always almost ago whether either"
    " neither within upon toward towards despite although though unless since become much anything anyone anybody everybody now"
    " itself else ever behind whilst additionally eleven twelve thirteen fourteen fifteen sixteen twenty thirty forty fifty sixty seventy eighty ninety dozen billion maybe actually basically literally totally definitely obviously exactly especially mostly highly"
)
"""Words that name nothing by themselves and stand in no term."""

COUNTRY_NAMES = frozenset(
    {
        "united states", "united kingdom", "european union", "soviet union", "united arab emirates", "south korea", "north korea",
        "south africa", "new zealand", "saudi arabia", "costa rica", "czech republic", "hong kong", "new york", "los angeles",
        "san francisco", "las vegas", "new jersey", "new mexico", "new orleans", "north carolina", "south carolina", "new south wales",
        "rio de janeiro", "sao paulo", "buenos aires", "mexico city", "middle east", "british columbia", "new england",
        "north america", "south america", "latin america", "puerto rico", "sri lanka", "el salvador", "west germany", "east germany",
        "washington d.c", "st petersburg", "saint petersburg", "tel aviv", "kuala lumpur", "northern ireland", "california",
    }
)  # fmt: skip
"""Keys of places whose words are no cue."""

ORGANISATION_NOUNS = _words(
    "agency airline association band bank brand broadcaster business charity choir club college committee company conglomerate"
    " cooperative corporation council duo ensemble federation firm foundation institute institution journal label league"
    " magazine manufacturer ministry movement museum newspaper nonprofit non-profit orchestra organisation organization party"
    " publisher retailer school society startup station subsidiary team trio union university"
)
PLACE_NOUNS = _words(
    "area borough capital city commune community continent country county district hamlet island lake landlocked locality mountain"
    " municipality neighborhood neighbourhood park peninsula port province region river road settlement state street suburb town"
    " township village volcano"
)
PRODUCT_NOUNS = _words(
    "album anthem api app application book browser comic computer console cryptocurrency database device documentary episode film framework"
    " game language library magazine manga model movie musical novel opera painting play poem program protocol sculpture"
    " series ship single sitcom smartphone soap software song soundtrack standard suite system tool track vehicle video"
)
"""Nouns that a definition ends in: "is a 1990 film", "is a peer-reviewed journal"."""

RELATION_VERBS = _words(
    "accused achieved acquired acquires adapted adopted advised aired announced appeared appears appointed attacked attended authored"
    " awarded backed based beat became bought built called caused challenged chaired choreographed co-authored co-created co-directed"
    " co-founded co-produced co-starred co-wrote cofounded collaborated coined commanded commissioned composed connected conquered considered"
    " contains contributed controlled converted coordinated covered created credited criticised criticized crosses cut dated"
    " dedicated defeated defended defined delivered derived described designed destroyed developed develops devised directed discovered"
    " discusses discussed distributed divided divorced donated drafted edited educated elected employed employs enables enacted"
    " encompasses endorsed engaged enrolled established evolved excelled expelled exported faced featured features filmed financed"
    " flows followed follows formed fought founded funded gave generated governed graduated grew guided headed headquartered held"
    " helped hired hosted hosts houses implemented implements imported incorporated influenced inherited inspired installed introduced"
    " integrates invaded invented invested investigated involved issued joined killed launched launches lead leads led left licensed lies lived lives"
    " located made maintained maintains managed manages manufactured manufactures married mentored merged met moved murdered named narrated"
    " nominated occupied offers opened operated operates opposed ordered organised organized originated outsold overthrew owned owns"
    " paid painted participated partnered passed patented performed performs played plays popularised popularized portrayed portrays powers"
    " praised presented presides produced produces promoted proposed provides proved published publishes purchased ran raised"
    " ratified received recorded recruited regulates rejected released releases relocated remade renamed replaced replaces reported"
    " represented represents required requires resigned restored retired returned reviewed ruled runs said sang sells sent served serves settled"
    " shared shot signed situated sold sponsored spoke starred stars started stationed studied succeeded sued supplied supported"
    " supports surrendered surrounded taught teaches toured trained transferred translated travelled traveled trialled turned"
    " used uses visited voiced voted won worked works wrote born buried discussed interviewed interviews replaced cited compared"
)
"""Verbs that relate two names: past and present forms, participles."""

TITLES_TO_DROP = _words(
    "mr mrs ms dr prof professor rev reverend hon sir dame president senator chancellor congressman congresswoman governor secretary"
    " minister general colonel major king queen prince princess captain lieutenant ambassador judge justice coach ceo cto cfo chairman director author actor actress"
    " singer writer poet composer physicist economist journalist reporter editor producer"
)
"""What stands before a name and is no part of it: honorifics always, the others before a given name."""

REGIONS = COUNTRIES | STATES | COUNTRY_NAMES
"""What a smaller place is in: "Nashville, Tennessee"."""
PLACES = REGIONS | CITIES
