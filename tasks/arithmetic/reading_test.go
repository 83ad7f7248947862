package arithmetic

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A reading is an expression over the numbers in a text.
type reading struct {
	parts   []string         // parts of the expression around the numbers
	numbers []*regexp.Regexp // match the words around each number
}

var fractionWords = map[string]string{
	"half": "1/2", "a third": "1/3", "a quarter": "1/4", "a fifth": "1/5", "a sixth": "1/6", "a seventh": "1/7", "an eighth": "1/8", "a ninth": "1/9", "a tenth": "1/10", "twice": "2",
}

const aNumber = `(\$?\d[\d,.]*(?: times)?|half|twice|an? (?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth))`

// readReadings reads testdata/second.txt.
func readReadings(t *testing.T) map[string]reading {
	t.Helper()
	file, err := os.ReadFile("testdata/second.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, _ := templates()
	readings := map[string]reading{}
	for line := range strings.Lines(string(file)) {
		name, expression, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || line[0] == '#' {
			continue
		}
		var r reading
		for {
			before, rest, more := strings.Cut(expression, "[")
			r.parts = append(r.parts, before)
			if !more {
				break
			}
			words, after, _ := strings.Cut(rest, "]")
			words = strings.NewReplacer(`\*`, `[^.?0-9]*?`, "#", aNumber).Replace(regexp.QuoteMeta(words))
			r.numbers = append(r.numbers, regexp.MustCompile(words))
			expression = after
		}
		readings[name] = r
	}
	if len(readings) != len(all) {
		t.Fatalf("there are %d readings and %d templates", len(readings), len(all))
	}
	return readings
}

// storyValue evaluates the expression with the numbers of a text.
func (r reading) value(text string) (constant.Value, error) {
	expression := r.parts[0]
	for i, re := range r.numbers {
		found := re.FindAllStringSubmatch(text, -1)
		if len(found) != 1 {
			return constant.MakeUnknown(), fmt.Errorf("%s is found %d times", re, len(found))
		}
		number := strings.Trim(strings.NewReplacer(",", "", " times", "").Replace(found[0][1]), "$.")
		if word, ok := fractionWords[number]; ok {
			number = word
		}
		expression += "(" + number + ")" + r.parts[i+1]
	}
	return exactAnswer(expression)
}

// exactAnswer evaluates an expression over rational numbers.
func exactAnswer(expression string) (constant.Value, error) {
	tree, err := parser.ParseExpr(expression)
	if err != nil {
		return nil, err
	}
	return rational(tree)
}

func rational(e ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return rational(e.X)
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.BinaryExpr:
		x, err := rational(e.X)
		if err != nil {
			return nil, err
		}
		y, err := rational(e.Y)
		if err != nil {
			return nil, err
		}
		return constant.BinaryOp(x, e.Op, y), nil
	}
	return nil, errors.New("not arithmetic")
}
