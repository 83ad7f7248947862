//go:build heavy

package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// translated lists the words that translated English has too many of. The figures are per
// 1,000 words of comments in six codebases that are read for their English: wtf, age,
// k6's executors, river, pebble's record and vfs, go/analysis.
var translated = []struct {
	name, models string
	words        *regexp.Regexp
}{
	{"what", "0 to 0.8", regexp.MustCompile(`(?i)\bwhat\b`)},
	{"that is, was, has", "0.3 to 2.1", regexp.MustCompile(`(?i)\bthat (is|was|has)\b`)},
	{"of which, in which", "not counted", regexp.MustCompile(`(?i)\b(of|in) which\b`)},
	{"whose", "not counted", regexp.MustCompile(`(?i)\bwhose\b`)},
}

// A tally counts how comments and errors read.
type tally struct {
	words      int   // of comments
	translated []int // by the index of translated
	good, bad  int   // comparisons err == nil and err != nil
	empty      int   // cases of a switch without a statement
}

// TestCounts reports how comments and errors read; it sets no limit. Show it with
//
//	go test -tags heavy ./internal/house -run TestCounts -v
func TestCounts(t *testing.T) {
	sum := tally{translated: make([]int, len(translated))}
	for _, s := range checkout(t).sources {
		if !s.forTests() && !ast.IsGenerated(s.ast) {
			sum.add(s)
		}
	}
	if sum.words == 0 || sum.bad == 0 {
		t.Fatalf("nothing was counted: %+v", sum)
	}
	t.Logf("%d words of comments; per 1,000 of them:", sum.words)
	for i, of := range translated {
		t.Logf("  %-20s %4.1f  (models %s)", of.name, float64(sum.translated[i])*1000/float64(sum.words), of.models)
	}
	t.Logf("err == nil per err != nil: %d of %d, %.1f %% (models 1 to 6 %%); empty cases: %d",
		sum.good, sum.bad, float64(sum.good)*100/float64(sum.bad), sum.empty)
}

// add counts a file.
func (c *tally) add(s *source) {
	for _, group := range s.ast.Comments {
		text := group.Text()
		c.words += len(strings.Fields(text))
		for i, of := range translated {
			c.translated[i] += len(of.words.FindAllString(text, -1))
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			if len(n.Body) == 0 {
				c.empty++
			}
		case *ast.BinaryExpr:
			c.compare(n)
		}
		return true
	})
}

// compare counts a comparison of err with nil.
func (c *tally) compare(n *ast.BinaryExpr) {
	x, ok := n.X.(*ast.Ident)
	y, isNil := n.Y.(*ast.Ident)
	if !ok || !isNil || x.Name != "err" || y.Name != "nil" {
		return
	}
	switch n.Op {
	case token.EQL:
		c.good++
	case token.NEQ:
		c.bad++
	}
}

func TestCountsAreRight(t *testing.T) {
	c := tally{translated: make([]int, len(translated))}
	c.add(snippet(t, "hub", `package hub

// F reads what is there, of which that is one, whose name is What.
func F() {
	if err == nil { }
	if err != nil && x == nil { }
	switch { case a: case b: f() }
}
`))
	got := append([]int{c.words, c.good, c.bad, c.empty}, c.translated...)
	for i, want := range []int{14, 1, 1, 1, 2, 1, 1, 1} {
		if got[i] != want {
			t.Errorf("count %d is %d, want %d", i, got[i], want)
		}
	}
}
