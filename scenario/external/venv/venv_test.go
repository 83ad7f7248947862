//go:build unix

package venv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/internal/pause"
)

// fakeUV stands for uv: its environments have a Python of shell, which knows its packages. A package named after a fault has it.
const fakeUV = `#!/bin/sh
for word; do last=$word; done
if [ "$1" = venv ]; then
	mkdir -p "$last/bin" && printf '#!/bin/sh\ncat "%s/answer"\n' "$last" > "$last/bin/python" && chmod +x "$last/bin/python"
	exit
fi
echo "Resolved 2 packages in 1ms" >&2
case "$*" in
*full*) echo "error: failed to copy: No space left on device (os error 28)" >&2; exit 2 ;;
*offline*) echo "error: Failed to fetch: dns error: failed to lookup address" >&2; exit 2 ;;
*unbuilt*) echo "  x Failed to build unbuilt==1.0" >&2; exit 1 ;;
*absent*) echo "  x No solution found when resolving dependencies" >&2; exit 1 ;;
*silent*) exit 3 ;;
*slow*) [ -e "$0.slow" ] || { touch "$0.slow" "$VIRTUAL_ENV/begun"; sleep 1000; } ;;
*mute*) echo nonsense > "$VIRTUAL_ENV/answer"; exit ;;
esac
shift 5
packages=
for word; do packages="$packages,\"$word\""; done
echo "{\"python\": \"3.11.7\", \"prefixes\": [\"/usr\"], \"locked\": [\"dependency==2.0\"$packages]}" > "$VIRTUAL_ENV/answer"
`

// fake gives the PATH a uv, and returns a store.
func fake(t *testing.T) Store {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "uv"), []byte(fakeUV), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return Store{filepath.Join(t.TempDir(), "store")}
}

// order is an order of textarena with more packages.
func order(packages ...string) Order {
	return Order{Wish: Wish{Scheme: "textarena", Packages: packages}}
}

// left lists what is in a store.
func left(t *testing.T, s Store) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestInstall(t *testing.T) {
	s := fake(t)
	if _, err := s.Find(Wish{Scheme: "textarena"}); err == nil || !strings.HasPrefix(err.Error(), "textarena is not installed here") {
		t.Errorf("an empty store: %v", err)
	}
	var said []string
	o := order()
	o.Say = func(line string) { said = append(said, line) }
	first, err := s.Install(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"dependency==2.0", "textarena==0.7.4"}; !slices.Equal(first.Locked, want) || !slices.Equal(said, []string{"Resolved 2 packages in 1ms"}) {
		t.Errorf("it has %v, want %v; it said %q", first.Locked, want, said)
	}
	again, err := s.Install(t.Context(), o)
	if err != nil || again.Dir != first.Dir || len(said) != 1 {
		t.Errorf("again: %+v, %v, and said %q", again, err, said)
	}
	more, err := s.Install(t.Context(), order("nltk==3.9"))
	if err != nil || more.Dir == first.Dir || more.Digest() == first.Digest() {
		t.Errorf("more packages: %+v, %v", more, err)
	}
	if got, err := s.Find(Wish{Scheme: "textarena"}); err != nil || got.Dir != first.Dir {
		t.Errorf("it finds %+v, %v", got, err)
	}
	text, err := os.ReadFile(filepath.Join(first.Dir, lockName))
	if err != nil || string(text) != first.Lock() {
		t.Errorf("the lock beside it is %q, %v", text, err)
	}
	if gone, err := s.Remove("textarena"); err != nil || len(gone) != 2 || len(left(t, s)) != 0 {
		t.Errorf("removed %v, %v; %v is left", gone, err, left(t, s))
	}
}

// A lock is installed as it is, beside what the scheme has without it.
func TestInstallOfALock(t *testing.T) {
	s := fake(t)
	file := filepath.Join(t.TempDir(), "lock.txt")
	if err := os.WriteFile(file, []byte("# scheme textarena\n# python 3.11.2\nnumpy==1.0\ntextarena==0.7.3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	newest, err := s.Install(t.Context(), order())
	if err != nil {
		t.Fatal(err)
	}
	o := order()
	o.Lock = file
	e, err := s.Install(t.Context(), o)
	if err != nil || e.Dir == newest.Dir || !slices.Contains(e.Locked, "textarena==0.7.3") || slices.Contains(e.Locked, "textarena==0.7.4") {
		t.Errorf("%+v, %v", e, err)
	}
	for _, test := range []struct{ why, text, want string }{
		{"another outcome", "# lock 012345678901\ntextarena==0.7.2\n", "the lock is 012345678901, but what comes of it here is"},
		{"another scheme", "# scheme gem\ngem-llm==0.1.0\n", "is the lock of gem"},
		{"no version", "numpy\n", "line 1"},
		{"an option", "--index-url=x==1\n", "line 1"},
		{"nothing", "# python 3.11.2\n", "has no packages"},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.why, err, test.want)
		}
	}
}

