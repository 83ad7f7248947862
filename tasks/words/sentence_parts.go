package words

import (
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// The parts of sentences. A sentence has an opening, a main clause and a closing; only the
// main clause is required: "When the rain stopped, the retired baker polished the pewter
// teapot during the blackout, because it was Sunday." No other order of its words is as good:
//
//   - The first word has a capital, and punctuation marks the last word of each part.
//   - The words for events, for people, for their qualities and actions, and for the
//     objects of these are in different lists, and a sentence has at most one of each.
//     Exchanged, they mean something absurd: a retired teapot, a fog that polishes.
//   - Adverbs belong to people. They stand before the verb, since there is no room for them
//     between a verb and its object, and punctuation comes after that. A sentence with "during
//     the storm" has none, nor has one with a closing about somebody's action.
//   - Every noun has the same article, and no noun is followed by words, such as "in the
//     kitchen", that could follow another.
//   - The perfect uses verbs with a participle different from the past tense, so that "had"
//     cannot move to the main clause.
//   - A closing with a subject that fits the main clause too (nobody does not) comes only
//     without an opening: then a capital marks the subject of the main clause.
//
// Closings of the second list are about actions of people like those in the main clause.
// Bars separate parts.
const (
	partOpeners        = `When|After|Once|Before|Just after|Even before|Long after`
	partEvents         = `rain stopped|tide turned|fog lifted|snow melted|thunder subsided|frost vanished|wind dropped|drizzle stopped|sunlight returned|mist dissolved|sleet eased|clouds parted|rainbow faded|moonlight faded`
	partPerfectOpeners = `When|After|Once|Just after|Long after|Even before|As soon as|By the time|Barely two hours after|Exactly three days after`
	partPerfectEvents  = `sun risen|moon risen|temperature fallen|night fallen|darkness fallen|dawn broken|spring come|winter come|river frozen|lake frozen|semester begun|harvest begun`

	partAgents = `baker|farmer|teacher|sailor|nurse|painter|tailor|plumber|gardener|librarian|pilot|doctor|carpenter|waiter|lawyer|poet|singer|` +
		`drummer|shepherd|mechanic|architect|dentist|jeweler|butcher|janitor|cyclist|hiker|banker|detective|soldier|widow|student|nephew|` +
		`grandmother|violinist|bricklayer|plasterer|barber|goalkeeper|florist`
	partQualities = `retired|bearded|nearsighted|homesick|unemployed|barefoot|talkative|forgetful|bilingual|middle-aged|toothless|` +
		`thrifty|conceited|newlywed|heartbroken|seasick|bald|ticklish|widowed|suntanned|freckled`
	partManners = `carefully|eagerly|proudly|patiently|politely|secretly|grudgingly|willingly|skillfully|nervously|` +
		`thoughtfully|cheerfully|obediently|dutifully|absentmindedly|diligently|lovingly|enthusiastically|hastily|sleepily`
	partRests = `laughed|waited|listened|apologized|yawned|hesitated|complained|protested|smiled|sighed|nodded|shrugged|winked|sneezed|blushed`
	partDeeds = `repaired rusty bicycle|polished pewter teapot|mended moth-eaten curtain|painted wooden fence|sharpened serrated knife|folded striped blanket|` +
		`ironed linen shirt|peeled unripe mango|buttered toasted bagel|tuned baroque harpsichord|wrapped ceramic vase|framed autographed photograph|` +
		`watered potted fern|unlocked padlocked gate|swept carpeted staircase|knitted woolen scarf|glued plaster figurine|emptied galvanized bucket|` +
		`varnished mahogany cabinet|inflated rubber dinghy|stacked plastic chairs|hemmed pleated skirt|scrubbed cast-iron skillet|drained clogged sink|` +
		`dusted brass chandelier|weighed unopened parcel|oiled rust-eaten hinge|patched punctured hose|tightened hexagonal screw|counted counterfeit coins|` +
		`sliced sourdough loaf|salted roasted almonds|pruned thorny hedge|washed checkered tablecloth|stitched leather saddle|waxed parquet floor|` +
		`rinsed chipped mugs|laced canvas boots|unrolled woven carpet|trimmed evergreen ivy`
	partTimes = `storm|blackout|eclipse|earthquake|flood|heatwave|drought|hailstorm|blizzard|monsoon`

	partClosings = `because it was Sunday|because it was Monday|because it was Wednesday|for no reason whatsoever|in spite of everything|` +
		`because it was snowing outside|because it was raining outside|to the surprise of everyone|to the delight of everyone|` +
		`until it was time for bed|as if it were child's play|because there was nothing on television|` +
		`although it was none of her business|since there was nothing else to do`
	partActiveClosings = `without asking for permission|without being asked to help|without being asked to do so|because it was his turn to help`
	partBareClosings   = `but nobody noticed|and everyone applauded|but nobody cared|and everyone cheered|hoping to impress somebody|hoping to surprise somebody|` +
		`but nobody thanked her for it|for reasons that nobody ever understood|hoping that somebody would say thank you|because she believed that it brought luck`
)

// sentenceParts are the parts, split.
type sentenceParts struct {
	openings                   [longestSentence + 1][]string               // by number of words
	closings                   [closingKinds][longestSentence + 1][]string // of a kind and all before it, by number of words
	agents, qualities, manners []string
	rests, times               []string
	deeds                      [][]string // verb, quality of the object, object
	shapes                     [longestSentence + 1][]sentenceShape
}

var sentences = sync.OnceValue(func() *sentenceParts {
	parts := &sentenceParts{
		agents: strings.Split(partAgents, "|"), qualities: strings.Split(partQualities, "|"), manners: strings.Split(partManners, "|"),
		rests: strings.Split(partRests, "|"), times: strings.Split(partTimes, "|"),
	}
	for deed := range strings.SplitSeq(partDeeds, "|") {
		parts.deeds = append(parts.deeds, strings.Fields(deed))
	}
	parts.open(partOpeners, partEvents, "")
	parts.open(partPerfectOpeners, partPerfectEvents, " had")
	byWords(&parts.closings[calmClosings], partClosings)
	byWords(&parts.closings[activeClosings], partClosings+"|"+partActiveClosings)
	byWords(&parts.closings[bareClosings], partClosings+"|"+partActiveClosings+"|"+partBareClosings)
	for opening := range longestOpening + 1 {
		for closing := range longestClosing + 1 {
			parts.addShapes(opening, closing)
		}
	}
	return parts
})

// The kinds of closings: each list includes those before it.
const (
	calmClosings   = iota // fit every sentence
	activeClosings        // fit sentences without an adverb
	bareClosings          // fit sentences without an adverb or an opening
	closingKinds
)

const (
	longestOpening = 8 // limit of words
	longestClosing = 7
)

// open adds the openings that begin with one of openers and describe one of events, with
// auxiliary before the verb.
func (p *sentenceParts) open(openers, events, auxiliary string) {
	for opener := range strings.SplitSeq(openers, "|") {
		for event := range strings.SplitSeq(events, "|") {
			noun, verb, _ := strings.Cut(event, " ")
			text := opener + " the " + noun + auxiliary + " " + verb
			n := strings.Count(text, " ") + 1
			p.openings[n] = append(p.openings[n], text)
		}
	}
}

// byWords sorts parts by number of words.
func byWords(by *[longestSentence + 1][]string, parts string) {
	for part := range strings.SplitSeq(parts, "|") {
		n := strings.Count(part, " ") + 1
		by[n] = append(by[n], part)
	}
}

// A sentenceShape lists the parts of a sentence.
type sentenceShape struct {
	opening, closing                         int  // numbers of words; 0: none
	quality, manner, deed, itsQuality, times bool // of the main clause, which has a rest if it has no deed
}

// kind returns the kind of closings that fit the sentence.
func (s sentenceShape) kind() int {
	switch {
	case s.manner:
		return calmClosings
	case s.opening > 0:
		return activeClosings
	}
	return bareClosings
}

// addShapes adds all shapes with openings and closings of the given lengths, if there are
// any.
func (p *sentenceParts) addShapes(opening, closing int) {
	if opening > 0 && p.openings[opening] == nil {
		return
	}
	for bits := range 1 << 5 {
		s := sentenceShape{opening, closing, bits&1 > 0, bits&2 > 0, bits&4 > 0, bits&8 > 0, bits&16 > 0}
		n := opening + closing + 3 + task.Bit(s.quality) + task.Bit(s.manner) + 2*task.Bit(s.deed) + task.Bit(s.itsQuality) + 3*task.Bit(s.times)
		sensible := (s.deed || !s.itsQuality && !s.manner) && !(s.manner && s.times) && (closing == 0 || p.closings[s.kind()][closing] != nil)
		if sensible && n <= longestSentence && n > 3 {
			p.shapes[n] = append(p.shapes[n], s)
		}
	}
}

// drawSentence draws a sentence of n ≥ 3 words.
func drawSentence(n int, r *rng.Rand) string {
	p := sentences()
	if n == 3 {
		quality := rng.Pick(r, p.qualities)
		return strings.ToUpper(quality[:1]) + quality[1:] + " " + rng.Pick(r, p.agents) + "s " + rng.Pick(r, p.rests) + "."
	}
	shape := rng.Pick(r, p.shapes[n])
	b := make([]byte, 0, 256)
	if shape.opening > 0 {
		b = append(append(b, rng.Pick(r, p.openings[shape.opening])...), ", "...)
	}
	b = p.appendMain(b, shape, r)
	if shape.closing > 0 {
		b = append(append(b, ", "...), rng.Pick(r, p.closings[shape.kind()][shape.closing])...)
	}
	b[0] &^= 0x20 // a capital
	return string(append(b, '.'))
}

// appendMain appends a main clause.
func (p *sentenceParts) appendMain(b []byte, shape sentenceShape, r *rng.Rand) []byte {
	b = append(b, "the "...)
	if shape.quality {
		b = append(append(b, rng.Pick(r, p.qualities)...), ' ')
	}
	b = append(append(b, rng.Pick(r, p.agents)...), ' ')
	if shape.manner {
		b = append(append(b, rng.Pick(r, p.manners)...), ' ')
	}
	if shape.deed {
		deed := rng.Pick(r, p.deeds)
		b = append(append(b, deed[0]...), " the "...)
		if shape.itsQuality {
			b = append(append(b, deed[1]...), ' ')
		}
		b = append(b, deed[2]...)
	} else {
		b = append(b, rng.Pick(r, p.rests)...)
	}
	if shape.times {
		b = append(append(b, " during the "...), rng.Pick(r, p.times)...)
	}
	return b
}
