package instructions

import "strings"

// The words of our own texts, by class. No word is in two of the lists but a few adjectives
// that are verbs too.
var (
	adjectives = strings.Fields(`able ancient big blue bold brave bright busy calm clean clear cold cool dark deep distant dry dusty
early easy elegant empty eager even fair famous fast fine foreign fresh friendly gentle good grand gray great green happy hard heavy high honest
huge icy idle ideal jolly keen kind large late lazy light little long loud low lucky mild modern narrow native neat new nice noble noisy odd old
open orange ordinary other pale plain polite poor proud pure quick quiet rare rapid raw real red rich ripe rough round royal sad safe sharp short
shy silent simple slow small smooth soft sour steep strange strong sweet tall tame thick thin tidy tiny tired ugly unusual upper urban useful
usual vast violet warm weak wet white wide wild wise wooden yellow young zealous`)
	nouns = strings.Fields(`acorns actors animals ants apples arches artists aunts babies badgers bakers balloons barns bears beds bells birds
boats books bottles boys bridges cabins cakes camels candles castles cats chairs children clouds coats cousins cows crows cups dancers deer dogs
dolls doors dragons drums ducks eagles ears eels eggs elephants elms engines eyes farmers ferns fields fires fish flags flowers foxes friends
frogs gates geese ghosts giants girls goats guests hares hats hawks hens hills horses houses hunters insects inns islands jars judges jugs keys
kings kites kittens ladders ladies lakes lambs lamps lanterns leaves lemons letters lions maps masks mice mills monkeys moths mountains neighbors
nets nurses nuts oaks oars olives onions otters owls oxen painters parrots pens people pigs pilots plants poets ponds pots queens rabbits rats
robins robots rocks roofs roses sailors seals seeds shadows sheep ships shoes singers snails spoons squirrels stars stones students swans
teachers teams tents tigers towers toys turtles uncles umbrellas vans vases villagers violins walls wells whales wheels windows wolves women
writers yaks zebras`)
	verbs = strings.Fields(`act agree appear argue arrive bark begin bend blink bloom bow break breathe burn change climb come cough crawl cry
dance dream drift drop eat end exist fade fall feast fight float flow fly freeze gather glow go grow hang hide hop hum hunt hurry improve jump
kneel land laugh lean learn leave lie listen live look melt move nap nod object oversleep paddle pause play practice rejoice remain rest return
rise roll run sail shine shout sing sink sit sleep smile snore speak spin stand stay swim talk travel turn unite vanish vary wait wake walk
wander weep whisper whistle work yawn yell`)
	prepositions = strings.Fields(`about above across after against along amid among around at before behind below beneath beside between beyond
by despite down for from in inside into like near of off on onto opposite outside over past through throughout to toward under underneath up upon
via with within without`)

	// everyWord holds all of them.
	everyWord = strings.Fields(strings.Join(adjectives, " ") + " " + strings.Join(nouns, " ") + " " + strings.Join(verbs, " ") + " " + strings.Join(prepositions, " "))
)

// topics are what texts are about.
var topics = strings.Fields(`airports bakeries beaches bicycles blankets breakfasts caves cities clocks comets deserts farms festivals forests
games gardens glaciers gloves harbors holidays hotels journeys kitchens libraries lighthouses markets meadows mirrors museums orchards pancakes
parks paths planets puzzles rainbows ribbons rivers schools seasons songs soups spices stadiums storms stories sunsets tailors teapots telescopes
theaters trains tunnels villages volcanoes waterfalls weekends`)

// keywords are words that a text must have.
var keywords = strings.Fields(`advice air art autumn brass bread butter chalk cheese chess clay coffee copper corn cotton courage dawn dusk dust
energy evening evidence fashion fear fiction fog freedom fuel furniture garlic ginger glass grass harmony health history homework honey hope hunger
ice ink iron joy justice kindness knowledge laughter leather lightning luck luggage magic marble memory midnight milk moonlight morning moss mud
music nature night noon oil oxygen paper patience peace pepper poetry pottery pride progress rain rhythm rice salt sand scenery science shade
silence smoke snow soap sport spring steam steel sugar summer sunlight sunshine tea thirst thunder timber time tin traffic trust twilight velvet
water wax wealth weather wind winter wisdom wool youth`)

// acrostics are words whose letters paragraphs and sentences may begin with.
var acrostics = strings.Fields(`bear boat book brown card chair clam cloud coast crown dawn dish drum east farm field flag flour fruit gold hand hope
house lamp land leaf lime lion loop maple mint moon nest north oak ocean opal pearl plant plum pond ring roof rose ship snow spoon stone storm sun
swan table tent train tree wolf wood`)

// frequentWords are words that texts often have, to be avoided.
var frequentWords = strings.Fields(`a an and are as at be but by can for from has have in is it many more not of on one or some that the their there they
this to was we when which who will with you your`)

// phrases begin and end texts.
var (
	openings = []string{"Once upon a time", "To begin with", "Few people know this", "Let me tell you a secret", "Here is the whole truth",
		"Nobody expected it", "In the beginning", "Long before sunrise", "On a quiet afternoon", "It all started here"}
	endings = []string{"And that is all.", "Nothing more needs to be said.", "This is where it ends.", "The rest is up to you.", "So it goes.",
		"Tomorrow we shall see.", "Is there anything else to know?", "Thank you for reading.", "Nobody was surprised.", "Good night, everyone!"}
	requests = []string{"Tell us something new.", "Please explain this to a child.", "What would you say about it?", "Give your honest opinion.",
		"Describe what you see.", "Put it in simple terms.", "Why does it matter at all?", "Remind me of the good parts."}
	choices  = []string{"My answer is yes.", "My answer is no.", "My answer is maybe.", "I like it.", "I do not mind it.", "I am not sure."}
	jsonKeys = strings.Fields(`title summary body author opening ending moral question reason detail place mood`)
)
