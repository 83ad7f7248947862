package programs

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// bands are the degrees of difficulty of the programs; each has a file.
const bands = 5

//go:embed star/*.star
var starFiles embed.FS

// A program is one of ours: it has a function main, and its inputs can be drawn.
type program struct {
	name       string
	family     string // the name of the first in its family
	source     string
	params     []param
	outputOnly bool // an input cannot be found for an output but by trying
	compiled   func() (*starlark.Function, error)
}

// A param is a parameter of main, with the values to draw from.
type param struct {
	name   string
	kind   string // a key of drawers
	ranges [][2]int
	of     []string // letters or words to choose from
}

// A catalogue has all programs.
type catalogue struct {
	bands [bands + 1][]family
	names map[string]*program
}

// programs reads the files on first use.
var programs = sync.OnceValues(func() (*catalogue, error) {
	c := &catalogue{names: map[string]*program{}}
	for band := 1; band <= bands; band++ {
		text, err := starFiles.ReadFile(fmt.Sprintf("star/%d.star", band))
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(text), "\n# ")[1:] {
			f, err := readFamily(part)
			if err != nil {
				return nil, fmt.Errorf("star/%d.star: %w", band, err)
			}
			c.bands[band] = append(c.bands[band], f)
			for _, p := range f {
				c.names[p.name] = p
			}
		}
	}
	return c, nil
})

// readProgram reads a program with its headline, which has its name and the values of its
// parameters: "name: a int 2..99; l ints 3..8 0..50".
func readProgram(head, source string) (*program, error) {
	name, params, found := strings.Cut(head, ": ")
	p := new(program)
	p.name, p.outputOnly = strings.CutSuffix(name, ", output only")
	p.family = p.name
	p.setSource(source)
	if !found || p.source == "" {
		return nil, fmt.Errorf("%q is not a headline with a program", head)
	}
	for one := range strings.SplitSeq(params, "; ") {
		q, err := readParam(one)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		p.params = append(p.params, q)
	}
	return p, nil
}

func (p *program) setSource(source string) {
	source = strings.TrimSpace(source)
	p.source = source
	p.compiled = sync.OnceValues(func() (*starlark.Function, error) { return compile(source) })
}

// readParam reads "name kind range range choices".
func readParam(text string) (param, error) {
	words := strings.SplitN(text, " ", 3)
	if len(words) < 2 || drawers[words[1]].draw == nil {
		return param{}, fmt.Errorf("%q is not a parameter", text)
	}
	p := param{name: words[0], kind: words[1]}
	for rest := strings.Join(words[2:], ""); rest != ""; {
		var word string
		word, rest, _ = strings.Cut(rest, " ")
		low, high, found := strings.Cut(word, "..")
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if !found || err != nil || err2 != nil || to < from || len(p.ranges) == drawers[p.kind].ranges {
			p.of = strings.Split(strings.TrimSpace(word+" "+rest), "|")
			break
		}
		p.ranges = append(p.ranges, [2]int{from, to})
	}
	if d := drawers[p.kind]; len(p.ranges) != d.ranges || (p.of != nil) != d.choices {
		return param{}, fmt.Errorf("%q does not have the ranges and choices of %s", text, p.kind)
	}
	return p, nil
}

// run runs main with input, which has a value for each parameter and no others, and returns
// the output as JSON.
func (p *program) run(input *pyvalue.Dict) (output string, err error) {
	args := make([]pyvalue.Value, len(p.params))
	for i, q := range p.params {
		v, has := input.Get(q.name)
		if !has {
			return "", fmt.Errorf("the input has no %s", q.name)
		}
		args[i] = v
	}
	for name := range input.All() {
		if !slices.ContainsFunc(p.params, func(q param) bool { return q.name == name }) {
			return "", fmt.Errorf("the input has a %v, which main does not take", name)
		}
	}
	return p.call(args)
}

// jsonOf writes a value as Python's json.dumps does.
func jsonOf(v pyvalue.Value) (string, error) { return writeJSON(v, false) }

// sortedJSON is jsonOf with sorted members.
func sortedJSON(v pyvalue.Value) (string, error) { return writeJSON(v, true) }

func writeJSON(v pyvalue.Value, sorted bool) (string, error) {
	r := pyvalue.Runtime{Steps: 1 << 20, Bytes: 1 << 16}
	return r.JSON(v, pyvalue.Args{Names: []string{"ensure_ascii", "sort_keys"}, Named: []pyvalue.Value{true, sorted}})
}
