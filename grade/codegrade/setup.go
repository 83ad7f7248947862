package codegrade

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/sandbox"
)

// Setup says what judges programs in some languages, and in that of checkers, Python: the sandbox, and
// the interpreters and compilers as they tell themselves in it, and the speed if it was measured.
func (g *Grader) Setup(ctx context.Context, languages ...string) (*sandbox.Setup, error) {
	strength, err := g.Sandbox.Probe(ctx)
	if err != nil {
		return nil, err
	}
	g.open()
	s := &sandbox.Setup{Backend: strength.Backend, Layers: strength.Layers, Speed: math.Float64frombits(g.speed.Load())}
	asked := map[string]bool{}
	for _, name := range slices.Concat([]string{"python"}, languages) {
		l, known := languageOf(name)
		switch {
		case !known:
			return nil, fmt.Errorf("%w %q, want one of %s", ErrLanguage, name, languageNames())
		case asked[l.names[0]]:
			continue
		}
		asked[l.names[0]] = true
		i, err := g.interpreter(ctx, l)
		if err != nil {
			return nil, fmt.Errorf("the version of %s: %w", l.names[0], err)
		}
		s.Interpreters = append(s.Interpreters, i)
	}
	return s, nil
}

// interpreter asks that of a language for its version. One that the machine lacks has none.
func (g *Grader) interpreter(ctx context.Context, l language) (sandbox.Interpreter, error) {
	i := sandbox.Interpreter{Language: l.names[0]}
	got, err := g.run(ctx, sandbox.Job{Argv: l.version})
	switch {
	case errors.Is(err, sandbox.ErrNoProgram):
		return i, nil
	case err != nil:
		return i, err
	case got.End != sandbox.Exited || got.Code != 0:
		return i, fmt.Errorf("%s ended by %s %d: %s", l.version[0], got.End, got.Code, shown(lastLine(got.Stderr)))
	}
	version, path, _ := strings.Cut(strings.TrimSpace(shown(string(got.Stdout))), "\n")
	if i.Version, i.Path = strings.TrimSpace(version), strings.TrimSpace(path); i.Version == "" {
		return i, fmt.Errorf("%s says none", l.version[0])
	}
	return i, nil
}
