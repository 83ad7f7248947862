package files_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// folder makes stores in folders.
func folder() queuetest.Place {
	return queuetest.Place{New: func(t testing.TB) func() (queue.Store, error) {
		dir := t.TempDir()
		return func() (queue.Store, error) { return files.Open(dir, files.Options{}) }
	}}
}

func TestFolder(t *testing.T) { queuetest.Run(t, folder()) }

func TestFolderHistories(t *testing.T) { queuetest.Machine(t, folder(), machines) }

func openDir(t testing.TB, dir string, o files.Options) *queue.Queue {
	t.Helper()
	s, err := files.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(context.Background(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	q := openDir(t, dir, files.Options{})
	if _, err := files.Open(dir, files.Options{}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("a folder that is open: error %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(dir, files.Options{}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("a folder that is open, and somebody has deleted its lock: error %v", err)
	}
	queuetest.Close(t, q)
	queuetest.Close(t, openDir(t, dir, files.Options{}))
}

// The lock of a data folder holds for all queues in it.
func TestDataFolderIsLockedAsAWhole(t *testing.T) {
	data, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{data.Join(datadir.Queue), data.Join(filepath.Join(datadir.Runs, "a"))} {
		queuetest.Close(t, openDir(t, dir, files.Options{Locked: true}))
		if _, err := files.Open(dir, files.Options{}); !errors.Is(err, queue.ErrInUse) {
			t.Errorf("opening %s: error %v", dir, err)
		}
		if _, err := files.Check(t.Context(), dir); !errors.Is(err, queue.ErrInUse) {
			t.Errorf("checking %s: error %v", dir, err)
		}
	}
	if err := data.Close(); err != nil {
		t.Fatal(err)
	}
	dir := data.Join(datadir.Queue)
	q := openDir(t, dir, files.Options{})
	if _, err := files.Open(dir, files.Options{Locked: true}); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("opening what another has open: error %v", err)
	}
	if _, err := datadir.Open(data.Path(), "test"); err == nil {
		t.Error("a data folder is opened, and another has one of its queues open")
	}
	queuetest.Close(t, q)
}

// A log whose head is damaged together with the list of files ends the start, and names the remedy.
func TestADamagedHeadNamesTheRemedy(t *testing.T) {
	dir := t.TempDir()
	q := openDir(t, dir, files.Options{})
	queuetest.PutAll(t, q, 2)
	queuetest.Close(t, q)
	for _, name := range []string{"done.log", "manifest"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[9] ^= 4
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := files.Open(dir, files.Options{})
	if err == nil {
		_, err = queue.Open(t.Context(), store, queue.Options{})
	}
	if err == nil || !strings.Contains(err.Error(), "done.log: its first bytes are damaged: put back a copy of the folder") {
		t.Errorf("error %v", err)
	}
}

func TestOpenNamesTheFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(file, files.Options{}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in place of the folder: error %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	q := openDir(t, dir, files.Options{})
	queuetest.PutAll(t, q, 2)
	queuetest.Close(t, q)

	q = openDir(t, dir, files.Options{MinFree: 1 << 60})
	_, err := q.Put(ctx, queuetest.Group(2))
	if !errors.Is(err, queue.ErrNoSpace) || !strings.Contains(err.Error(), dir) {
		t.Errorf("put: error %v", err)
	}
	list, err := q.Lease(ctx, queue.Want{Consumer: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Ack(ctx, "a", list[0].Seq); err != nil {
		t.Errorf("a full disk keeps consumers from acknowledging: %v", err)
	}
	queuetest.Close(t, q)

	q = openDir(t, dir, files.Options{})
	defer queuetest.Close(t, q)
	if fresh, err := q.Put(ctx, queuetest.Group(2)); !fresh || err != nil {
		t.Errorf("put again: fresh %v, error %v", fresh, err)
	}
	if got := queuetest.IDs(q); !slices.Equal(got, []string{"g1", "g2"}) {
		t.Errorf("%v wait", got)
	}
}

// large returns an encoded group of noise, of about the given size.
func large(id string, bytes int) *quintain.Group {
	r := rand.New(rand.NewPCG(1, 2))
	noise := make([]float64, bytes/8)
	tokens := make([]quintain.Token, len(noise))
	for i := range noise {
		noise[i] = r.Float64()
	}
	return &quintain.Group{
		ID: id, Tokens: [][]quintain.Token{tokens}, Masks: [][]int32{make([]int32, len(tokens))},
		Scores: []float64{1}, RefLogProbs: [][]float64{noise},
	}
}

func TestLargeGroups(t *testing.T) {
	ctx := context.Background()
	q := openDir(t, t.TempDir(), files.Options{})
	defer queuetest.Close(t, q)
	g := large("large", largeGroup)
	if _, err := q.PutAll(ctx, []*quintain.Group{g, queuetest.Group(1)}); err != nil {
		t.Fatal(err)
	}
	list, err := q.Lease(ctx, queue.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if d := queuetest.Diff(g, list[0].Group); d != "" {
		t.Error("a large group comes out changed")
	}
	_, err = q.Put(ctx, large("larger", 90<<20))
	if e := new(groupform.TooLargeError); !errors.As(err, &e) || e.Bytes < e.Limit {
		t.Errorf("one too large: error %v", err)
	}
}

// blocks are the files with the groups of a folder, oldest first.
func blocks(t *testing.T, dir string) []string {
	list, err := filepath.Glob(filepath.Join(dir, "*.groups"))
	if err != nil || len(list) == 0 {
		t.Fatalf("files %v, error %v", list, err)
	}
	return list
}

func TestDamagedFiles(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		why    string
		damage func(b []byte) []byte
	}{
		{"bytes have changed", func(b []byte) []byte {
			copy(b[len(b)/2:], make([]byte, 64))
			return b
		}},
		{"the end is torn off", func(b []byte) []byte { return b[:len(b)*3/4] }},
	} {
		dir := t.TempDir()
		q := openDir(t, dir, files.Options{})
		queuetest.PutAll(t, q, 40)
		last, err := q.Lease(ctx, queue.Want{Consumer: "a", Pick: func(w []queue.Entry) []queue.Entry { return w[39:] }})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Ack(ctx, "a", last[0].Seq); err != nil {
			t.Fatal(err)
		}
		queuetest.Close(t, q)
		name := blocks(t, dir)[0]
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, test.damage(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		var before queue.Stats
		for i := range 2 {
			q = openDir(t, dir, files.Options{})
			s := q.Stats()
			t.Logf("%s: %d wait, %d are missing", test.why, s.Waiting.Groups, s.Lost)
			if s.Lost == 0 || s.Waiting.Groups+int(s.Lost) != 39+i {
				t.Errorf("%s: %d wait and %d are missing, of 39", test.why, s.Waiting.Groups, s.Lost)
			}
			if i == 1 && (s.Waiting.Groups != before.Waiting.Groups+1 || s.Lost != before.Lost) {
				t.Errorf("%s: opened again, %+v wait and %d are missing, after %+v and %d", test.why, s.Waiting, s.Lost, before.Waiting, before.Lost)
			}
			before = s
			if i == 0 { // takes a number in the log, if the end is lost
				if fresh, err := q.Put(ctx, queuetest.Group(100)); !fresh || err != nil {
					t.Errorf("%s: put: fresh %v, error %v", test.why, fresh, err)
				}
			}
			if fresh, err := q.Put(ctx, queuetest.Group(39)); fresh || err != nil {
				t.Errorf("%s: an acknowledged group: fresh %v, error %v", test.why, fresh, err)
			}
			queuetest.Close(t, q)
		}
	}
}
