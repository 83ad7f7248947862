package watch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// TestTail reads what a file gains, and all of a file that takes its place.
func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	tail := tail{Path: path}
	var got []string
	for _, c := range []struct {
		why, content string
		want         []string
	}{
		{"a part of a line", "a\nb", []string{"a"}},
		{"the rest", "a\nb c\n", []string{"a", "b c"}},
		{"a shorter file", "d\n", []string{"d"}},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		more, err := tail.Read(func() { got = nil }, func(line []byte) { got = append(got, string(line)) })
		if more || err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, %v; want %q", c.why, got, more, err, c.want)
		}
	}
}

// TestState looks at the lock of a quiet folder, now and then.
func TestState(t *testing.T) {
	dir := t.TempDir()
	lock, err := datadir.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		state, grew := progress{Folders: []string{t.TempDir(), dir}}, time.Now()
		for _, c := range []struct {
			why    string
			after  time.Duration
			ends   bool // the process, before
			wanted bool
		}{
			{"it just grew", 0, false, false},
			{"it is quiet, and locked", time.Minute, false, false},
			{"it was locked a moment ago", time.Second, true, false},
			{"it is free", time.Minute, false, true},
		} {
			time.Sleep(c.after)
			if c.ends {
				if err := lock.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if got := state.Ended(grew); got != c.wanted {
				t.Errorf("%s: ended: %v", c.why, got)
			}
		}
	})
}
