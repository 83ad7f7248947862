package cards

// A total is what the cards of a hand count. Aces count 1 or 11.
type total struct {
	hard int  // with aces as 1
	ace  bool // there is one
}

// with is the total with another card: 1, an ace, to 10.
func (t total) with(card int) total { return total{t.hard + card, t.ace || card == 1} }

// soft reports whether an ace counts 11.
func (t total) soft() bool { return t.ace && t.hard <= 11 }

// best is the best count; above 21, the hand is bust.
func (t total) best() int {
	if t.soft() {
		return t.hard + 10
	}
	return t.hard
}

// totalOf is the total of cards.
func totalOf(cards ...int) (t total) {
	for _, c := range cards {
		t = t.with(c)
	}
	return t
}

// natural reports whether two cards are an ace and a card that counts ten.
func natural(a, b int) bool { return a*b == 10 && a+b == 11 }

// partner is the card that makes a natural with another; 0: none.
func partner(card int) int {
	switch card {
	case 1:
		return 10
	case 10:
		return 1
	}
	return 0
}

// An ending is how likely the dealer ends at 17 to 21, and bust.
type ending [6]float64

// endsAt is the place of a count in an ending.
func endsAt(count int) int { return min(count, 22) - 17 }

// against is what a count wins on average.
func (e ending) against(count int) (won float64) {
	for at, p := range e {
		switch dealt := at + 17; {
		case dealt > 21 || dealt < count:
			won += p
		case dealt > count:
			won -= p
		}
	}
	return won
}

// The moves at the table.
const (
	hit    = "hit"
	stand  = "stand"
	double = "double"
)

// An endless shoe gives every card with the same chance, whatever was seen.
type endless struct {
	chance [11]float64 // of each card, 1 to 10
	ends   [11]ending  // by the dealer's open card, without a natural

	// plays is what a hand wins that may hit or stand, by open card, hard total, and whether there
	// is an ace.
	plays [11][22][2]float64
}

// Worths are what a hand wins by the best play, and by the best single move made again and again.
type worths struct{ best, constant float64 }

// newEndless makes a shoe of cards by their weights: of aces, twos, and so on to tens.
func newEndless(weights []int) *endless {
	s := new(endless)
	sum := 0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		s.chance[i+1] = float64(w) / float64(sum)
	}
	s.deal()
	for open := 1; open <= 10; open++ {
		for hard := 21; hard >= 1; hard-- {
			s.plays[open][hard][0] = s.turn(total{hard, false}, open)
			s.plays[open][hard][1] = s.turn(total{hard, true}, open)
		}
	}
	return s
}

// deal works out how the dealer ends.
func (s *endless) deal() {
	known := map[total]ending{}
	for hard := 26; hard >= 1; hard-- {
		for _, t := range []total{{hard, false}, {hard, true}} {
			if t.best() < 17 {
				known[t] = s.mix(t, known, 0)
				continue
			}
			var sure ending
			sure[endsAt(t.best())] = 1
			known[t] = sure
		}
	}
	for open := 1; open <= 10; open++ {
		s.ends[open] = s.mix(totalOf(open), known, partner(open))
	}
}

// mix is the ending after one more card, which is none of a kind.
func (s *endless) mix(t total, known map[total]ending, none int) (ends ending) {
	for card := 1; card <= 10; card++ {
		if card == none || s.chance[card] == 0 {
			continue
		}
		p := s.chance[card] / (1 - s.chance[none])
		for at, after := range known[t.with(card)] {
			ends[at] += float64(p * after)
		}
	}
	return ends
}

// stand is what a hand wins as it is.
func (s *endless) stand(t total, open int) float64 {
	if t.best() > 21 {
		return -1
	}
	return s.ends[open].against(t.best())
}

// play is what a hand wins that may hit or stand.
func (s *endless) play(t total, open int) float64 {
	if t.best() > 21 {
		return -1
	}
	ace := 0
	if t.ace {
		ace = 1
	}
	return s.plays[open][t.hard][ace]
}

// turn works out play from the totals above.
func (s *endless) turn(t total, open int) float64 { return max(s.stand(t, open), s.hit(t, open)) }

// hit is what a hand wins that takes a card, if the best play follows.
func (s *endless) hit(t total, open int) (won float64) {
	for card := 1; card <= 10; card++ {
		won += float64(s.chance[card] * s.play(t.with(card), open))
	}
	return won
}

// moves is what each move wins, if the best play follows.
func (s *endless) moves(t total, open int) map[string]float64 {
	return map[string]float64{stand: s.stand(t, open), hit: s.hit(t, open), double: s.double(t, open)}
}

// double is what a hand wins that doubles.
func (s *endless) double(t total, open int) (won float64) {
	for card := 1; card <= 10; card++ {
		won += float64(2 * s.chance[card] * s.stand(t.with(card), open))
	}
	return won
}

// hand is what a hand wins on average, from before the cards are dealt. Whoever always hits goes bust.
func (s *endless) hand(doubles bool) (w worths) {
	var sum [3]float64 // of the best play, standing, doubling
	for deal := range 1000 {
		one, two, open := deal/100+1, deal/10%10+1, deal%10+1
		if chance := s.chance[one] * s.chance[two] * s.chance[open]; chance > 0 {
			for i, won := range s.dealt(one, two, open, doubles) {
				sum[i] += float64(chance * won)
			}
		}
	}
	return worths{sum[0], max(sum[1], sum[2])}
}

// dealt is what a hand wins on average after the deal, by the best play, by standing and by doubling.
func (s *endless) dealt(one, two, open int, doubles bool) (won [3]float64) {
	lost := s.chance[partner(open)] // the dealer has a natural
	if natural(one, two) {
		return [3]float64{1.5 * (1 - lost), 1.5 * (1 - lost), 1.5 * (1 - lost)}
	}
	t := totalOf(one, two)
	won = [3]float64{s.play(t, open), s.stand(t, open), -1}
	if doubles {
		won[2] = s.double(t, open)
		won[0] = max(won[0], won[2])
	}
	for i := range won {
		won[i] = float64(won[i]*(1-lost)) - lost
	}
	return won
}
