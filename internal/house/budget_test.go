package house

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the whole project may weigh. A budget is spent, not raised: what a new part takes, an old
// one gives back.
const (
	mostLines    = 219_000 // of Go outside _test.go files, neither blank nor comment; bench/ too
	mostTests    = 125_000 // lines of tests, counted likewise
	mostPackages = 159     // eight of them for environments of others, five for Harbor, three for Prove
	mostWords    = 80_800  // of the pages that people read
)

// unread lists the documents in which things are looked up: tables made from data, and
// the record of what was decided and changed. An entry with a slash at its end is a folder.
var unread = []string{
	"docs/tasks.md", "docs/settings.md", "docs/deviations.md", "docs/benchmarks-tasks.md", "docs/moved.md",
	"docs/decisions/", "CHANGELOG.md", "docs/examples/harbor/",
}

// A weight is how much there is of the project.
type weight struct {
	lines, generated, tests int // of Go, neither blank nor comment; those of generated files are among lines
	bytes                   int // of the files that lines counts
}

// TestBudgets holds the numbers of packages and words to their budgets, and tells what is spent of all. Show it
// with
//
//	go test ./internal/house -run TestBudgets -v
func TestBudgets(t *testing.T) {
	all := checkout(t)
	var sum weight
	for _, s := range all.sources {
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		sum.add(s, text)
	}
	packages, folders := len(all.packages), len(wings(all.files))
	read := words(t, all.files)
	t.Logf("%d of %d lines of Go, %d of them generated; %.2f MB of source; %d of %d lines of tests; %d of %d packages; %d of %d folders at the root; %d of %d words of docs; %d modules",
		sum.lines, mostLines, sum.generated, float64(sum.bytes)/1e6, sum.tests, mostTests, packages, mostPackages, folders, maxWings, read, mostWords, modules(t))
	if packages > mostPackages {
		t.Errorf("there are %d packages, at most %d are allowed: a budget is spent, not raised, so join one that has a single importer with it", packages, mostPackages)
	}
	if read > mostWords {
		t.Errorf("the pages have %d words, at most %d are allowed: a budget is spent, not raised, so cut what readers need least", read, mostWords)
	}
}

// words counts the words of the pages that people read.
func words(t *testing.T, files []string) (n int) {
	t.Helper()
	for _, file := range files {
		skip := func(name string) bool {
			return file == name || strings.HasSuffix(name, "/") && strings.HasPrefix(file, name)
		}
		if strings.HasSuffix(file, ".md") && !slices.ContainsFunc(unread, skip) {
			n += len(strings.Fields(string(readText(t, file))))
		}
	}
	return n
}

// modules counts the modules that go.mod requires, directly or not.
func modules(t *testing.T) int {
	t.Helper()
	return len(regexp.MustCompile(`(?m)^(?:require )?\s*[\w./~-]+\.[\w./~-]+ v\d`).FindAll(readText(t, "go.mod"), -1))
}

// add counts a file.
func (w *weight) add(s *source, text []byte) {
	n := codeLines(text)
	if s.test {
		w.tests += n
		return
	}
	if w.lines, w.bytes = w.lines+n, w.bytes+len(text); ast.IsGenerated(s.ast) {
		w.generated += n
	}
}

// codeLines counts the lines of a Go file that are neither blank nor comment.
func codeLines(text []byte) (n int) {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	last := 0 // line that is counted
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return n
		}
		if tok == token.SEMICOLON && literal != ";" { // the end of a line, or of the file
			continue
		}
		first := max(file.Line(pos), last+1)
		if end := file.Line(pos) + strings.Count(literal, "\n"); end >= first {
			n, last = n+end-first+1, end
		}
	}
}

func TestCodeLines(t *testing.T) {
	const text = "// Package p is one.\npackage p\n\n/* a\nb */\nvar x = `1\n\n3` // three\n\nfunc f() { g(); h() }\nfunc i() {\n\t// nothing\n}\n"
	if got := codeLines([]byte(text)); got != 7 {
		t.Errorf("%d lines of code, want 7", got)
	}
}
