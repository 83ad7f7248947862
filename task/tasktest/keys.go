package tasktest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
)

// The number of problems of each level to compare with all others. Easy levels have few
// different problems, so many of them coincide.
const (
	easyLevels = 1
	easyKeys   = 2000 // at an easy level
	otherKeys  = 200
	fewEasy    = 100 // outside the heavy tests
	fewOther   = 20
	keySeed    = 8
)

// namesInAnswers lists the tasks with names in answers that keys leave out. Problems with
// one key ask the same, but an answer to one must be translated for the other; [Translated]
// checks that.
var namesInAnswers = map[string]bool{
	"ab": true, "acre": true, "advanced_geometry": true, "arc_1d": true, "arc_agi": true, "base_conversion": true, "binairo": true,
	"binary_matrix": true, "boxnet": true, "calcudoku": true, "circuit_logic": true, "coin_flip": true, "color_cube_rotation": true,
	"complex_arithmetic": true, "course_schedule": true, "cryptarithm": true, "dice": true, "family_relationships": true,
	"fraction_simplification": true, "futoshiki": true, "game_of_life": true, "graph_color": true, "hitori": true, "intermediate_integration": true,
	"job_scheduling": true, "json_schema": true, "jugs": true, "kakurasu": true, "knight_swap": true, "knights_knaves": true, "light_up": true,
	"manipulate_matrix": true, "min_cut": true, "minesweeper": true, "mini_sudoku": true, "modulo_grid": true, "n_queens": true, "needle_haystack": true,
	"new_rules": true, "nonogram": true, "number_filtering": true, "number_sequence": true, "number_sorting": true, "numbrix": true,
	"palindrome_generation": true, "palindrome_partitioning": true, "path_star": true, "polynomial_equations": true, "polynomial_multiplication": true,
	"pool_matrix": true, "power_function": true, "prime_factorization": true, "propositional_logic": true, "quantum_lock": true, "ransom_note": true,
	"rearc": true, "regex_matching": true, "regular_expressions": true, "rotate_matrix": true, "rubiks_cube": true, "rush_hour": true, "set_cover": true,
	"shortest_path": true, "simple_integration": true, "skyscrapers": true, "sokoban": true, "spell_backward": true, "star_battle": true,
	"string_insertion": true, "string_splitting": true, "string_synthesis": true, "sudoku": true, "survo": true, "syllogism": true, "tents": true,
	"tool_arguments": true, "tower_of_hanoi": true, "traveling_salesman": true, "tsumego": true, "word_ladder": true, "word_sequence_reversal": true,
	"word_sorting": true, "zebra_puzzles": true,
}

// tensInAnswers lists the tasks whose keys leave out a sign and a power of ten: answers to problems with one
// key differ in them alone.
var tensInAnswers = map[string]bool{
	"basic_arithmetic": true, "bitwise_arithmetic": true, "chain_sum": true, "decimal_arithmetic": true, "decimal_chain_sum": true,
	"gcd": true, "lcm": true, "leg_counting": true, "products": true, "simple_equations": true,
}

// digits are those of a number, without its sign, its point and the zeros at its ends.
func digits(number string) string {
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(number), "0")
}

// keys: a key identifies the question, in any wording.
func keys(t testing.TB, of quintain.Task) {
	name := of.Info().Name
	for _, met := range meetings(t, of) {
		if namesInAnswers[name] {
			break
		}
		one, other := solve(t, of, met[0]), solve(t, of, met[1])
		if tensInAnswers[name] && digits(one) == digits(other) {
			continue
		}
		if v := grade(t, of, met[1], one); v != quintain.Right() {
			t.Fatalf("%s and %s have one key, and the solution of one gets %+v from the other\n%s\n%s", met[0].ID(), met[1].ID(), v, met[0].Prompt, met[1].Prompt)
		}
	}
	wordings(t, of)
}

// meetings returns the pairs of problems with one key: each problem with the first that has
// its key, in both orders. Problems with the same prompt, or the same short question, must
// be among them.
func meetings(t testing.TB, of quintain.Task) (pairs [][2]quintain.Problem) {
	t.Helper()
	first, byText := map[quintain.Key]quintain.Problem{}, map[string]quintain.Key{}
	for level := range of.Info().Levels {
		n := Count(otherKeys, fewOther)
		if level < easyLevels {
			n = Count(easyKeys, fewEasy)
		}
		for i := range n {
			p := problem(t, of, quintain.Draw{Seed: keySeed, Level: level, Index: i})
			key := keyOf(t, of, p)
			for _, text := range []string{"prompt: " + p.Prompt, "short: " + short(t, of, p)} {
				if other, seen := byText[text]; seen && other != key {
					t.Fatalf("%s has another key than a problem with the same %s", p.ID(), text)
				}
				byText[text] = key
			}
			if other, met := first[key]; met {
				pairs = append(pairs, [2]quintain.Problem{other, p}, [2]quintain.Problem{p, other})
			} else {
				first[key] = p
			}
		}
	}
	return pairs
}

