package guess

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// coinWeighing is the puzzle of the odd coin and the balance.
var coinWeighing = games.Spec[coinParams, oddCoin]{
	Name: "coin_weighing",
	Doc: "Find the odd one of several coins, and whether it is heavy or light, with a balance. Each weighing is measured by the exact number of weighings that it wastes in the " +
		"worst case, and an answer earns something only if it is certain.",
	Source:  "Dyson, The problem of the pennies, The Mathematical Gazette 30 (1946). Code and texts are our own.",
	Version: 2,
	Levels: []coinParams{
		{Coins: 3, Heavy: true, Replies: 7},
		{Coins: 9, Heavy: true, Replies: 8},
		{Coins: 4, None: true, Replies: 9},
		{Coins: 8, None: true, Replies: 9},
		{Coins: 12, None: true, Replies: 9, Adversary: true},
		{Coins: 13, None: true, Good: 1, Replies: 9, Adversary: true},
	},
	Make:     makeCoins,
	Reward:   games.Value,
	Guess:    []float64{0.1267, 0.0099, 0.0115, 0.0036, 0.0003, 0.0001},
	Openings: []int{3, 9, 9, 17, 25, 27},
}

// coinParams are the parameters of a level.
type coinParams struct {
	Coins     int  `json:"coins" want:"2 to 16"` // one of them may be odd
	Good      int  `json:"good" want:"0 to 4"`   // further coins, which are good
	Heavy     bool `json:"heavy"`                // whether an odd coin is certainly heavy
	None      bool `json:"none"`                 // whether perhaps no coin is odd
	Adversary bool `json:"adversary"`            // whether each weighing goes the way that leaves most to do
	Replies   int  `json:"replies" want:"3 to 30"`
}

// Check refuses what no tag does.
func (p coinParams) Check() error {
	if p.Coins == 2 && p.Good == 0 && !p.Heavy {
		return fmt.Errorf("coins is %d, want 3 or more: without a good coin, nothing tells which of two is odd", p.Coins)
	}
	return nil
}

// A verdict says which coin is odd, from 1, and whether it is heavy; coin 0: none.
type verdict struct {
	Coin  int  `json:"coin"`
	Heavy bool `json:"heavy"`
}

// name writes a verdict as in a move.
func (v verdict) name() string {
	switch {
	case v.Coin == 0:
		return "none"
	case v.Heavy:
		return fmt.Sprint(v.Coin, " heavy")
	}
	return fmt.Sprint(v.Coin, " light")
}

// An oddCoin is a problem.
type oddCoin struct {
	coinParams
	Truth verdict `json:"truth"` // with an adversary, the one that it prefers of equals
}

// Check refuses a record whose truth is impossible.
func (c oddCoin) Check() error {
	if err := task.Check(c.coinParams); err != nil {
		return err
	}
	if !slices.Contains(c.verdicts(), c.Truth) {
		return fmt.Errorf("truth is coin %d, heavy %v, which the parameters exclude", c.Truth.Coin, c.Truth.Heavy)
	}
	return nil
}

// verdicts lists what may be true.
func (p coinParams) verdicts() (all []verdict) {
	for coin := 1; coin <= p.Coins; coin++ {
		all = append(all, verdict{coin, true})
		if !p.Heavy {
			all = append(all, verdict{coin, false})
		}
	}
	if p.None {
		all = append(all, verdict{})
	}
	return all
}

func makeCoins(p coinParams, r *rng.Rand) (oddCoin, error) {
	return oddCoin{p, rng.Pick(r, p.verdicts())}, nil
}

