package kept

import (
	"bytes"
	"context"
	chance "crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue"
)

// A dying store stores so many more records, and then fails for ever.
type dying struct {
	*queue.Memory
	left int
}

var errDead = errors.New("dead")

func (d *dying) SetStates(ctx context.Context, list []queue.State) error {
	n := min(d.left, len(list))
	d.left -= n
	if err := d.Memory.SetStates(ctx, list[:n]); err != nil {
		return err
	}
	if n < len(list) {
		return errDead
	}
	return nil
}

// at returns a place in a new folder.
func at(t *testing.T, s Store) Place {
	t.Helper()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return Place{Folder: folder, Store: s, Log: slog.New(slog.DiscardHandler)}
}

// random returns n bytes.
func random(n int) []byte {
	data := make([]byte, n)
	chance.Read(data) // never fails
	return data
}

// read returns a file of a folder; nil: there is none.
func read(t *testing.T, p Place, name string) []byte {
	t.Helper()
	data, err := p.copied(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAnotherFolderHasTheCheckpoint(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, portion - 1, portion, portion + 1, lot + 3*portion} {
		store := queue.NewMemory()
		first := Checkpoint{Place: at(t, store)}
		if _, err := first.Read(); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("a new run: error %v", err)
		}
		data := random(size)
		if err := errors.Join(first.Write(random(size+portion)), first.Settle(), first.Write(random(7)), first.Write(data)); err != nil {
			t.Fatal(err)
		}
		second := Checkpoint{Place: at(t, store)}
		got, err := second.Read()
		if err != nil || !bytes.Equal(got, data) || !bytes.Equal(read(t, second.Place, datadir.Checkpoint), data) || !bytes.Equal(read(t, first.Place, datadir.Checkpoint), data) {
			t.Errorf("%d bytes: got %d, error %v", size, len(got), err)
		}
	}
}

// A process that ends anywhere in a write leaves the last checkpoint.
func TestACheckpointIsWrittenWhole(t *testing.T) {
	t.Parallel()
	memory := queue.NewMemory()
	last := random(3*portion + 5)
	c := Checkpoint{Place: at(t, memory)}
	if err := c.Write(last); err != nil {
		t.Fatal(err)
	}
	for left := range 5 {
		c.Store = &dying{memory, left}
		if err := c.Write(random(3*portion + 7)); !errors.Is(err, errDead) {
			t.Fatalf("error %v", err)
		}
		c = Checkpoint{Place: at(t, memory)}
		got, err := c.Read()
		if err != nil || !bytes.Equal(got, last) {
			t.Errorf("after %d records: %d bytes, error %v", left, len(got), err)
		}
	}
}

