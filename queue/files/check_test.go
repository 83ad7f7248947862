package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// contents are the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// A check reports damage, changes nothing, and is refused while a process uses the folder.
func TestCheckChangesNothing(t *testing.T) {
	for _, test := range []struct {
		why     string
		damage  func(b []byte) []byte
		file    string
		sound   bool
		refused bool
		finding string
		waiting int
	}{
		{why: "nothing", damage: func(b []byte) []byte { return b }, file: doneName, sound: true, waiting: 9},
		{why: "a bit", damage: func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, file: segmentName(1), finding: "a file of groups is damaged", waiting: 8},
		{why: "a bit of the log", damage: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, file: doneName, finding: "may be handed out again", waiting: 10},
		{why: "its end", damage: func(b []byte) []byte { return b[:len(b)/2] }, file: segmentName(1), finding: "has lost its end", waiting: 3},
		{why: "its head", damage: func(b []byte) []byte { clear(b[:20]); return b }, file: statesName, finding: "the first bytes", waiting: 9},
		{why: "a torn write", damage: func(b []byte) []byte { return append(b, "QNfr and no more"...) }, file: segmentName(1), sound: true, finding: "unfinished", waiting: 9},
		{why: "the list of files", damage: func(b []byte) []byte { return b[1:] }, file: manifestName, finding: "list of files", waiting: 9},
		{why: "the log", damage: func([]byte) []byte { return nil }, file: doneName, refused: true},
	} {
		dir := t.TempDir()
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := queue.Open(t.Context(), s, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		putSmall(t, q, 0, 9)
		consumeOne(t, q)
		if _, err := Check(t.Context(), dir); !errors.Is(err, queue.ErrInUse) {
			t.Errorf("of a folder in use: error %v", err)
		}
		closeStore(t, q)
		name := filepath.Join(dir, test.file)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b = test.damage(b); b == nil {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		r, err := Check(t.Context(), dir)
		if test.refused != (err != nil) {
			t.Errorf("%s: error %v", test.why, err)
		}
		if after := contents(t, dir); len(after) != len(before) || slices.ContainsFunc([]string{doneName, statesName, manifestName, segmentName(1)}, func(n string) bool { return after[n] != before[n] }) {
			t.Errorf("%s: the check has changed the folder", test.why)
		}
		if test.refused {
			continue
		}
		if r.Sound() != test.sound || !strings.Contains(strings.Join(r.Findings, "\n"), test.finding) || r.Stats.Waiting.Groups != test.waiting {
			t.Errorf("%s: sound %v, %d wait, findings %q", test.why, r.Sound(), r.Stats.Waiting.Groups, r.Findings)
		}
	}
}