func keyOf(t testing.TB, of quintain.Task, p quintain.Problem) quintain.Key {
	t.Helper()
	key, err := quintain.KeyOf(of, p)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func short(t testing.TB, of quintain.Task, p quintain.Problem) string {
	t.Helper()
	shortener, can := of.(quintain.Shortener)
	if !can {
		return p.Prompt
	}
	text, err := shortener.Short(p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// wordings: the wordings of a problem share one key, and each has its own prompt.
func wordings(t testing.TB, of quintain.Task) {
	for level := range of.Info().Levels {
		for i := range draws / 4 {
			p := problem(t, of, quintain.Draw{Seed: keySeed, Level: level, Index: i})
			want, prompts := keyOf(t, of, p), map[string]bool{}
			for phrasing := 0; ; phrasing++ {
				q := reworded(t, of, p, phrasing)
				if _, err := of.Solve(q); err != nil {
					break // no further wording
				}
				if keyOf(t, of, q) != want {
					t.Fatalf("%s has another key in wording %d", p.ID(), phrasing)
				}
				prompts[q.Prompt] = true
				if len(prompts) != phrasing+1 {
					t.Fatalf("%s has the same prompt in two wordings: %s", p.ID(), q.Prompt)
				}
			}
			if len(prompts) < 2 || !prompts[p.Prompt] {
				t.Fatalf("%s has %d wordings, want two or more, and its own among them", p.ID(), len(prompts))
			}
		}
	}
}

// reworded returns p with another phrasing in its record, as JSON, and its prompt.
func reworded(t testing.TB, of quintain.Task, p quintain.Problem, phrasing int) quintain.Problem {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := strictjson.Unmarshal([]byte(p.Instance.String()), &fields); err != nil {
		t.Fatal(err)
	}
	fields["phrasing"] = json.RawMessage(strconv.Itoa(phrasing))
	raw, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	p.Instance = quintain.RawRecord(raw)
	if prompt, err := task.Prompt(of, p); err == nil {
		p.Prompt = prompt
	}
	return p
}

// Translated is the check of keys for a task with names in answers that its keys leave out:
// translate turns a solution of one problem into one of another with the same key. I is the
// task's own record.
func Translated[I any](t *testing.T, of quintain.Task, translate func(solution string, from, to I) string) {
	t.Helper()
	met := meetings(t, of)
	if !namesInAnswers[of.Info().Name] || len(met) == 0 && Heavy {
		t.Fatalf("%s leaves out no names, or no two of its problems have one key", of.Info().Name)
	}
	for _, pair := range met {
		from, to := record[I](t, pair[0]), record[I](t, pair[1])
		answer := translate(solve(t, of, pair[0]), from, to)
		if v := grade(t, of, pair[1], answer); v != quintain.Right() {
			t.Fatalf("%s and %s have one key, and the translated solution %q gets %+v\n%s\n%s", pair[0].ID(), pair[1].ID(), answer, v, pair[0].Prompt, pair[1].Prompt)
		}
	}
}

// Same checks that change, applied to the records of some problems, leaves the question as
// it was: the same key, the same right answers. At least one record must really change. I
// is the task's own record.
func Same[I any](t *testing.T, of quintain.Task, why string, change func(record *I)) {
	t.Helper()
	pairs := alter(t, of, change)
	for _, pair := range pairs {
		p, q := pair[0], pair[1]
		if keyOf(t, of, p) != keyOf(t, of, q) {
			t.Fatalf("the changed record has another key (%s)\n%s\n%s", why, p.Instance, q.Instance)
		}
		if v := grade(t, of, q, solve(t, of, p)); v != quintain.Right() && !namesInAnswers[of.Info().Name] && !tensInAnswers[of.Info().Name] {
			t.Fatalf("after the change, the solution from before gets %+v (%s)\n%s\n%s", v, why, p.Instance, q.Instance)
		}
	}
	if len(pairs) == 0 {
		t.Errorf("no record is changed (%s)", why)
	}
}

// Other checks that change, applied to the records of some problems, gives each record that
// it changes another question, with another key. I is the task's own record.
func Other[I any](t *testing.T, of quintain.Task, why string, change func(record *I)) {
	t.Helper()
	pairs := alter(t, of, change)
	for _, pair := range pairs {
		if keyOf(t, of, pair[0]) == keyOf(t, of, pair[1]) {
			t.Fatalf("the changed record has its old key (%s)\n%s\n%s", why, pair[0].Instance, pair[1].Instance)
		}
	}
	if len(pairs) == 0 {
		t.Errorf("no record is changed (%s)", why)
	}
}

// alter changes the records of some problems. It returns each changed problem, before and
// after.
func alter[I any](t *testing.T, of quintain.Task, change func(record *I)) (pairs [][2]quintain.Problem) {
	t.Helper()
	changes(t, of, func(p quintain.Problem) bool {
		before := []byte(p.Instance.String())
		var record I
		if err := strictjson.Unmarshal(before, &record); err != nil {
			t.Fatal(err)
		}
		change(&record)
		after, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(before, after) {
			return false
		}
		q := p
		q.Instance = quintain.RawRecord(after)
		pairs = append(pairs, [2]quintain.Problem{p, q})
		return true
	})
	return pairs
}

// record returns the record of p in its own type.
func record[I any](t *testing.T, p quintain.Problem) I {
	t.Helper()
	value, ok := p.Instance.Value().(I)
	if !ok {
		t.Fatalf("the record is not a %s", reflect.TypeFor[I]())
	}
	return value
}
