package puzzles

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPuzzle24Score(t *testing.T) {
	item := puzzle24Item{Numbers: []int64{3, 3, 8, 8}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"8 / (3 - 8 / 3)", 1, "the only way, over fractions"},
		{"8/(3-8/3)", 1, "space is free"},
		{"(8 / (3 - (8 / 3)))", 1, "brackets are free"},
		{"3 * 8", 0, "numbers left out; reasoning-gym takes no notice of the given ones"},
		{"3 * 8 + 3 - 8", 0, "another value"},
		{"6*4*1*1", 0, "other numbers; reasoning-gym accepts them"},
		{"3 * 8 * (3 / 3)", 0, "a number too often"},
		{"8 * 3 + 8 / 33", 0, "numbers joined; reasoning-gym rounds down"},
		{"8 / (3 - 8 / 3) = 24", 0, "an equation"},
		{"24", 0, "the value alone"},
		{"8 / (3 - 3) * 8", 0, "a division by zero"},
	})
	tasktest.RefusedRecords(t, puzzle24.Task(), []string{
		`{"numbers":[]}`, `{"numbers":[1,1,1,1]}`, `{"numbers":[6,4,1,1,1]}`, `{"numbers":[0,4,6,1]}`, `{"numbers":[6,4,1,1],"phrasing":6}`,
	})
}

// reach24 returns all values that numbers can make, by splitting them into two groups in
// every way.
func reach24(numbers []int64, operators string, known map[string]map[string]*big.Rat) map[string]*big.Rat {
	slices.Sort(numbers)
	key := fmt.Sprint(numbers)
	if values, has := known[key]; has {
		return values
	}
	values := map[string]*big.Rat{}
	if len(numbers) == 1 {
		values[key] = new(big.Rat).SetInt64(numbers[0])
	}
	for set := 1; set < 1<<len(numbers)-1; set++ {
		var in, out []int64
		for i, n := range numbers {
			if set>>i&1 == 1 {
				in = append(in, n)
			} else {
				out = append(out, n)
			}
		}
		for _, a := range reach24(in, operators, known) {
			for _, b := range reach24(out, operators, known) {
				for _, op := range operators {
					c := new(big.Rat)
					switch {
					case op == '+':
						c.Add(a, b)
					case op == '-':
						c.Sub(a, b)
					case op == '*':
						c.Mul(a, b)
					case b.Sign() != 0:
						c.Quo(a, b)
					default:
						continue
					}
					values[c.String()] = c
				}
			}
		}
	}
	known[key] = values
	return values
}

// valueOf evaluates an expression that Go has parsed, and collects its numbers.
func valueOf(e ast.Expr, used *[]string) *big.Rat {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return valueOf(e.X, used)
	case *ast.BasicLit:
		*used = append(*used, e.Value)
		value, _ := new(big.Rat).SetString(e.Value)
		return value
	case *ast.BinaryExpr:
		a, b := valueOf(e.X, used), valueOf(e.Y, used)
		switch e.Op {
		case token.ADD:
			return a.Add(a, b)
		case token.SUB:
			return a.Sub(a, b)
		case token.MUL:
			return a.Mul(a, b)
		case token.QUO:
			return a.Quo(a, b)
		}
	}
	panic(fmt.Sprintf("%T in an expression", e))
}

// The second solver reads the numbers from the prompt and finds all values that they can
// make: 24 is among them, with the operators of the level. Go itself evaluates our solution
// to 24.
func TestPuzzle24Second(t *testing.T) {
	listRE := regexp.MustCompile(`(\d+), (\d+), (\d+) and (\d+)`)
	known := map[string]map[string]map[string]*big.Rat{}
	i := 0
	tasktest.Second(t, puzzle24.Task(), 1000, func(p puzzle24Item, prompt, got string) error {
		operators := string(puzzle24.Levels[i%len(puzzle24.Levels)].Operators)
		i++
		var numbers []int64
		for _, text := range listRE.FindStringSubmatch(prompt)[1:] {
			n, _ := strconv.ParseInt(text, 10, 64)
			numbers = append(numbers, n)
		}
		if known[operators] == nil {
			known[operators] = map[string]map[string]*big.Rat{}
		}
		if reach24(slices.Clone(numbers), operators, known[operators])["24/1"] == nil {
			return fmt.Errorf("24 cannot be made of %v with %s", numbers, operators)
		}
		tree, err := parser.ParseExpr(got)
		if err != nil {
			return err
		}
		var used, want []string
		value := valueOf(tree, &used)
		for _, n := range numbers {
			want = append(want, strconv.FormatInt(n, 10))
		}
		slices.Sort(used)
		slices.Sort(want)
		if value.Cmp(big.NewRat(24, 1)) != 0 || !slices.Equal(used, want) {
			return fmt.Errorf("%s is %s, of the numbers %v", got, value, used)
		}
		return nil
	})
}

func TestPuzzle24Keys(t *testing.T) {
	tasktest.Variant(t, puzzle24.Task(), "the numbers in another order", func(p *puzzle24Item, r *rng.Rand) func(string) string {
		rng.Shuffle(r, p.Numbers)
		return nil
	})
}
