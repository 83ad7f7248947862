//go:build amd64 || arm64

package native

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// lasting are the limits of a job that lasts.
func lasting() sandbox.Limits { return sandbox.Limits{CPU: time.Hour, Wall: time.Hour, Disk: 8 << 20} }

// begin starts a program in a box of our own user.
func begin(t *testing.T, code string, read ...string) (*Child, *bufio.Reader, *strings.Builder) {
	t.Helper()
	b := openWith(t, Config{Dir: t.TempDir(), Own: true, Read: read})
	if err := b.strength.Err(); err != nil {
		t.Fatal(err)
	}
	from, to := io.Pipe()
	said := &strings.Builder{}
	c, err := b.Start(sandbox.Job{Argv: []string{"sh", "-c", code}, Limits: lasting()}, Talk{Out: to, Err: said, Environ: []string{"OURS=7"}})
	if err != nil {
		t.Fatal(err)
	}
	var over sync.WaitGroup
	over.Go(func() { _ = c.Wait(); _ = to.Close() })
	t.Cleanup(func() { c.Kill(); _ = from.Close(); over.Wait() })
	return c, bufio.NewReader(from), said
}

// A program that lasts answers line by line, has its variables, writes its own folder, and ends with its input.
func TestChildTalks(t *testing.T) {
	t.Parallel()
	c, from, said := begin(t, `echo "$OURS" > kept; while read line; do read ours < kept; echo "$line $ours"; done; echo over >&2; exit 3`)
	for _, word := range []string{"one", "two"} {
		if _, err := fmt.Fprintln(c, word); err != nil {
			t.Fatal(err)
		}
		if got, err := from.ReadString('\n'); got != word+" 7\n" || err != nil {
			t.Errorf("%s: got %q, error %v", word, got, err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || err.Error() != "exit status 3" || said.String() != "over\n" {
		t.Errorf("it ends with %v, and says %q", err, said)
	}
	if left, _ := os.ReadDir(c.run.folder.Path); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// It reads what only our user may if it is told, and else nothing; it writes nothing elsewhere, has no network and no privileges, also
// if we are root.
func TestChildIsConfined(t *testing.T) {
	t.Parallel()
	private, secret := t.TempDir(), t.TempDir()
	for _, dir := range []string{private, secret} {
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte("content\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ why, code, want string }{
		{"a folder that it may read", "read a < " + private + "/file; echo $a", "content\n"},
		{"another folder", "read a < " + secret + "/file && echo read || echo refused", "refused\n"},
		{"writing what it may read", "echo > " + private + "/new && echo written || echo refused", "refused\n"},
		{"another process", "(true) && echo forked", ""},
	} {
		c, from, said := begin(t, test.code, private)
		_ = c.Close()
		got, _ := from.ReadString('\n')
		if err := c.Wait(); got != test.want {
			t.Errorf("%s: got %q, want %q; it says %q and ends with %v", test.why, got, test.want, said, err)
		}
	}
}

// A program that is killed or beyond a limit ends, and its folder goes with it; one that is not there says so.
func TestChildEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, code string
		kill      bool
		want      string
	}{
		{"killed", "echo up; read line", true, "the sandbox ended it: cancelled"},
		{"too much disk", "echo up; while :; do printf %100000d 0; done > file", false, "the sandbox ended it: disk_limit"},
	} {
		c, from, _ := begin(t, test.code)
		_, _ = from.ReadString('\n')
		if test.kill {
			c.Kill()
		}
		if err := c.Wait(); err == nil || err.Error() != test.want {
			t.Errorf("%s: it ends with %v", test.why, err)
		}
		if _, err := os.Stat(c.run.folder.Path); err == nil {
			t.Errorf("%s: its folder stays", test.why)
		}
	}
	b := openWith(t, Config{Dir: t.TempDir(), Own: true})
	if _, err := b.Start(sandbox.Job{Argv: []string{"/no/such/program"}, Limits: lasting()}, Talk{Out: io.Discard, Err: io.Discard}); err == nil {
		t.Error("a program that is not there starts")
	}
}
