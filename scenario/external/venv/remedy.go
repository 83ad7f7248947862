package venv

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/datadir"
)

var (
	full    = compiled.Regexp(`(?i)no space left|os error 28|errno 28|disk quota exceeded|file too large`)
	noVenv  = compiled.Regexp(`(?i)ensurepip is not|No module named (venv|ensurepip)`)
	noBase  = compiled.Regexp(`(?i)no interpreter found|no python (interpreter|installation)`)
	noBuild = compiled.Regexp(`(?i)failed to build|failed building wheel|subprocess-exited-with-error|build backend|error: command .* failed`)
	offline = compiled.Regexp(`(?i)name resolution|dns error|network is unreachable|connection (refused|reset|error)|no route to host|timed out|failed to fetch|error sending request|NewConnectionError|proxy`)
	unknown = compiled.Regexp(`(?i)no matching distribution|no solution found|not found in the (package registry|provided)|could not find a version`)
)

// remedy returns an error of an installation of a peer with its remedy. Said is what the tools said last.
func (s Store) remedy(err error, of Peer, said string) error {
	if none, ok := errors.AsType[*noPythonError](err); ok {
		return none
	}
	text := err.Error() + "\n" + said
	switch {
	case full().MatchString(text):
		free, _, _ := datadir.Space(s.Dir)
		spare, _, _ := datadir.Space(os.TempDir())
		return fmt.Errorf("the disk is full: %s needs about %d MiB at %s, where %d are free, and meanwhile half as much at %s, where %d are free: free some, or name folders on another disk by XDG_CACHE_HOME and TMPDIR%s",
			of.Scheme, of.Room, s.Dir, free>>20, os.TempDir(), spare>>20, last(said))
	case noVenv().MatchString(text):
		return fmt.Errorf("this Python makes no virtual environments: install its venv (apt install python3-venv), or uv%s", last(said))
	case noBase().MatchString(text):
		return fmt.Errorf("no Python goes with these packages: install one of the versions named here, or give uv network to fetch it%s", last(said))
	case noBuild().MatchString(text):
		return fmt.Errorf("a package is not built yet for this Python, and does not build here: take another Python by --python, such as 3.11, or install what its build lacks%s", last(said))
	case offline().MatchString(text) && !strings.Contains(text, "--no-index"):
		return fmt.Errorf("the index of packages does not answer: try again, or take wheels from a folder by --find-links FOLDER (pip download -d FOLDER fetches them elsewhere)%s", last(said))
	case unknown().MatchString(text):
		return fmt.Errorf("a package, or that version of it, is not where it was looked for: with --find-links the folder needs all of them%s", last(said))
	}
	return fmt.Errorf("%w%s", err, last(said))
}

// last returns the end of what tools said, for an error.
func last(said string) string {
	const most = 6
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if said = strings.Join(lines[max(0, len(lines)-most):], "\n  "); said == "" {
		return ""
	}
	return "; the end of what was said:\n  " + said
}