// Rules implements [games.Start].
func (c oddCoin) Rules(wording int) string {
	return fmt.Sprintf([]string{
		"There are coins with the numbers 1 to %[1]d. %[2]s You have a balance with two pans. A move such as \"%[4]s\" puts coins on the left pan and as many on the right one, and " +
			"shows which pan is heavier, if any. When you know the result, %[3]s; this ends the game. An answer that is wrong, or that does not yet follow from the weighings, earns nothing. " +
			"Weighings are measured by how many you may need in the worst case.",
		"You have %[1]d coins, numbered from 1, and a balance. %[2]s To weigh, name the coins on each side, the same number on both, as in \"%[4]s\": you learn whether the left side is " +
			"heavier, the right one, or neither. At the end, %[3]s. That finishes the game, and only pays if it is true and the weighings leave no other possibility. What counts is the number of " +
			"weighings in the worst case.",
		"Before you are a balance and %[1]d numbered coins. %[2]s Each weighing compares two groups of equally many coins: \"%[4]s\" is one. The result is " +
			"that the left group is heavier, that the right one is, or that they balance. As soon as you are certain, %[3]s. Nothing is paid for a wrong answer, or for one that is " +
			"right by luck, and a weighing is as good as its worst result.",
	}[wording], c.Coins+c.Good, c.odd(wording), c.ending(wording), c.Example())
}

// odd tells what is known in the beginning.
func (c oddCoin) odd(wording int) string {
	kind := "heavier or lighter"
	if c.Heavy {
		kind = "heavier"
	}
	among := " of them"
	if c.Good > 0 {
		among = fmt.Sprintf(" among the coins 1 to %d", c.Coins)
	}
	known := fmt.Sprintf([]string{"Exactly one%[2]s is %[1]s than the others.", "One%[2]s is %[1]s than all others.", "All weigh the same but for one%[2]s, which is %[1]s."}[wording], kind, among)
	if c.None {
		known = fmt.Sprintf([]string{
			"One%[2]s may be %[1]s than the others, or all may weigh the same.",
			"Perhaps one%[2]s is %[1]s than all others, and perhaps they are all alike.",
			"All weigh the same, but for at most one%[2]s, which is %[1]s.",
		}[wording], kind, among)
	}
	switch c.Good {
	case 0:
		return known
	case 1:
		return known + fmt.Sprintf(" Coin %d is certainly good.", c.Coins+1)
	}
	return known + fmt.Sprintf(" The coins %d to %d are certainly good.", c.Coins+1, c.Coins+c.Good)
}

// ending tells how to answer.
func (c oddCoin) ending(wording int) string {
	form := "\"2 heavy\" if coin 2 is too heavy"
	if !c.Heavy {
		form = "\"2 heavy\" or \"2 light\" if coin 2 is odd"
	}
	if c.None {
		form += ", or \"none\" if all are alike"
	}
	return []string{"answer ", "say ", "give your answer: "}[wording] + form
}

// Example implements [games.Start].
func (c oddCoin) Example() string {
	if c.Coins+c.Good < 4 {
		return "weigh 1 | 2"
	}
	return "weigh 1,2 | 3,4"
}

// Turns implements [games.Start].
func (c oddCoin) Turns() int { return c.Replies }

// Canonical implements [games.Start].
func (c oddCoin) Canonical() string { return fmt.Sprint(c.coinParams, c.Truth) }

// Match implements [games.Start].
func (c oddCoin) Match(luck games.Luck, tables *games.Tables) games.Match {
	return &weighing{oddCoin: c, luck: luck, tables: tables, left: c.verdicts()}
}

// A weighing is an episode.
type weighing struct {
	oddCoin
	luck        games.Luck
	tables      *games.Tables
	left        []verdict // that may be true
	past        []string
	wasted      int // weighings
	done, right bool
}

func (m *weighing) balance() *balance {
	return games.Table(m.tables, "balance", func() *balance { return &balance{known: map[suspicion][2]int8{}} })
}

// kinds returns what each coin may be, from 1: bit 0 for heavy and bit 1 for light.
func (m *weighing) kinds() (kinds []uint8) {
	kinds = make([]uint8, m.Coins+m.Good+1)
	for _, v := range m.left {
		switch {
		case v.Coin == 0:
		case v.Heavy:
			kinds[v.Coin] |= 1
		default:
			kinds[v.Coin] |= 2
		}
	}
	return kinds
}

