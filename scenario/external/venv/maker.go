package venv

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A maker makes one virtual environment with the tools of Python.
type maker struct {
	dir    string
	python string   // interpreter, version, or versions such as >=3.10,<3.14
	wants  []string // packages
	links  string   // folder of wheels; empty: the index
	digest string   // of the lock that is to come of it; empty: any
	group  *command.Group
	say    func(string)

	mu   sync.Mutex // guards the field below, and say
	tail []string   // last lines of the tools
}

// run makes the environment by uv, or by Python alone if there is none.
func (m *maker) run(ctx context.Context) error {
	from := []string{}
	if m.links != "" {
		from = []string{"--no-index", "--find-links", m.links}
	}
	if uv, err := exec.LookPath("uv"); err == nil {
		if _, err := m.call(ctx, uv, "venv", "--allow-existing", "--python", m.python, m.dir); err != nil {
			return err
		}
		_, err := m.call(ctx, uv, slices.Concat([]string{"pip", "install", "--compile-bytecode", "--python", interpreter(m.dir)}, from, m.wants)...)
		return err
	}
	base, err := m.base(ctx)
	if err != nil {
		return err
	}
	pip := []string{"-m", "pip", "--disable-pip-version-check", "--no-input"}
	for _, words := range [][]string{
		{base, "-m", "venv", m.dir},
		slices.Concat([]string{interpreter(m.dir)}, pip, []string{"uninstall", "--yes", "setuptools"}), // of Python 3.11 and before; uv brings none, so that both give one lock
		slices.Concat([]string{interpreter(m.dir)}, pip, []string{"install", "--progress-bar", "off", "--compile"}, from, m.wants),
	} {
		if _, err := m.call(ctx, words[0], words[1:]...); err != nil {
			return err
		}
	}
	return nil
}

// base finds a Python on the PATH whose version goes with the packages.
func (m *maker) base(ctx context.Context) (string, error) {
	names := []string{"python3", "python", "python3.13", "python3.12", "python3.11", "python3.10"}
	if !strings.ContainsAny(m.python, "<>=") {
		names = []string{m.python, "python" + minor(m.python)}
	}
	var found []string
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := m.call(ctx, path, "-I", "-c", `import sys; print("%d.%d" % sys.version_info[:2])`)
		if version = strings.TrimSpace(version); err == nil && suits(version, m.python) {
			return path, nil
		}
		found = append(found, name+" "+version)
	}
	if len(found) == 0 {
		found = []string{"none"}
	}
	return "", &noPythonError{m.python, strings.Join(found, ", ")}
}

// A noPythonError says that no Python on the PATH will do.
type noPythonError struct{ want, found string }

// Error implements error.
func (e *noPythonError) Error() string {
	return fmt.Sprintf("there is no Python %s here (found: %s): install one, or uv, which brings its own", e.want, e.found)
}

// suits reports whether a version such as 3.11 is in the versions that are wanted.
func suits(version, wanted string) bool {
	for part := range strings.SplitSeq(wanted, ",") {
		var op string
		for _, op = range []string{">=", "<", "=="} {
			if rest, ok := strings.CutPrefix(part, op); ok {
				part = strings.TrimSuffix(rest, ".*")
				break
			}
			op = ""
		}
		order := compare(version, part)
		if op == ">=" && order < 0 || op == "<" && order >= 0 || op == "==" && order != 0 {
			return false
		}
	}
	return true
}

// compare compares versions of Python, without their patches.
func compare(a, b string) int {
	var x, y [2]int
	_, _ = fmt.Sscanf(a, "%d.%d", &x[0], &x[1]) // else it is 0
	_, _ = fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return slices.Compare(x[:], y[:])
}

// call runs a tool to its end, and returns its output. It passes on what the tool tells of its progress.
func (m *maker) call(ctx context.Context, tool string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, tool, args...)
	out := &command.Limited{}
	const longest = 4 << 10 // of a line, in bytes
	told, faults := &external.Lines{Most: longest, Take: m.hear}, &external.Lines{Most: longest, Take: m.hear}
	c.Stdout, c.Stderr, c.WaitDelay = io.MultiWriter(out, told), faults, time.Second
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PYTHON") || strings.HasPrefix(v, "VIRTUAL_ENV=") || strings.HasPrefix(v, "PIP_TARGET=") || strings.HasPrefix(v, "PIP_USER=")
	}), "VIRTUAL_ENV="+m.dir, "PYTHONUNBUFFERED=1", "NO_COLOR=1", "UV_NO_PROGRESS=1")
	m.group.Add(c)
	c.Cancel = func() error { m.group.End(); return nil }
	err := c.Run()
	_, _ = told.Flush(), faults.Flush() // hear has no error
	if err != nil {
		return out.String(), fmt.Errorf("%s: %w", tool, err)
	}
	return out.String(), nil
}

// said returns the last lines of the tools.
func (m *maker) said() string { return strings.Join(m.tail, "\n") }

// hear takes a line of a tool.
func (m *maker) hear(text []byte) error {
	const most = 40
	m.mu.Lock()
	defer m.mu.Unlock()
	line := strings.ToValidUTF8(string(text), "?")
	if m.tail = append(m.tail, line); len(m.tail) > most {
		m.tail = m.tail[1:]
	}
	word, _, _ := strings.Cut(line, " ")
	told := []string{"Downloading", "Collecting", "Building", "Installing", "Resolved", "Prepared", "Installed", "Using", "Bytecode"}
	if m.say != nil && slices.Contains(told, word) {
		m.say(line)
	}
	return nil
}