// A fault is told with its remedy, and nothing is left.
func TestInstallFails(t *testing.T) {
	s := fake(t)
	for _, test := range []struct{ why, what, want string }{
		{"a full disk", "full", "the disk is full: textarena needs about 125 MiB at " + s.Dir},
		{"no network", "offline", "--find-links"},
		{"a package that does not build", "unbuilt", "does not build here"},
		{"a package that is not there", "absent", "is not where it was looked for"},
		{"a tool that says nothing", "silent", "exit status 3"},
		{"a Python that says nonsense", "mute", "the new Python says"},
	} {
		_, err := s.Install(t.Context(), order(test.what))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.why, err, test.want)
		}
		if names := left(t, s); len(names) > 0 {
			t.Errorf("%s: %v is left", test.why, names)
		}
	}
	if _, err := s.Install(t.Context(), Order{Wish: Wish{Scheme: "http"}}); err == nil || !strings.Contains(err.Error(), "nothing to install") {
		t.Errorf("a server: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := s.Install(t.Context(), order()); err == nil || !strings.Contains(err.Error(), "found: none): install one, or uv") {
		t.Errorf("no Python: %v", err)
	}
}

// The end of the context ends the tools, and leaves nothing; what others install at the same time stays.
func TestInstallIsCut(t *testing.T) {
	s := fake(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var both sync.WaitGroup
	var cut error
	both.Go(func() { _, cut = s.Install(ctx, order("slow")) })
	for begun := []string{}; len(begun) == 0 && pause.For(t.Context(), 0); begun, _ = filepath.Glob(filepath.Join(s.Dir, "*", "begun")) {
	}
	e, err := s.Install(t.Context(), order())
	if err != nil {
		t.Error(err)
	}
	cancel()
	both.Wait()
	if !errors.Is(cut, context.Canceled) || !slices.Equal(left(t, s), []string{filepath.Base(e.Dir)}) {
		t.Errorf("cut: %v; %v is left", cut, left(t, s))
	}
}

// TestMain installs a slow package, if it is told a store.
func TestMain(m *testing.M) {
	if dir := os.Getenv("INSTALL_INTO"); dir != "" {
		_, err := Store{dir}.Install(context.Background(), order("slow"))
		panic(err) // it was to be killed
	}
	os.Exit(m.Run())
}

// What kill -9 leaves of an installation is never taken for whole, and goes; another one follows.
func TestInstallIsKilled(t *testing.T) {
	s := fake(t)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "INSTALL_INTO="+s.Dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := []string{}; len(begun) == 0 && pause.For(t.Context(), 0); begun, _ = filepath.Glob(filepath.Join(s.Dir, "*", "begun")) {
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	if _, err := s.Find(order("slow").Wish); err == nil {
		t.Error("what is half made is taken for whole")
	}
	e, err := s.Install(t.Context(), order("slow"))
	if err != nil || !slices.Contains(e.Locked, "slow") {
		t.Errorf("another one: %+v, %v", e, err)
	}
	for len(left(t, s)) > 1 && pause.For(t.Context(), 0) {
	}
	if got, err := s.Find(order("slow").Wish); err != nil || got.Dir != e.Dir || !slices.Equal(left(t, s), []string{filepath.Base(e.Dir)}) {
		t.Errorf("it finds %+v, %v; %v is left", got, err, left(t, s))
	}
}

// An environment of others gets what a Python needs and what is named, and nothing else.
func TestEnviron(t *testing.T) {
	for name, value := range map[string]string{"GIVEN_KEY": "a", "SECRET_KEY": "b", "HTTPS_PROXY": "http://user:pass@proxy", "LC_ALL": "C"} {
		t.Setenv(name, value)
	}
	got, err := Environ([]string{"GIVEN_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		entry string
		want  bool
	}{{"GIVEN_KEY=a", true}, {"LC_ALL=C", true}, {"PATH=" + os.Getenv("PATH"), true}, {"SECRET_KEY=b", false}, {"HTTPS_PROXY=http://user:pass@proxy", false}} {
		if slices.Contains(got, test.entry) != test.want {
			t.Errorf("%s: passed on %v, want %v", test.entry, !test.want, test.want)
		}
	}
	if _, err := Environ([]string{"NOT_SET_ANYWHERE"}); err == nil || !strings.Contains(err.Error(), "NOT_SET_ANYWHERE is not set") {
		t.Errorf("a variable that is not there: %v", err)
	}
}

func TestSuits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, wanted string
		want            bool
	}{
		{"3.11", ">=3.10,<3.14", true}, {"3.9", ">=3.10,<3.14", false}, {"3.14", ">=3.10,<3.14", false},
		{"3.10", "==3.10.*", true}, {"3.11", "==3.10.*", false}, {"", ">=3.10", false}, {"3.11", "3.12", true}, // a name that the user gave
	} {
		if got := suits(test.version, test.wanted); got != test.want {
			t.Errorf("%s in %s: %v", test.version, test.wanted, got)
		}
	}
}
