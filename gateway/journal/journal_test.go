package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
)

// reopen opens a journal, and returns what it replays.
func reopen(t testing.TB, dir string, o Options) (*Journal, []Record) {
	t.Helper()
	var list []Record
	j, err := Open(dir, o, func(r Record) error { list = append(list, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j, list
}

// shut closes a journal.
func shut(t testing.TB, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// add appends records.
func add(t testing.TB, j *Journal, records ...Record) {
	t.Helper()
	if err := j.Append(context.Background(), records...); err != nil {
		t.Fatal(err)
	}
}

// text says what records are, in short.
func text(list []Record) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%s%c%s", r.Session, r.Kind, r.Data))
	}
	return strings.Join(words, " ")
}

// rec makes a record of "a:1": session a, kind ':', data 1.
func rec(s string) Record { return Record{s[:1], s[1], []byte(s[2:])} }

func recs(s string) (list []Record) {
	for w := range strings.FieldsSeq(s) {
		list = append(list, rec(w))
	}
	return list
}

func TestJournalKeepsWhatWasAppended(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "sessions")
	j, old := reopen(t, dir, Options{})
	if len(old) > 0 {
		t.Fatalf("a new journal has %d records", len(old))
	}
	add(t, j, recs("a:1 b:1")...)
	add(t, j, recs("a;2")...)
	add(t, j)
	add(t, j, Record{Session: "c"})
	big := bytes.Repeat([]byte("QNfr"), MaxData/4)
	add(t, j, Record{"d", 0, big})
	if got, err := j.Read("a"); err != nil || text(got) != "a:1 a;2" {
		t.Errorf("read %q, %v", text(got), err)
	}
	if got, err := j.Read("z"); err != nil || got != nil {
		t.Errorf("read %v, %v of an unknown session", got, err)
	}
	shut(t, j)
	shut(t, j)
	if err := j.Append(context.Background(), rec("a:1")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after the end: %v", err)
	}
	if _, err := j.Read("a"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read after the end: %v", err)
	}
	if err := j.Forget("a"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("forget after the end: %v", err)
	}
	j, old = reopen(t, dir, Options{})
	if got := text(old[:4]); got != "a:1 b:1 a;2 c\x00" || len(old) != 5 || !bytes.Equal(old[4].Data, big) {
		t.Errorf("replayed %q and %d more", got, len(old)-4)
	}
	st := j.Stats()
	if st.Sessions != 4 || st.Segments != 2 || st.Live != st.Bytes-2*wal.HeadLen {
		t.Errorf("%+v", st)
	}
}

func TestAppendRefuses(t *testing.T) {
	j, _ := reopen(t, t.TempDir(), Options{})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		r    Record
		want string
		why  string
	}{
		{context.Background(), Record{}, "has 0 bytes, want 1 to 1024", "no session"},
		{context.Background(), Record{Session: strings.Repeat("x", MaxSession+1)}, "has 1025 bytes", "a name too long"},
		{context.Background(), Record{Session: "a", Data: make([]byte, MaxData+1)}, "at most 67108864 are allowed", "too much data"},
		{ended, rec("a:1"), "canceled", "nobody waits"},
	} {
		if err := j.Append(test.ctx, rec("b:1"), test.r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
	if err := j.Forget(""); err == nil {
		t.Error("no session is forgotten without an error")
	}
	half := make([]byte, MaxData)
	if err := j.Append(context.Background(), slices.Repeat([]Record{{"a", 0, half}}, 17)...); err == nil {
		t.Error("an append of more than a gibibyte")
	}
	if got, _ := j.Read("b"); len(got) > 0 {
		t.Errorf("%d records of refused appends are there", len(got))
	}
	if _, err := Open(t.TempDir(), Options{SegmentBytes: 2 << 30}, nil); err == nil {
		t.Error("segments of two gibibytes")
	}
}

func TestOneProcessHasTheFolder(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	if _, err := Open(dir, Options{}, nil); !errors.Is(err, datadir.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	shut(t, j)
	reopen(t, dir, Options{})
}

func TestReplayMayRefuse(t *testing.T) {
	dir := t.TempDir()
	j, _ := reopen(t, dir, Options{})
	add(t, j, recs("a:1 a:2")...)
	shut(t, j)
	no := errors.New("no")
	if _, err := Open(dir, Options{}, func(Record) error { return no }); !errors.Is(err, no) {
		t.Errorf("error %v", err)
	}
	if _, old := reopen(t, dir, Options{}); len(old) != 2 {
		t.Errorf("then %d records", len(old))
	}
}

func TestForgottenSessionsAreNotReplayed(t *testing.T) {
	for _, test := range []struct {
		do   string // appends; "-a" forgets; "|" opens anew; "~" tidies up
		want string
		why  string
	}{
		{"a:1 b:1 a:2 -a |", "b:1", "Close writes what was forgotten"},
		{"a:1 -a b:1 |", "b:1", "so does the next append"},
		{"a:1 -a a:2 |", "a:2", "a session may begin anew"},
		{"a:1 -z |", "a:1", "an unknown session"},
		{"a:1 | -a | a:2 |", "a:2", "after opening"},
		{"a:1 -a b:1 ~ ~ |", "b:1", "tidying up keeps the rest"},
		{"a:1 b:1 | c:1 -b -a ~ c:2 ~ | c:3", "c:1 c:2 c:3", "and the order"},
		{"a:1 -a ~", "", "nothing is left"},
	} {
		for _, size := range []int64{1, 60, 1000} { // of a segment: an append each, some, all
			dir := t.TempDir()
			j, _ := reopen(t, dir, Options{SegmentBytes: size})
			for w := range strings.FieldsSeq(test.do) {
				switch {
				case w == "|":
					shut(t, j)
					j, _ = reopen(t, dir, Options{SegmentBytes: size})
				case w == "~":
					if err := j.tidy(); err != nil {
						t.Fatal(err)
					}
				case w[0] == '-':
					if err := j.Forget(w[1:]); err != nil {
						t.Fatal(err)
					}
				default:
					add(t, j, rec(w))
				}
			}
			shut(t, j)
			if _, old := reopen(t, dir, Options{SegmentBytes: size}); text(old) != test.want {
				t.Errorf("%s: %q with segments of %d bytes replays %q, want %q", test.why, test.do, size, text(old), test.want)
			}
		}
	}
}

// TestManyAppendAtOnce has goroutines append, forget and read while the journal tidies up.
func TestManyAppendAtOnce(t *testing.T) {
	dir := t.TempDir()
	o := Options{SegmentBytes: 4 << 10}
	j, _ := reopen(t, dir, o)
	var wg, tidying sync.WaitGroup
	end := make(chan struct{})
	tidying.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			if err := j.tidy(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	const goroutines, sessions, calls = 16, 12, 5
	for g := range goroutines {
		wg.Go(func() {
			for s := range sessions {
				name := fmt.Sprintf("%d.%d", g, s)
				for c := range calls {
					if err := j.Append(t.Context(), Record{name, byte(c), bytes.Repeat([]byte{byte(c)}, 50*c)}); err != nil {
						t.Error(err)
						return
					}
				}
				list, err := j.Read(name)
				if err != nil || len(list) != calls {
					t.Errorf("%s: read %d records, %v", name, len(list), err)
				}
				if s%4 > 0 {
					if err := j.Forget(name); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	close(end)
	tidying.Wait()
	if err := j.tidy(); err != nil {
		t.Fatal(err)
	}
	st := j.Stats()
	const left = goroutines * sessions / 4
	if st.Sessions != left || st.Bytes > 4*st.Live {
		t.Errorf("%+v, want %d sessions, and not much else", st, left)
	}
	shut(t, j)
	j, old := reopen(t, dir, o)
	next := map[string]int{}
	for _, r := range old {
		if int(r.Kind) != next[r.Session] || !bytes.Equal(r.Data, bytes.Repeat([]byte{r.Kind}, 50*int(r.Kind))) {
			t.Fatalf("session %s: record %d comes as number %d", r.Session, r.Kind, next[r.Session])
		}
		next[r.Session]++
	}
	if len(next) != left || len(old) != left*calls {
		t.Errorf("replayed %d records of %d sessions", len(old), len(next))
	}
	names, _ := j.folder.Names()
	if len(names) != j.Stats().Segments+2 { // manifest and lock
		t.Errorf("files %q, and %d segments", names, j.Stats().Segments)
	}
}
