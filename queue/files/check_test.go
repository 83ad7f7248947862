package files

import (
	"bytes"
	"errors"
	"math/rand/v2"
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

// Writes to a layer read back like writes to a file.
func TestLayer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	dir := t.TempDir()
	model := bytes.Repeat([]byte("0123456789"), 30)
	if err := os.WriteFile(filepath.Join(dir, "f"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := newOverlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := o.close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := o.open("f")
	if err != nil {
		t.Fatal(err)
	}
	for step := range 2000 {
		switch at := r.IntN(400); r.IntN(3) {
		case 0:
			b := bytes.Repeat([]byte{byte(step)}, r.IntN(50))
			if _, err := f.WriteAt(b, int64(at)); err != nil {
				t.Fatal(err)
			}
			model = append(model, make([]byte, max(0, at+len(b)-len(model)))...)
			copy(model[at:], b)
		case 1:
			if step%10 > 0 {
				continue
			}
			if err := f.Truncate(int64(at)); err != nil {
				t.Fatal(err)
			}
			model = append(model, make([]byte, max(0, at-len(model)))...)[:at]
		}
		size, err := f.Size()
		got := make([]byte, size)
		if err == nil {
			_, err = f.ReadAt(got, 0)
		}
		if err != nil || !bytes.Equal(got, model) {
			t.Fatalf("step %d: error %v, %d bytes, want %d", step, err, size, len(model))
		}
	}
}
