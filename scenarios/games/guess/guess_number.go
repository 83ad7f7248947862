package guess

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// guessNumber is the game of finding a number; with lies, Ulam's game.
var guessNumber = games.Spec[numberParams, number]{
	Name: "guess_number",
	Doc: "Find a hidden number by guesses that are too low or too high or, at upper levels, by questions of which some are answered by lies. " +
		"Each move is measured by the exact number of questions that it wastes.",
	Source:  "Ulam, Adventures of a Mathematician (1976); Berlekamp, Block coding for the binary symmetric channel with noiseless, delayless feedback (1968). Code and texts are our own.",
	Version: 1,
	Levels: []numberParams{
		{Numbers: 20, Replies: 10},
		{Numbers: 100, Replies: 14},
		{Numbers: 1000, Replies: 20},
		{Numbers: 16, Lies: 1, Replies: 14},
		{Numbers: 64, Lies: 1, Replies: 20},
		{Numbers: 16, Lies: 2, Replies: 20},
	},
	Make:     makeNumber,
	Reward:   games.Value,
	Guess:    []float64{0.1692, 0.0483, 0.0061, 0.0001, 0, 0},
	Constant: []float64{0.06, 0.01, 0, 0, 0, 0},
	Openings: []int{10, 50, 474, 16, 64, 16},
}

// numberParams are the parameters of a level.
type numberParams struct {
	Numbers int `json:"numbers"`            // the number is one of 1 to numbers
	Lies    int `json:"lies" want:"0 to 2"` // at most; 0: guesses are too low or too high
	Replies int `json:"replies" want:"2 to 40"`
}

// Check refuses what no tag does.
func (p numberParams) Check() error {
	most := 64 // so that a question fits into a line
	switch p.Lies {
	case 0:
		most = 9999
	case mostLies:
		most = 32
	}
	if p.Numbers < 2 || p.Numbers > most {
		return fmt.Errorf("numbers is %d, want 2 to %d with %d lies", p.Numbers, most, p.Lies)
	}
	return nil
}

// A number is one to find.
type number struct {
	numberParams
	Hidden int `json:"hidden" want:"1 to numbers"`
}

// Check refuses a record that is no number of its range.
func (n number) Check() error {
	return task.Check(n.numberParams)
}

func makeNumber(p numberParams, r *rng.Rand) (number, error) {
	return number{p, r.Between(1, p.Numbers)}, nil
}

// Rules implements [games.Start].
func (n number) Rules(wording int) string {
	if n.Lies > 0 {
		return n.lyingRules(wording)
	}
	return fmt.Sprintf([]string{
		"Find a hidden whole number from 1 to %[1]d; all are equally likely. Each move is a guess, and you are told whether it is too low, too high or right.",
		"I am thinking of a whole number between 1 and %[1]d, each with the same chance. Guess it. After each guess I say whether it is too low or too high, until it is right.",
		"A number from 1 to %[1]d was drawn at random. You name numbers, and hear each time whether the one you named is too low, too high, or the one that was drawn.",
	}[wording], n.Numbers)
}

// Example implements [games.Start].
func (n number) Example() string {
	if n.Lies > 0 {
		return "ask 2, 5-9"
	}
	return fmt.Sprint(n.Numbers/4 + 1)
}

// Turns implements [games.Start].
func (n number) Turns() int { return n.Replies }

// Canonical implements [games.Start]: a number and its mirror image in the range are one. Questions
// tell no order, so with lies the number stands for itself.
func (n number) Canonical() string {
	if n.Lies > 0 {
		return fmt.Sprint(n.numberParams, n.Hidden)
	}
	return fmt.Sprint(n.numberParams, min(n.Hidden, n.Numbers+1-n.Hidden))
}

// Match implements [games.Start].
func (n number) Match(luck games.Luck, tables *games.Tables) games.Match {
	if n.Lies > 0 {
		return newLying(n, luck, tables)
	}
	return &bisection{number: n, low: 1, high: n.Numbers}
}

// bisected is the sum of the guesses that the best play needs for each of n numbers. It halves them.
func bisected(n int) (sum int) {
	for depth := 1; n > 0; depth++ { // one number is found by the first guess, two by the second, four by the third
		found := min(n, 1<<(depth-1))
		sum += depth * found
		n -= found
	}
	return sum
}

// A bisection is an episode without lies.
type bisection struct {
	number
	low, high int // the number is one of these
	past      []string
	lost      float64 // guesses that were given away, on average
	found     bool
}

// wastes returns the guesses that a guess gives away, added over all numbers that are possible.
func (m *bisection) wastes(guess int) int {
	n := m.high - m.low + 1
	if guess < m.low || guess > m.high {
		return n
	}
	return n + bisected(guess-m.low) + bisected(m.high-guess) - bisected(n)
}

// Show implements [games.Match].
func (m *bisection) Show() string {
	if len(m.past) == 0 {
		return fmt.Sprintf("The number is one of 1 to %d. There are no guesses yet.", m.Numbers)
	}
	return fmt.Sprintf("The number is one of 1 to %d. Your guesses: %s.", m.Numbers, strings.Join(m.past, ", "))
}

// Move implements [games.Match].
func (m *bisection) Move(text string) (told, why string) {
	guess, ok := readNumber(text, m.Numbers)
	if !ok {
		return "", fmt.Sprintf("%.20q is no whole number from 1 to %d", text, m.Numbers)
	}
	m.lost += float64(m.wastes(guess)) / float64(m.high-m.low+1)
	verdict := "right"
	switch {
	case guess < m.Hidden:
		verdict, m.low = "too low", max(m.low, guess+1)
	case guess > m.Hidden:
		verdict, m.high = "too high", min(m.high, guess-1)
	default:
		m.found, m.low, m.high = true, guess, guess
	}
	m.past = append(m.past, fmt.Sprintf("%d is %s", guess, verdict))
	return fmt.Sprintf("Your guess %d is %s.", guess, verdict), ""
}

// readNumber reads a number from 1 to most in plain digits.
func readNumber(text string, most int) (n int, ok bool) {
	if len(text) == 0 || len(text) > 6 {
		return 0, false
	}
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		n = 10*n + int(digit-'0')
	}
	return n, n >= 1 && n <= most
}

// Over implements [games.Match].
func (m *bisection) Over() (worth float64, over bool) {
	if !m.found {
		return 0, false
	}
	return 1 - float64(len(m.past)-1)/float64(m.Replies), true
}

// Value implements [games.Match]: each guess that is given away costs its share of all that the
// best play needs on average.
func (m *bisection) Value() float64 {
	return max(0, 1-m.lost*float64(m.Numbers)/float64(bisected(m.Numbers)))
}

// Best implements [games.Match].
func (m *bisection) Best() (moves []string) {
	for guess := m.low; guess <= m.high; guess++ {
		if m.wastes(guess) == 0 {
			moves = append(moves, strconv.Itoa(guess))
		}
	}
	return moves
}

// Allowed implements [games.Match].
func (m *bisection) Allowed() []string {
	moves := make([]string, 0, m.Numbers)
	for guess := range m.Numbers {
		moves = append(moves, strconv.Itoa(guess+1))
	}
	return moves
}