// suspicion counts some of the coins by what they may be.
func (m *weighing) suspicion(pan []int) (s suspicion) {
	kinds := m.kinds()
	for _, coin := range pan {
		*s.count(kinds[coin])++
	}
	return s
}

// count returns the counter of the coins of a kind.
func (s *suspicion) count(kind uint8) *uint8 {
	return []*uint8{&s.good, &s.heavy, &s.light, &s.odd}[kind]
}

// all lists the coins.
func (m *weighing) all() (all []int) {
	for coin := range m.Coins + m.Good {
		all = append(all, coin+1)
	}
	return all
}

// now is the suspicion about all coins.
func (m *weighing) now() suspicion {
	s := m.suspicion(m.all())
	s.none = slices.Contains(m.left, verdict{})
	return s
}

// Show implements [games.Match].
func (m *weighing) Show() string {
	if len(m.past) == 0 {
		return fmt.Sprintf("There are %d coins. Nothing has been weighed yet.", m.Coins+m.Good)
	}
	return "Weighings:\n" + strings.Join(m.past, "\n")
}

// Move implements [games.Match].
func (m *weighing) Move(text string) (told, why string) {
	text = strings.ToLower(text)
	if pans, weigh := strings.CutPrefix(text, "weigh "); weigh {
		left, right, why := m.readPans(pans)
		if why != "" {
			return "", why
		}
		return m.weigh(left, right), ""
	}
	for _, v := range m.coinParams.verdicts() {
		if v.name() == strings.Join(strings.Fields(text), " ") {
			return m.answer(v), ""
		}
	}
	return "", fmt.Sprintf("%.20q is neither a weighing nor one of the possible answers", text)
}

// readPans reads the pans of a weighing.
func (m *weighing) readPans(text string) (left, right []int, why string) {
	first, second, has := strings.Cut(text, "|")
	if !has {
		return nil, nil, "a weighing has two pans with a | between them"
	}
	seen := map[int]bool{}
	for i, pan := range []string{first, second} {
		for _, word := range strings.Fields(strings.ReplaceAll(pan, ",", " ")) {
			coin, ok := readNumber(word, m.Coins+m.Good)
			switch {
			case !ok:
				return nil, nil, fmt.Sprintf("%.20q is no coin: want 1 to %d", word, m.Coins+m.Good)
			case seen[coin]:
				return nil, nil, fmt.Sprintf("coin %d is named twice", coin)
			}
			seen[coin] = true
			if i == 0 {
				left = append(left, coin)
			} else {
				right = append(right, coin)
			}
		}
	}
	switch {
	case len(left) != len(right):
		return nil, nil, fmt.Sprintf("the pans must hold equally many coins, not %d and %d", len(left), len(right))
	case len(left) == 0:
		return nil, nil, "the pans are empty"
	}
	slices.Sort(left)
	slices.Sort(right)
	return left, right, ""
}

// shows returns the outcome of a weighing if a verdict is true.
func (v verdict) shows(left, right []int) int {
	switch inLeft, inRight := slices.Contains(left, v.Coin), slices.Contains(right, v.Coin); {
	case inLeft && v.Heavy || inRight && !v.Heavy:
		return leftHeavy
	case inLeft || inRight:
		return rightHeavy
	}
	return balanced
}

// wastes returns the weighings that a weighing gives away in the worst case.
func (m *weighing) wastes(left, right []int) int {
	s := m.now()
	worst := 0
	for _, after := range s.weighed(m.suspicion(left), m.suspicion(right)) {
		worst = max(worst, m.balance().need(after))
	}
	return 1 + worst - m.balance().need(s)
}

// outcomes are told of the pans.
var outcomes = [3]string{"they balance", "the left pan is heavier", "the right pan is heavier"}

// weigh weighs coins.
func (m *weighing) weigh(left, right []int) (told string) {
	m.wasted += m.wastes(left, right)
	outcome := m.Truth.shows(left, right)
	if m.Adversary {
		outcome = m.hardest(left, right)
	}
	m.left = slices.DeleteFunc(m.left, func(v verdict) bool { return v.shows(left, right) != outcome })
	pans := spellPans(left, right)
	m.past = append(m.past, fmt.Sprintf("%d. %s: %s", len(m.past)+1, pans, outcomes[outcome]))
	return fmt.Sprintf("You weigh %s, and %s.", pans, outcomes[outcome])
}