// Until a run has opened over the checkpoint of a folder, the store remains without it, and the
// error names the remedy.
func TestAStoreWithoutTheCheckpoint(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	p := at(t, store)
	if err := os.WriteFile(p.Folder.Join(datadir.Checkpoint), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Checkpoint{Place: p}
	data, err := c.Read()
	if err != nil || string(data) != "old" {
		t.Fatalf("read %q, error %v", data, err)
	}
	if err := c.Write([]byte("mine")); err != nil {
		t.Fatal(err)
	}
	if data, err := store.State(t.Context(), headKey); data != nil || err != nil {
		t.Errorf("before the run has opened the store has %s, error %v", data, err)
	}
	refused := errors.New("refused")
	if err := c.Explain(refused); !errors.Is(err, refused) || !strings.Contains(err.Error(), "start this program once with that folder, or copy checkpoint.weights, training.jsonl and examinations.jsonl") {
		t.Errorf("explained as %v", err)
	}
	if err := c.Settle(); err != nil {
		t.Fatal(err)
	}
	if err := c.Explain(refused); err.Error() != "refused" {
		t.Errorf("explained as %v, though the store has the checkpoint", err)
	}
	other := Checkpoint{Place: at(t, store)}
	if data, err := other.Read(); err != nil || string(data) != "mine" {
		t.Errorf("another folder reads %q, error %v", data, err)
	}
}

// A portion that is missing, and a head of another format, are errors that say what to do.
func TestDamagedCheckpoints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		state queue.State
		want  string
	}{
		{queue.State{Key: "checkpoint-1-1"}, "state checkpoint-1-1 is missing: restore both streams"},
		{queue.State{Key: headKey, Value: []byte(`{"format":2}`)}, "use the program that wrote it"},
		{queue.State{Key: headKey, Value: []byte(`{`)}, "state checkpoint"},
	} {
		store := queue.NewMemory()
		c := Checkpoint{Place: at(t, store)}
		if err := errors.Join(c.Write(random(2*portion)), store.SetStates(t.Context(), []queue.State{test.state})); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// Without a store, the files are those of the folder, and nothing is kept twice.
func TestAFolderAlone(t *testing.T) {
	t.Parallel()
	p := at(t, nil)
	c := Checkpoint{Place: p}
	if err := errors.Join(c.Write([]byte("a")), c.Settle()); err != nil {
		t.Fatal(err)
	}
	l, last, err := OpenLog[string](p, "words.jsonl")
	if err != nil || last != nil {
		t.Fatalf("last %v, error %v", last, err)
	}
	if err := errors.Join(l.Add("x"), l.Close()); err != nil {
		t.Fatal(err)
	}
	if data, err := c.Read(); err != nil || string(data) != "a" || string(read(t, p, "words.jsonl")) != "\"x\"\n" {
		t.Errorf("the checkpoint is %q, error %v", data, err)
	}
}

// lines adds words to the log of a place.
func lines(t *testing.T, p Place, words ...string) error {
	t.Helper()
	l, _, err := OpenLog[string](p, "words.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var errs []error
	for _, w := range words {
		errs = append(errs, l.Add(w))
	}
	return errors.Join(append(errs, l.Close())...)
}

// Two folders take turns, and each has all lines once its process has opened the log.
func TestLinesReachTheOtherFolder(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	places := []Place{at(t, store), at(t, store)}
	var want []string
	for turn := range 20 {
		p := places[turn%2]
		var words []string
		for range rand.IntN(5) {
			words = append(words, strings.Repeat("w", rand.IntN(2*block)))
		}
		if turn == 7 {
			words = append(words, strings.Repeat("w", 5<<20))
		}
		if err := lines(t, p, words...); err != nil {
			t.Fatal(err)
		}
		want = append(want, words...)
		got, err := jsonl.ReadLog[string](p.Folder.Join("words.jsonl"))
		if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("turn %d: %d lines, want %d; error %v", turn, len(got), len(want), err)
		}
	}
}

// A process that ends in the middle of a line leaves none of it, and all before it; the next
// lines follow.
func TestATornLineWasNeverKept(t *testing.T) {
	t.Parallel()
	fill := strings.Repeat("f", block-3) // with its quotes and its end: a whole block
	for _, first := range [][]string{nil, {"short"}, {fill}, {fill, "short"}} {
		for left := range 4 {
			store := &dying{queue.NewMemory(), 1 << 20}
			if err := lines(t, at(t, store), first...); err != nil {
				t.Fatal(err)
			}
			store.left = left
			if err := lines(t, at(t, store), strings.Repeat("l", 4*block)); !errors.Is(err, errDead) {
				t.Fatalf("error %v", err)
			}
			store.left = 1 << 20
			before := 0
			for _, w := range first {
				before += len(w) + 3
			}
			want := append(slices.Clone(first), strings.Repeat("e", block-3-before%block)) // to the end of a block
			after, again := at(t, store), at(t, store)
			if err := errors.Join(lines(t, after, want[len(first)]), lines(t, again)); err != nil {
				t.Fatal(err)
			}
			got, err := jsonl.ReadLog[string](again.Folder.Join("words.jsonl"))
			if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%d lines, want %d; error %v", len(got), len(want), err)
			}
		}
	}
}

