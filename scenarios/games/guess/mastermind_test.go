package guess

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Marks count every peg once, whatever repeats.
func TestMarksCountEveryPegOnce(t *testing.T) {
	for _, c := range []struct {
		guess, code  string
		black, white int
		why          string
	}{
		{"aab", "abc", 1, 1, "the second a of the guess has no a left"},
		{"aaa", "aab", 2, 0, "the third a has none either"},
		{"aab", "baa", 1, 2, "all three colours agree"},
		{"abc", "bca", 0, 3, "all in other places"},
		{"abb", "baa", 0, 2, "two pairs, though each side has three pegs of them"},
		{"bba", "abb", 1, 2, "a black peg is not white as well"},
		{"abc", "def", 0, 0, "nothing agrees"},
	} {
		read := func(text string) (code []int) {
			for _, c := range text {
				code = append(code, int(c-'a'))
			}
			return code
		}
		if black, white := compare(read(c.guess), read(c.code)); black != c.black || white != c.white {
			t.Errorf("%s against %s: %d black, %d white; want %d and %d: %s", c.guess, c.code, black, white, c.black, c.white, c.why)
		}
	}
}

// Renamed colours and places do not change what a guess is worth.
func TestNamesDoNotMatter(t *testing.T) {
	play := func(code []int, guesses ...string) (values []float64) {
		p := pegs{pegParams{Places: 3, Colours: 5, Guesses: 9}, code}
		m := p.Match(games.Luck{}, new(games.Tables))
		for _, g := range guesses {
			if _, why := m.Move(g); why != "" {
				t.Fatal(why)
			}
			values = append(values, m.Value())
		}
		return values
	}
	one := play([]int{0, 1, 2}, "red red green", "blue green red", "yellow blue blue")
	two := play([]int{3, 4, 1}, "green orange orange", "orange yellow green", "yellow red yellow")
	if fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("the same guesses by other names are worth %v and %v", one, two)
	}
}

// An illegal guess is told which rule it breaks.
func TestIllegalGuessesAreTold(t *testing.T) {
	m := pegs{pegParams{Places: 2, Colours: 4, Guesses: 7}, []int{0, 1}}.Match(games.Luck{}, new(games.Tables))
	for _, c := range []struct{ move, why string }{
		{"red", "a guess names 2 colours, and this names 1"},
		{"red red red", "a guess names 2 colours, and this names 3"},
		{"red purple", `"purple" is none of the colours red, green, blue, yellow`},
	} {
		if _, why := m.Move(c.move); !strings.Contains(why, c.why) {
			t.Errorf("%q gets %q, want %q", c.move, why, c.why)
		}
	}
	if told, why := m.Move("Red, GREEN"); why != "" || !strings.HasSuffix(told, "That is the code.") {
		t.Errorf("the code gets %q, %q", told, why)
	}
}