// spellPans writes the pans of a weighing.
func spellPans(left, right []int) string {
	list := func(pan []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(pan), " ", ","), "[]") }
	return list(left) + " | " + list(right)
}

// hardest returns the possible outcome that leaves most to do; of equals, the one of the preferred truth.
func (m *weighing) hardest(left, right []int) (outcome int) {
	after := m.now().weighed(m.suspicion(left), m.suspicion(right))
	most := -1
	for o, s := range after {
		if s.cases() == 0 {
			continue
		}
		need := 2 * m.balance().need(s)
		if o == m.Truth.shows(left, right) {
			need++
		}
		if need > most {
			most, outcome = need, o
		}
	}
	return outcome
}

// answer ends the game.
func (m *weighing) answer(v verdict) (told string) {
	m.done, m.right = true, len(m.left) == 1 && m.left[0] == v
	truth := m.Truth
	if m.Adversary || !slices.Contains(m.left, truth) {
		truth = m.left[0]
		if truth == v && len(m.left) > 1 {
			truth = m.left[1]
		}
	}
	switch {
	case m.right:
		return fmt.Sprintf("You answer %s. That is right.", v.name())
	case truth == v:
		return fmt.Sprintf("You answer %s. That is right, but you could not know it.", v.name())
	}
	return fmt.Sprintf("You answer %s. The truth is: %s.", v.name(), truth.name())
}

// perWeighing is what a weighing costs that is given away.
const perWeighing = 0.25

// Over implements [games.Match].
func (m *weighing) Over() (worth float64, over bool) {
	if !m.right {
		return 0, m.done
	}
	start := m.oddCoin.Match(m.luck, m.tables).(*weighing)
	return max(0, 1-perWeighing*float64(max(0, len(m.past)-m.balance().need(start.now())))), true
}

// Value implements [games.Match].
func (m *weighing) Value() float64 {
	if m.done && !m.right {
		return 0
	}
	return max(0, 1-perWeighing*float64(m.wasted))
}

// Best implements [games.Match]: one weighing of the best play, and those of the allowed ones that
// are as good.
func (m *weighing) Best() (moves []string) {
	if len(m.left) == 1 {
		return []string{m.left[0].name()}
	}
	left, right := m.balance().best(m.now())
	kinds := m.kinds()
	var pans [2][]int
	for _, coin := range m.all() {
		for i, pan := range []*suspicion{&left, &right} {
			if n := pan.count(kinds[coin]); *n > 0 {
				*n--
				pans[i] = append(pans[i], coin)
				break
			}
		}
	}
	moves = []string{"weigh " + spellPans(pans[0], pans[1])}
	for _, pans := range m.weighings() {
		if m.wastes(pans[0], pans[1]) == 0 {
			moves = append(moves, "weigh "+spellPans(pans[0], pans[1]))
		}
	}
	return moves
}

// Allowed implements [games.Match]: all answers, and as many weighings by chance.
func (m *weighing) Allowed() (moves []string) {
	for _, v := range m.coinParams.verdicts() {
		moves = append(moves, v.name())
	}
	for _, pans := range m.weighings() {
		moves = append(moves, "weigh "+spellPans(pans[0], pans[1]))
	}
	return moves
}

// weighings draws as many weighings as there are answers.
func (m *weighing) weighings() (drawn [][2][]int) {
	r := m.luck.At("weighings", len(m.past))
	for range m.coinParams.verdicts() {
		n := r.Between(1, (m.Coins+m.Good)/2)
		picked := rng.Sample(r, m.all(), 2*n)
		left, right := picked[:n:n], picked[n:]
		slices.Sort(left)
		slices.Sort(right)
		drawn = append(drawn, [2][]int{left, right})
	}
	return drawn
}
