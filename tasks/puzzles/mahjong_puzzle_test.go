package puzzles

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestMahjongScore(t *testing.T) {
	item := mahjongItem{InitialCards: "AABCDKKMPQRTZ", Rounds: []mahjongRound{{Add: "L", Remove: "K"}, {Add: "L", Remove: "L"}}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Chi", 1, "KLM; only one L is in the hand before"},
		{"chi", 1, "lower case"},
		{" CHI.\n", 1, "upper case, a full stop"},
		{"Peng", 0, ""},
		{"Pass", 0, ""},
		{"Chi or Peng", 0, "two answers; reasoning-gym pays a share of the length"},
		{"Ch", 0, ""},
		{"Not Chi", 0, ""},
	})
	for _, test := range []struct{ hand, card, want, why string }{
		{"AAXXXXXXXXXXX", "A", "Peng", "two are held"},
		{"AAAXXXXXXXXXX", "A", "Peng", "so are three"},
		{"AAXXXXXXBCXXX", "A", "Peng", "before Chi"},
		{"ABXXXXXXXXXXX", "C", "Chi", "the last of three"},
		{"ACXXXXXXXXXXX", "B", "Chi", "the one between"},
		{"BCXXXXXXXXXXX", "A", "Chi", "the first"},
		{"ABXXXXXXXXXXX", "A", "Pass", "AAB is not a sequence"},
		{"ADXXXXXXXXXXX", "B", "Pass", "a gap"},
		{"ABQQQQQQQQQQQ", "Z", "Pass", "Z is not before A"},
		{"AMQQQQQQQQQQQ", "A", "Pass", "one is held"},
	} {
		count := countCards(test.hand)
		if got := count.result(test.card[0]); got != test.want {
			t.Errorf("%s with %s: %s, want %s (%s)", test.hand, test.card, got, test.want, test.why)
		}
	}
	tasktest.RefusedRecords(t, mahjongPuzzle.Task(), []string{
		`{"rounds":[]}`,
		`{"rounds":[{"add":"A","remove":"B","cards":"CCCCCCCCCCCCC"}],"phrasing":6}`,
		`{"rounds":[{"add":"","remove":"B","cards":"CCCCCCCCCCCCC"}]}`,
		`{"rounds":[{"add":"A","remove":"b","cards":"CCCCCCCCCCCCC"}]}`,
		`{"initial_cards":"CCCCCCCCCCCCC","rounds":[{"add":"A","remove":"B","cards":"CCCCCCCCCCCCC"}]}`,
		`{"initial_cards":"CCCCCCCCCCCC1","rounds":[{"add":"A","remove":"C"}]}`,
	})
}

// An entry of reasoning-gym has the first cards in its first round, and may have a label
// against its own rules.
func TestMahjongOfOthers(t *testing.T) {
	p := quintain.Problem{Task: "mahjong_puzzle", Instance: quintain.RawRecord([]byte(
		`{"rounds":[{"add":"H","remove":"I","cards":"PLIXMEOYEUATH","result":"Pass"},{"add":"P","remove":"P","cards":"LIXMEOYEUATHP","result":"Pass"}],"solution":"Peng"}`))}
	for answer, want := range map[string]float64{"Pass": 1, "Peng": 0, "Chi": 0} {
		if v, err := mahjongPuzzle.Task().Grade(p, answer); err != nil || v.Score != want {
			t.Errorf("%s gets %+v, error %v, want %v", answer, v, err, want)
		}
	}
}

