package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// openIn opens the queue of a folder, with small segments.
func openIn(t *testing.T, dir string, p *wal.Pool) *queue.Queue {
	t.Helper()
	s, err := Open(dir, Options{Pool: p, segmentSize: 1500})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// An idle store has no open file, and opens files on use.
func TestIdleStoreHasNoFileOpen(t *testing.T) {
	p := wal.NewPool(wal.DefaultOpen)
	q := openIn(t, t.TempDir(), p)
	defer closeStore(t, q)
	for round := range 3 {
		for p.NumOpen() > 0 { // or the test times out
			<-time.After(time.Millisecond)
		}
		putSmall(t, q, 40*round, 40*round+39)
		consume(t, q, map[string]bool{})
	}
}

// Many stores share few open files; nothing is lost or mixed up.
func TestFewOpenFilesForManyStores(t *testing.T) {
	const most, stores = 8, 24
	p, root := wal.NewPool(most), t.TempDir()
	var wg sync.WaitGroup
	for i := range stores {
		q := openIn(t, filepath.Join(root, fmt.Sprint(i)), p)
		defer closeStore(t, q)
		wg.Go(func() {
			for round := range poolRounds { // files are begun, rewritten, merged and removed
				putSmall(t, q, 20*round, 20*round+19)
				list, err := q.Lease(context.Background(), queue.Want{Consumer: "a", Max: 21})
				if err != nil {
					t.Error(err)
					return
				}
				for k, e := range list {
					if k%7 == 3 {
						continue
					}
					if err := q.Ack(context.Background(), "a", e.Seq); err != nil {
						t.Error(err)
					}
				}
				q.ReleaseAll("a")
			}
		})
	}
	wg.Wait()
	if n := p.NumOpen(); n > most {
		t.Errorf("%d files are open, want %d at most", n, most)
	}
}

// The store notices a file replaced or removed behind its back.
func TestAnotherFileOfTheName(t *testing.T) {
	for why, change := range map[string]func(path string) error{
		"it is gone": os.Remove,
		"it is replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, make([]byte, 5000), 0o600))
		},
	} {
		p, dir := wal.NewPool(0), t.TempDir() // no file stays open
		q := openIn(t, dir, p)
		putSmall(t, q, 0, 0)
		if err := change(filepath.Join(dir, segmentName(1))); err != nil {
			t.Fatal(err)
		}
		if came, aside := takeAll(t, q); came != 0 || aside != 1 {
			t.Errorf("%s: %d came and %d were set aside", why, came, aside)
		}
		if _, err := q.Put(t.Context(), small(1)); err == nil {
			t.Errorf("%s, and a group is put into it", why)
		}
		_ = q.Close() // sealing may fail
	}
}
