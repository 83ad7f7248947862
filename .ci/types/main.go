// Command types checks the types of all packages and their tests for other platforms: go run ./.ci/types linux/386
// darwin/arm64. It compiles nothing, and looks into no function of another module, so it takes seconds. It finds what
// overflows a word of 32 bits, and what one system lacks. The faults that go vet alone finds are for .ci/nightly.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A unit is what go list says of a package, or of one with its tests.
type unit struct {
	path, dir string
	own       bool // of this module
	names     []string
	imports   map[string]string // what the path in the source stands for, if it is another
	files     []*ast.File
	broken    error
}

// form is how go list is to print a unit.
const form = "{{.ImportPath}}\t{{.Dir}}\t{{and .Module .Module.Main}}\t{{range .GoFiles}}{{.}}|{{end}}\t{{range $path, $is := .ImportMap}}{{$path}}|{{$is}}|{{end}}"

func main() {
	faults := 0
	for _, target := range os.Args[1:] {
		system, arch, _ := strings.Cut(target, "/")
		found, err := check(system, arch)
		if err != nil {
			found = append(found, err)
		}
		for _, fault := range found {
			fmt.Printf("%s: %v\n", target, fault)
		}
		faults += len(found)
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// check returns the faults of one platform.
func check(system, arch string) (faults []error, err error) {
	units, err := list(system, arch)
	if err != nil {
		return nil, err
	}
	set, checked := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	parse(set, units)
	for _, u := range units {
		if u.broken != nil {
			return nil, u.broken
		}
		config := types.Config{
			Importer:         importer{u.imports, checked},
			Sizes:            types.SizesFor("gc", arch),
			IgnoreFuncBodies: !u.own,
			Error: func(err error) {
				if u.own {
					faults = append(faults, err)
				}
			},
		}
		path, _, _ := strings.Cut(u.path, " ")
		checked[u.path], _ = config.Check(path, set, u.files, nil) // Error has them all
	}
	return faults, nil
}

// list asks for all packages, each behind those that it imports.
func list(system, arch string) (units []*unit, err error) {
	c := exec.Command("go", "list", "-deps", "-test", "-f", form, "./...")
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		u := &unit{path: fields[0], dir: fields[1], own: fields[2] == "true", imports: map[string]string{}}
		if u.path == "unsafe" || strings.HasSuffix(u.path, ".test") {
			continue
		}
		u.names = strings.Split(strings.TrimSuffix(fields[3], "|"), "|")
		pairs := strings.Split(fields[4], "|")
		for i := 0; i+1 < len(pairs); i += 2 {
			u.imports[pairs[i]] = pairs[i+1]
		}
		units = append(units, u)
	}
	return units, nil
}

// parse reads the files of all units.
func parse(set *token.FileSet, units []*unit) {
	var wg sync.WaitGroup
	room := make(chan struct{}, 8)
	for _, u := range units {
		room <- struct{}{}
		wg.Go(func() {
			defer func() { <-room }()
			for _, name := range u.names {
				file, err := parser.ParseFile(set, filepath.Join(u.dir, name), nil, parser.SkipObjectResolution)
				u.files, u.broken = append(u.files, file), errors.Join(u.broken, err)
			}
		})
	}
	wg.Wait()
}

// An importer finds the packages that a unit imports, among those that were checked before.
type importer struct {
	named   map[string]string // by the path in the source; the others have the name of their path
	checked map[string]*types.Package
}

// Import returns the package of a path.
func (i importer) Import(path string) (*types.Package, error) {
	if name, ok := i.named[path]; ok {
		path = name
	}
	if p := i.checked[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not checked", path)
}