// The second solver reads the game from the prompt, counts the letters, and tries all pairs
// of cards for a sequence.
func TestMahjongSecond(t *testing.T) {
	handRE := regexp.MustCompile(`\b[A-Z]{13}\b`)
	roundRE := regexp.MustCompile(`(?m)^(?:Round \d+: |\d+\. draw |In round \d+ the new card is |\+|gets )*([A-Z])(?: comes in, then | discard |, discard | / |, and | -|, then hands over )([A-Z])\b`)
	count := map[string]int{}
	tasktest.Every(t, mahjongPuzzle.Task(), tasktest.Count(1002, 150), func(m mahjongItem, prompt, got string) error {
		hand := []byte(handRE.FindString(prompt))
		rounds := roundRE.FindAllStringSubmatch(prompt, -1)
		if len(hand) != 13 || len(rounds) != len(m.Rounds) {
			return fmt.Errorf("the prompt shows %d cards and %d rounds, want 13 and %d", len(hand), len(rounds), len(m.Rounds))
		}
		result := ""
		for i, round := range rounds {
			card := round[1][0]
			result = "Pass"
			same, run := 0, false
			for k, a := range hand {
				if a == card {
					same++
				}
				for _, b := range hand[:k] {
					three := string([]byte{min(a, b, card), a ^ b ^ card ^ min(a, b, card) ^ max(a, b, card), max(a, b, card)})
					run = run || strings.Contains("ABCDEFGHIJKLMNOPQRSTUVWXYZ", three)
				}
			}
			switch {
			case same > 1:
				result = "Peng"
			case run:
				result = "Chi"
			}
			if result != m.Rounds[i].Result {
				return fmt.Errorf("round %d is %s, not %s", i+1, result, m.Rounds[i].Result)
			}
			text := string(hand) + round[1]
			if !strings.Contains(text, round[2]) {
				return fmt.Errorf("round %d takes %s from %s", i+1, round[2], text)
			}
			hand = []byte(strings.Replace(text, round[2], "", 1))
		}
		if count[got]++; result != got || result != m.Solution {
			return fmt.Errorf("the result is %s", result)
		}
		return nil
	})
	for _, result := range []string{"Peng", "Chi", "Pass"} {
		if tasktest.Heavy && (count[result] < 270 || count[result] > 400) {
			t.Errorf("%s is the answer to %d of 1002 problems, want about 334", result, count[result])
		}
	}
}

func TestMahjongKeys(t *testing.T) {
	tasktest.Variant(t, mahjongPuzzle.Task(), "the alphabet backwards", func(m *mahjongItem, _ *rng.Rand) func(string) string {
		backwards := func(text string) string {
			return strings.Map(func(card rune) rune { return 'A' + 'Z' - card }, text)
		}
		m.InitialCards = backwards(m.InitialCards)
		for i, round := range m.Rounds {
			m.Rounds[i].Add, m.Rounds[i].Remove, m.Rounds[i].Cards = backwards(round.Add), backwards(round.Remove), backwards(round.Cards)
		}
		return nil
	})
	tasktest.Variant(t, mahjongPuzzle.Task(), "counted from the next letter", func(m *mahjongItem, _ *rng.Rand) func(string) string {
		next := func(text string) string {
			return strings.Map(func(card rune) rune { return card + 1 }, text)
		}
		all := m.InitialCards
		for _, round := range m.Rounds {
			all += round.Add
		}
		if strings.Contains(all, "Z") {
			return nil
		}
		m.InitialCards = next(m.InitialCards)
		for i, round := range m.Rounds {
			m.Rounds[i] = mahjongRound{next(round.Add), next(round.Remove), next(round.Cards), round.Result}
		}
		return nil
	})
	tasktest.Other(t, mahjongPuzzle.Task(), "a round less", func(m *mahjongItem) {
		if n := len(m.Rounds); n > 1 {
			m.Rounds = m.Rounds[:n-1]
		}
	})
	tasktest.Same(t, mahjongPuzzle.Task(), "the first cards may be in any order", func(m *mahjongItem) {
		b := []byte(m.InitialCards)
		b[0], b[12] = b[12], b[0]
		m.InitialCards = string(b)
	})
}

// Every wording says that the alphabet does not begin again after Z.
func TestMahjongWordingsEndTheAlphabet(t *testing.T) {
	for i, words := range mahjongPhrasings {
		text := words.start + words.rounds + words.round + words.end
		if text = strings.ReplaceAll(text, "XYZ", ""); !strings.Contains(text, "Z") {
			t.Errorf("wording %d leaves open whether A follows Z: %q", i, text)
		}
	}
}
