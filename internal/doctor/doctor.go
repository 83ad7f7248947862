// Package doctor examines a machine for this program: what of it the program uses, what would
// slow it down or lose data, and what to do about each. It also tells which formats a data folder
// has, whether this program reads them, and what it would write anew; the tests of that read the
// files of every release, in testdata.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// A Level says how bad a finding is.
type Level string

// The levels.
const (
	OK   Level = "ok"
	Warn Level = "warn" // it works, but slowly, or not safely
	Fail Level = "FAIL" // it does not work
)

// A Finding is the result of a check.
type Finding struct {
	Check  string `json:"check"`
	Level  Level  `json:"level"`
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"` // what to do; empty if nothing is to do
}

// Settings say what to examine.
type Settings struct {
	Data    string   // data folder; it need not exist
	URLs    []string // inference servers
	Model   string   // to try on them; empty: their first
	KeyFile string   // of the servers; empty: none
	NATS    string   // servers, with commas; empty: none
	Creds   string   // file of NATS credentials; empty: none
	Ports   []string // to listen on: 8000, or 127.0.0.1:8000

	Tokenizer string                   // a tokenizer.json, its folder, or a GGUF file; empty: none
	Getenv    func(name string) string // tells where the models of other programs are; nil: they are not looked for

	Timeout time.Duration // of one request; 0: 30 s

	Sandbox backend.Settings
	Needed  bool // the user has chosen the sandbox: one that runs nothing is a failure
}

// Examine makes all checks, one after another, since each would disturb the measurements of the
// others. The end of ctx ends the checks that ask servers.
func Examine(ctx context.Context, s Settings) []Finding {
	s.Timeout = cmp.Or(s.Timeout, 30*time.Second)
	found := []Finding{kernels(), processors(), memory(), clock()}
	found = append(found, disk(s.Data)...)
	found = append(found, openFiles(), sandbox(ctx, s.Sandbox, s.Needed))
	for _, url := range s.URLs {
		found = append(found, inference(ctx, s, url))
	}
	if s.NATS != "" {
		found = append(found, natsServer(ctx, s))
	}
	for _, port := range s.Ports {
		found = append(found, listen(ctx, port))
	}
	if s.Tokenizer != "" {
		found = append(found, tokenizerFile(s.Tokenizer))
	}
	if s.Getenv != nil {
		found = append(found, models(s.Getenv)...)
	}
	return found
}

// Failed counts the failures.
func Failed(found []Finding) (n int) {
	for _, f := range found {
		if f.Level == Fail {
			n++
		}
	}
	return n
}

// Show examines and prints, and returns the number of failures. Its error is that of the output, or
// the cause of the end of ctx.
func Show(ctx context.Context, s Settings, asJSON bool, w io.Writer) (failed int, err error) {
	found, write := Examine(ctx, s), Write
	if asJSON {
		write = WriteJSON
	}
	return Failed(found), errors.Join(write(w, found), context.Cause(ctx))
}

// Write prints a line for each finding, and a second one for its remedy.
func Write(w io.Writer, found []Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range found {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Level, f.Check, line(f.Found))
		if f.Remedy != "" {
			fmt.Fprintf(table, "\t\t→ %s\n", line(f.Remedy))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	warned := slices.ContainsFunc(found, func(f Finding) bool { return f.Level == Warn })
	switch n := Failed(found); {
	case n > 0:
		fmt.Fprintf(w, "%d of %s failed.\n", n, stats.Count(len(found), "check"))
	case warned:
		fmt.Fprintln(w, "Everything works; see the warnings.")
	default:
		fmt.Fprintln(w, "Everything works.")
	}
	return nil
}

// line is a text in one line that commands no terminal: servers may have written it.
func line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode15.IsGraphic(r) {
			return r
		}
		return ' '
	}, s)
}

// WriteJSON prints the findings for programs.
func WriteJSON(w io.Writer, found []Finding) error {
	return strictjson.WriteIndented(w, struct {
		Failed int       `json:"failed"`
		Checks []Finding `json:"checks"`
	}{Failed(found), found})
}

// ok is a good finding.
func ok(check, format string, args ...any) Finding {
	return Finding{Check: check, Level: OK, Found: fmt.Sprintf(format, args...)}
}

// as returns f with another level and a remedy.
func (f Finding) as(level Level, remedy string) Finding {
	f.Level, f.Remedy = level, remedy
	return f
}
