package reasoninggym

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// A scored is an answer with the score that reasoning-gym 0.1.25 gave it.
type scored struct {
	Why    string  `json:"why"`
	Entry  Entry   `json:"entry"`
	Answer *string `json:"answer"`
	Score  float64 `json:"score"`
}

// readScored returns the answers in testdata, a few for each family.
func readScored(t testing.TB) (all []scored) {
	t.Helper()
	file, err := os.Open("testdata/scores.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for line, err := lines.ReadBytes('\n'); err == nil; line, err = lines.ReadBytes('\n') {
		var one scored
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func TestScores(t *testing.T) {
	names := map[string]bool{}
	for _, test := range readScored(t) {
		got, err := Score(test.Entry, test.Answer)
		if err != nil || math.Abs(got-test.Score) > 1e-9 {
			t.Errorf("%s: %q earns %v, error %v; want %v: %s", test.Why, text(test.Answer), got, err, test.Score, test.Entry.Metadata)
		}
		var m struct {
			Name string `json:"source_dataset"`
		}
		if err := json.Unmarshal(test.Entry.Metadata, &m); err != nil {
			t.Fatal(err)
		}
		names[m.Name] = true
	}
	if len(names) != 105 {
		t.Errorf("the table has %d families, want all 105", len(names))
	}
}

// reasoning-gym evaluates these answers. Here they earn what an error earns there.
func TestNoPartOfAnAnswerRuns(t *testing.T) {
	const call = "__import__('os').getpid()"
	for _, test := range []struct {
		family, answer string
		score          float64
	}{
		{"countdown", call, 0.01}, {"puzzle24", call, 0.01}, {"polynomial_multiplication", call, 0}, {"simple_integration", "diff(x**4, x)/4", 0},
		{"binary_matrix", "[[" + call + "]]", 0}, {"spiral_matrix", "range(9)", 0}, {"string_insertion", "chr(65)", 0}, {"n_queens", "[list('Q_')]*2", 0},
		{"countdown", "9**9**9**9", 0.01}, {"countdown", "99999!", 0.01},
	} {
		oracle, of := "1", Entry{Metadata: json.RawMessage(`{"source_dataset":"` + test.family + `","numbers":[1],"variable":"x","integrand":"x**3","valid_answers":["Q _\nQ _"]}`)}
		of.Answer = &oracle
		if got, err := Score(of, &test.answer); err != nil || got != test.score {
			t.Errorf("%s: %q earns %v, error %v; want %v", test.family, test.answer, got, err, test.score)
		}
	}
}

func TestUnreadableEntries(t *testing.T) {
	for _, test := range []struct{ why, metadata, fault string }{
		{"an unknown family", `{"source_dataset":"nothing"}`, `reasoning-gym has no "nothing"`},
		{"no family", `{}`, `reasoning-gym has no ""`},
		{"no object", `[]`, "metadata: "},
		{"a member of another type", `{"source_dataset":"word_ladder","start_word":5}`, "metadata: "},
		{"a cube that is too large", `{"source_dataset":"rubiks_cube","cube_size":99}`, "cube_size is not between 2 and 12"},
		{"a board with too few cells", `{"source_dataset":"rush_hour","board_config":"AA"}`, "36 cells"},
	} {
		answer := "x"
		if score, err := Score(Entry{Metadata: json.RawMessage(test.metadata)}, &answer); err == nil || !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: score %v, error %v; want %q", test.why, score, err, test.fault)
		}
	}
}

// Any answer to any of the entries gets a score, at a bounded cost.
func FuzzScore(f *testing.F) {
	all := readScored(f)
	for i, one := range all {
		f.Add(uint16(i), text(one.Answer))
	}
	for _, hostile := range []string{
		strings.Repeat("(", 5000), strings.Repeat("[", 5000), "9**9**9**9", strings.Repeat("9", 5000) + "!", "2**" + strings.Repeat("9", 400), strings.Repeat("x*", 3000) + "x",
		strings.Repeat("(x+y)*", 2000) + "x", strings.Repeat("¬", 5000) + "P", "A+" + strings.Repeat("9", 4000), "U" + strings.Repeat("9", 4000), "1e999999999", "1/1e-999999999",
		`{"a": ` + strings.Repeat(`{"a": `, 500) + "1" + strings.Repeat("}", 500) + "}",
	} {
		for i := range all {
			f.Add(uint16(i), hostile)
		}
	}
	f.Fuzz(func(t *testing.T, n uint16, answer string) {
		of := all[int(n)%len(all)]
		if score, err := Score(of.Entry, &answer); err != nil || !(score >= 0 && score <= 1) {
			t.Errorf("%.100q earns %v, error %v: %s", answer, score, err, of.Entry.Metadata)
		}
	})
}