// The lines of an older program, which are in the folder alone, are stored.
func TestLinesOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	old := at(t, store)
	if err := os.WriteFile(old.Folder.Join("words.jsonl"), []byte("\"a\"\n\"b\"\n\"to"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := at(t, store)
	if err := errors.Join(lines(t, old, "c"), lines(t, next)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []Place{old, next} {
		if got := string(read(t, p, "words.jsonl")); got != "\"a\"\n\"b\"\n\"c\"\n" {
			t.Errorf("the file is %q", got)
		}
	}
}

// A process that ends while it stores the lines of an older program has stored none: the folder
// has them all at the next attempt, and another that comes first begins anew.
func TestLinesOfAnOlderProgramAreStoredWhole(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\"old\"\n", block/2)
	for left := range 3 {
		for _, other := range []bool{false, true} {
			store := &dying{queue.NewMemory(), left}
			old := at(t, store)
			if err := write(old, "words.jsonl", text); err != nil {
				t.Fatal(err)
			}
			if _, _, err := OpenLog[string](old, "words.jsonl"); !errors.Is(err, errDead) {
				t.Fatalf("error %v", err)
			}
			store.left = 1 << 20
			want := text
			if other {
				word := strings.Repeat("n", block-3) // a whole block
				want = "\"" + word + "\"\n"
				if err := lines(t, at(t, store), word); err != nil {
					t.Fatal(err)
				}
			}
			next := at(t, store)
			if err := errors.Join(lines(t, old), lines(t, next)); err != nil {
				t.Fatal(err)
			}
			if a, b := read(t, old, "words.jsonl"), read(t, next, "words.jsonl"); string(a) != want || string(b) != want {
				t.Errorf("after %d records, another first %v: %d and %d bytes, want %d", left, other, len(a), len(b), len(want))
			}
		}
	}
}

// A folder that had another run keeps its files under other names; one that is only behind does
// not.
func TestFilesOfAnotherRunAreKeptAside(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	first := at(t, store)
	c := Checkpoint{Place: first}
	if err := errors.Join(c.Write([]byte("new")), write(first, datadir.Training, "1\n2\n")); err != nil {
		t.Fatal(err)
	}
	if l, _, err := OpenLog[int](first, datadir.Training); err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why, steps string
		aside      bool
	}{
		{"behind", "1\n", false},
		{"torn", "1\n2", false},
		{"of another run", "7\n", true},
		{"without steps", "", true},
	} {
		p := at(t, store)
		if err := errors.Join(write(p, datadir.Checkpoint, "old"), write(p, datadir.Training, test.steps), write(p, datadir.Checkpoint+".1", "oldest")); err != nil {
			t.Fatal(err)
		}
		c := Checkpoint{Place: p}
		data, err := c.Read()
		if err != nil || string(data) != "new" || string(read(t, p, datadir.Checkpoint)) != "new" {
			t.Errorf("%s: read %q, error %v", test.why, data, err)
		}
		l, last, err := OpenLog[int](p, datadir.Training)
		if err != nil || last == nil || *last != 2 || l.Close() != nil {
			t.Fatalf("%s: last %v, error %v", test.why, last, err)
		}
		if got := read(t, p, datadir.Checkpoint+".2"); (string(got) == "old") != test.aside || string(read(t, p, datadir.Checkpoint+".1")) != "oldest" {
			t.Errorf("%s: the other checkpoint is %q", test.why, got)
		}
		if got := read(t, p, datadir.Training+".1"); (string(got) == "7\n") != (test.steps == "7\n") {
			t.Errorf("%s: the other steps are %q", test.why, got)
		}
	}
}

// write writes a file of a folder.
func write(p Place, name, content string) error {
	return os.WriteFile(p.Folder.Join(name), []byte(content), 0o600)
}
