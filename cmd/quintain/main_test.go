package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asProgram, set in the environment, makes the test binary behave as quintain
// itself, so that tests can start and kill the real program.
const asProgram = "TEST_AS_QUINTAIN"

func TestMain(m *testing.M) {
	if err := os.Setenv("GOGC", "400"); err != nil { // of the programs that tests start; here it is read already
		panic(err)
	}
	debug.SetGCPercent(400) // the heaps are small, and each cycle reads all that is global
	if os.Getenv(asProgram) != "" {
		main()
	}
	if serveNode() {
		return
	}
	if len(os.Args) > 1 && os.Args[1] == asAgent {
		if err := playAgent(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
		return
	}
	if err := flag.Set("test.parallel", "8"); err != nil { // those in parallel wait for timers, and not for a processor
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// A capture collects the output of a program. Many goroutines may use it.
type capture struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *capture) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *capture) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// A process is a run of the program within the test's own process.
type process struct {
	stdout, stderr capture
	interrupts     chan os.Signal
	ended          chan int    // its exit status
	opened         chan string // address that a browser was to open
}

// start runs the program in this process, without an input.
func start(args ...string) *process { return startWith(strings.NewReader(""), args...) }

// startWith runs the program in this process.
func startWith(in io.Reader, args ...string) *process {
	p := &process{interrupts: make(chan os.Signal, 2), ended: make(chan int, 1), opened: make(chan string, 1)}
	w := &world{
		args: args, stdin: in, stdout: &p.stdout, stderr: &p.stderr,
		environ: func() []string { return nil }, interrupts: func() (<-chan os.Signal, func()) { return p.interrupts, func() {} },
		browse: func(url string) error { p.opened <- url; return nil }, lines: time.Second,
	}
	go func() { p.ended <- execute(w) }()
	return p
}

// wait returns the exit status, or fails the test after a minute.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	select {
	case status := <-p.ended:
		return status
	case <-time.After(5 * time.Minute):
		t.Fatalf("the program does not end; it printed\n%s", p.stderr.String())
		return -1
	}
}

// Only a terminal that can move the cursor is drawn on.
func TestScreen(t *testing.T) {
	for _, test := range []struct {
		why      string
		terminal bool
		term     string
		draws    bool
	}{
		{"a terminal", true, "xterm", true},
		{"a dumb terminal", true, "dumb", false},
		{"a terminal that does not say what it is", true, "", false},
		{"a file", false, "xterm", false},
	} {
		w := &world{terminal: test.terminal, environ: func() []string { return []string{"TERM=" + test.term} }}
		if got := w.screen().Draws; got != test.draws {
			t.Errorf("%s: draws %v", test.why, got)
		}
	}
}

// A verb is called by its own name, and is then the only one that is made.
func TestVerbsHaveTheirNames(t *testing.T) {
	t.Parallel()
	all := 0
	for _, p := range purposes() {
		for _, v := range p.verbs {
			all++
			if got := v.make(&world{}).Name(); got != v.name {
				t.Errorf("the verb %s is called %s", v.name, got)
			}
			if made := newRoot(&world{}, v.name).Commands(); len(made) != 1 {
				t.Errorf("%s makes %d verbs, want only itself", v.name, len(made))
			}
		}
	}
	if made := newRoot(&world{}, "help").Commands(); len(made) != all+1 || all > mostVerbs {
		t.Errorf("help makes %d verbs, want help and %d others, %d at most", len(made), all, mostVerbs)
	}
}

// mostVerbs is how many verbs people can survey; a rare one goes below another.
const mostVerbs = 24

// A verb that moved is refused with its spelling, which exists.
func TestMovedVerbsNameTheirSpelling(t *testing.T) {
	t.Parallel()
	root := newRoot(&world{}, "")
	for old, spelling := range elsewhere() {
		for _, before := range []string{"", "help "} {
			p := start(strings.Fields(before + old + " --flag argument")...)
			if status, said := p.wait(t), p.stderr.String(); status != exitUsage || !strings.Contains(said, "quintain "+old+": is "+spelling+"\n") {
				t.Errorf("quintain %s%s: status %d and %q", before, old, status, said)
			}
		}
		if folder, ok := strings.CutPrefix(spelling, "go run ./"); ok {
			folder, _, _ = strings.Cut(folder, " ")
			if _, err := os.Stat(filepath.Join("../..", strings.TrimSuffix(folder, "NAME"))); err != nil {
				t.Errorf("quintain %s: %v", old, err)
			}
		}
		if words, ok := strings.CutPrefix(spelling, "quintain "); ok {
			c, rest, err := root.Find(strings.Fields(words))
			if err != nil || len(rest) > 0 && rest[0] == strings.ToLower(rest[0]) && !strings.HasPrefix(rest[0], "-") {
				t.Errorf("quintain %s names %q, of which %q is no verb of %s (%v)", old, spelling, rest, c.Name(), err)
			}
		}
	}
}
