package journal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// openOn opens a journal on a disk, and returns what it replays.
func openOn(d *waltest.Disk, o Options) (j *Journal, list []Record, err error) {
	j, err = open(d, "", o, func(r Record) error { list = append(list, r); return nil })
	return j, list, err
}

// A keeping journal has a record of a session for each word.
type keeping struct{ *Journal }

func (k keeping) Add(word string) error {
	return k.Append(context.Background(), Record{word[:4], word[4], []byte(word[5:])})
}

func TestFaultsOfTheDisk(t *testing.T) {
	for _, o := range []Options{{SegmentBytes: 1}, {SegmentBytes: 10000}, {SegmentBytes: 150, ahead: 60}, {SegmentBytes: 10000, ahead: 400}} {
		waltest.Run(t, func(d *waltest.Disk) (waltest.Keeper, []string, error) {
			j, list, err := openOn(d, o)
			var words []string
			for _, r := range list {
				words = append(words, r.Session+string(r.Kind)+string(r.Data))
			}
			return keeping{j}, words, err
		})
	}
}

// TestFullDisk tells who appends that there is no room.
func TestFullDisk(t *testing.T) {
	d := waltest.New()
	j, _, err := openOn(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d.Err = range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
		d.Fail(waltest.Write, 1)
		if err := j.Append(t.Context(), rec("a:1")); !errors.Is(err, d.Err) || errors.Is(err, ErrFull) != (d.Err != syscall.EIO) {
			t.Errorf("error %v", err)
		}
	}
}

// TestFailuresLeaveNoFiles has every new segment fail at its last step.
func TestFailuresLeaveNoFiles(t *testing.T) {
	d := waltest.New()
	j, _, err := openOn(d, Options{SegmentBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	for _, op := range []string{waltest.Rename, waltest.Names, waltest.Create} {
		d.Fail(op, 10)
		for range 10 {
			if err := j.Append(t.Context(), rec("a:2")); !errors.Is(err, syscall.EIO) {
				t.Fatalf("%s fails: %v", op, err)
			}
		}
		if names, _ := d.Names(); len(names) > 6 {
			t.Errorf("%s fails: files %q", op, names)
		}
		add(t, j, rec("a:3"))
	}
	if got, err := j.Read("a"); err != nil || text(got) != "a:1 a:3 a:3 a:3" {
		t.Errorf("read %q, %v", text(got), err)
	}
}

// TestForgottenOnAFullDisk has Forget wait for room, too.
func TestForgottenOnAFullDisk(t *testing.T) {
	d := waltest.New()
	j, _, err := openOn(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, recs("a:1 b:1")...)
	d.Room(0)
	if err := j.Forget("a"); err != nil {
		t.Fatal(err)
	}
	if err := j.tidy(); !errors.Is(err, ErrFull) {
		t.Errorf("tidying up a full disk: %v", err)
	}
	if err := j.Append(t.Context(), rec("b:2")); !errors.Is(err, ErrFull) {
		t.Errorf("append: %v", err)
	}
	d.Room(-1)
	add(t, j, rec("b:3"))
	shut(t, j)
	if _, got, err := openOn(d, Options{}); err != nil || text(got) != "b:1 b:3" {
		t.Errorf("replays %q, %v", text(got), err)
	}
}

// TestManyShareASync has a hundred goroutines append while the disk is busy: they share the next
// sync. One that leaves before that has added nothing.
func TestManyShareASync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		j, _, err := openOn(d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.Hold = make(chan struct{})
		var wg sync.WaitGroup
		one := func() {
			if err := j.Append(context.Background(), rec("a:1")); err != nil {
				t.Error(err)
			}
		}
		wg.Go(one)
		synctest.Wait()
		for range 100 {
			wg.Go(one)
		}
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			if err := j.Append(ctx, rec("b:1")); !errors.Is(err, context.Canceled) {
				t.Errorf("the append that nobody waited for: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(d.Hold)
		wg.Wait()
		if n := j.Stats().Syncs; n != 2 {
			t.Errorf("%d syncs, want 2", n)
		}
		if got, err := j.Read("b"); len(got) > 0 || err != nil {
			t.Errorf("%d records of who left, %v", len(got), err)
		}
		if got, err := j.Read("a"); len(got) != 101 || err != nil {
			t.Errorf("%d records of who stayed, %v", len(got), err)
		}
	})
}

// TestRunTidiesUp has Run wait for a disk, and remove what was forgotten.
func TestRunTidiesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		j, _, err := openOn(d, Options{SegmentBytes: 100})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			add(t, j, Record{fmt.Sprint(i), 0, make([]byte, 80)})
			if err := j.Forget(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		d.Fail(waltest.Rename, 5)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- j.Run(ctx) }()
		time.Sleep(2 * time.Minute)
		if st := j.Stats(); st.Sessions > 0 || st.Segments > 2 || st.Bytes > 200 {
			t.Errorf("%+v", st)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
