package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// machinePath finds absolute paths that exist only on one machine.
var machinePath = regexp.MustCompile(`(?:^|[^\w.$})/-])(/(?:home|root|work|Users|mnt|media)/[\w.-]+)`)

// unfinished finds marks of unfinished work in comments.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)

func TestNoMachinePaths(t *testing.T) {
	for _, name := range checkout(t).files {
		text := readText(t, name)
		for i, line := range bytes.Split(text, []byte("\n")) {
			for _, hit := range machinePath.FindAllSubmatch(line, -1) {
				t.Errorf("%s:%d: %s is a path of one machine: use a flag, a relative path or a temporary folder", name, i+1, hit[1])
			}
		}
	}
}

func TestNothingUnfinished(t *testing.T) {
	all := checkout(t)
	for _, s := range all.sources {
		report(t, skipFaults(s))
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				if hit := unfinished.FindString(c.Text); hit != "" {
					t.Errorf("%s: %s: do it now, or open an issue and leave the code whole", s.at(c), hit)
				}
			}
		}
	}
	for _, name := range all.files {
		if !slices.Contains([]string{".py", ".sh", ".yml", ".yaml", ".md", ""}, path.Ext(name)) || strings.Contains(name, "testdata/") {
			continue
		}
		for i, line := range strings.Split(string(readText(t, name)), "\n") {
			quoted := path.Ext(name) == ".md" && strings.HasPrefix(line, "    ") // such as the walls of a maze
			if hit := unfinished.FindString(line); hit != "" && !quoted {
				t.Errorf("%s:%d: %s: do it now, or open an issue and leave the file whole", name, i+1, hit)
			}
		}
	}
}

// skipFaults finds tests that do not run. On a rapid.T, Skip only discards a draw.
func skipFaults(s *source) (faults []string) {
	if !s.forTests() {
		return nil
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if takesRapid(n) {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, t := range []string{"t", "b", "f", "tb"} {
			for _, method := range []string{"Skip", "Skipf", "SkipNow"} {
				if isSelector(call.Fun, t, method) {
					faults = append(faults, fmt.Sprintf("%s: a skipped test proves nothing: make it run everywhere, or put it behind the build tag heavy", s.at(n)))
				}
			}
		}
		return true
	})
	return faults
}

// takesRapid reports whether n is a function with a parameter of type *rapid.T.
func takesRapid(n ast.Node) bool {
	var params *ast.FieldList
	switch fn := n.(type) {
	case *ast.FuncDecl:
		params = fn.Type.Params
	case *ast.FuncLit:
		params = fn.Type.Params
	default:
		return false
	}
	return slices.ContainsFunc(params.List, func(f *ast.Field) bool {
		star, ok := f.Type.(*ast.StarExpr)
		return ok && isSelector(star.X, "rapid", "T")
	})
}

// readText reads a file of the checkout; it returns nil for a binary file.
func readText(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil
	}
	return text
}
