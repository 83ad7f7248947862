package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the path of the module, which is the import path of the root package.
const module = "github.com/quintain-rl/quintain"

// root is the path from this package to the root of the checkout.
const root = "../.."

// A tree is the checkout that the rules examine.
type tree struct {
	files    []string  // paths of all files that git tracks or would track
	packages []listing // of the module
	sources  []*source // every Go file outside testdata, including those excluded by build tags
}

// A listing describes one package, as printed by go list.
type listing struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
	CgoFiles     []string
}

// name is the package's path within the module; empty for the root.
func (l listing) name() string { return within(l.ImportPath) }

// A source is one Go file.
type source struct {
	path string // relative to the root, with slashes
	pkg  string // package of its folder, like [listing.name]
	test bool   // it is a _test.go file
	fset *token.FileSet
	ast  *ast.File
}

// forTests reports whether s runs in tests only.
func (s *source) forTests() bool { return s.test || forTests(s.pkg) }

// line is the line on which a node of s begins.
func (s *source) line(n ast.Node) int { return s.fset.Position(n.Pos()).Line }

// at is the position of n for messages.
func (s *source) at(n ast.Node) string { return fmt.Sprintf("%s:%d", s.path, s.line(n)) }

// lines is the number of lines that n covers.
func (s *source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// forTests reports whether a package is only for tests.
func forTests(pkg string) bool { return strings.HasSuffix(pkg, "test") }

// within turns an import path into a path within the module.
func within(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

// ours reports whether an import path is of this module.
func ours(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// isStandard reports whether an import path is of the standard library.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// checkout reads the tree once for all tests.
func checkout(t *testing.T) *tree {
	t.Helper()
	all, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var readTree = sync.OnceValues(func() (*tree, error) {
	var all tree
	var err error
	if all.files, err = listFiles(); err != nil {
		return nil, err
	}
	if all.packages, err = listPackages(); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	for _, name := range all.files {
		if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		s, err := parseSource(fset, name, text)
		if err != nil {
			return nil, err
		}
		all.sources = append(all.sources, s)
	}
	return &all, nil
})

// parseSource reads one Go file.
func parseSource(fset *token.FileSet, name string, text []byte) (*source, error) {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := path.Dir(name)
	if pkg == "." {
		pkg = ""
	}
	return &source{
		path: name, pkg: pkg, test: strings.HasSuffix(name, "_test.go"),
		fset: fset, ast: file,
	}, nil
}

// listFiles asks git for the files of the checkout, including new ones. Without git, as
// in an unpacked archive, it lists all files.
func listFiles() ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	var names []string
	if out, err := cmd.Output(); err == nil {
		names = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	} else if names, err = walk(); err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { // deleted, but git does not know it yet
		info, err := os.Stat(filepath.Join(root, name))
		return err != nil || info.IsDir()
	})
	if len(names) == 0 {
		return nil, errors.New("there are no files in the checkout")
	}
	return names, nil
}

// walk lists all files below the root.
func walk() (names []string, err error) {
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// listPackages lists the packages of the module with go list.
func listPackages() ([]listing, error) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports,CgoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []listing
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var one listing
		if err := dec.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, one)
	}
}

// report fails the test with each of faults, in order.
func report(t *testing.T, faults []string) {
	t.Helper()
	slices.Sort(faults)
	for _, fault := range slices.Compact(faults) {
		t.Error(fault)
	}
}

// An exceptions lists the names to which a rule does not apply, each with the reason.
type exceptions map[string]string

// except drops the faults of listed names, and adds a fault for each listed name that
// has none. The keys of faults are names.
func (e exceptions) except(faults map[string]string) []string {
	var left []string
	for name, fault := range faults {
		if _, excused := e[name]; !excused {
			left = append(left, fault)
		}
	}
	for name, reason := range e {
		if _, needed := faults[name]; !needed {
			left = append(left, fmt.Sprintf("%s no longer needs an exception (%s): remove it from the list in internal/house", name, reason))
		}
	}
	return left
}
