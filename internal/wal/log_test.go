package wal_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// A logged is the simplest user: one log of words, mended after each error.
type logged struct{ *wal.Log }

func (l logged) Add(word string) error {
	if err := l.Mend(); err != nil {
		return err
	}
	return l.Append([]wal.Frame{wal.NewFrame([]byte(word[:4]), []byte(word[4:]))})
}

func (l logged) Close() error { return l.File.Close() }

// openLogged opens the log of a disk, in which ahead bytes of zeros are written ahead.
func openLogged(d *waltest.Disk, ahead int64) (l logged, words []string, err error) {
	names, _ := d.Names()
	f, err := d.Open("log")
	if err != nil {
		return l, nil, err
	}
	if len(names) == 0 {
		l.Log, err = wal.Create(f, wal.Head{Kind: 'w', Salt: 7}, func(func(wal.Frame) bool) {})
		err = errors.Join(err, d.Sync())
	} else {
		l.Log, words, err = resume(f)
	}
	if err == nil {
		l.Prepare(ahead, 1<<20)
	}
	return l, words, err
}

// resume opens a log that is there.
func resume(f wal.File) (*wal.Log, []string, error) {
	h, err := wal.ReadHead(f, 'w')
	if err != nil {
		return nil, nil, err
	}
	size, err := f.Size()
	if err != nil {
		return nil, nil, err
	}
	s := wal.Source{ReaderAt: f, Size: size, Salt: h.Salt, Sealed: wal.HeadLen}
	v, err := s.Scan(0)
	if err != nil || len(v.Gaps) > 0 {
		return nil, nil, fmt.Errorf("gaps %v, error %w", v.Gaps, err)
	}
	var words []string
	for _, found := range v.Frames {
		head, payload, err := s.Read(found.At, found.End()-found.At)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, string(head)+string(payload))
	}
	if err := f.Truncate(v.End); err != nil {
		return nil, nil, err
	}
	return wal.Resume(f, h, v.End), words, s.Harden(v, f)
}

func TestLog(t *testing.T) {
	for _, ahead := range []int64{0, 1000} {
		waltest.Run(t, func(d *waltest.Disk) (waltest.Keeper, []string, error) { return openLogged(d, ahead) })
	}
}

// Appends fill zeros written ahead, and do not change the size of the file.
func TestPrepare(t *testing.T) {
	d := waltest.New()
	l, _, err := openLogged(d, 1000)
	if err != nil {
		t.Fatal(err)
	}
	size := func() int64 { return int64(len(d.Files["log"].Data)) }
	add := func(n int) {
		t.Helper()
		if err := l.Append([]wal.Frame{wal.NewFrame(nil, make([]byte, n))}); err != nil {
			t.Fatal(err)
		}
		if l.Taken() != size() {
			t.Errorf("%d bytes are told of %d", l.Taken(), size())
		}
	}
	is := func(why string, zeros int64) {
		t.Helper()
		if n := size() - l.Size(); n != zeros {
			t.Errorf("%s: %d zeros, want %d", why, n, zeros)
		}
	}
	add(10)
	is("the first", 1000)
	before := size()
	for l.Size() < before-46 {
		add(10)
	}
	if size() != before {
		t.Errorf("the file grew from %d to %d bytes", before, size())
	}
	add(10)
	is("none are left", 1000)
	d.Fail(waltest.Write, 1)
	if err := l.Append([]wal.Frame{wal.NewFrame(nil)}); err == nil {
		t.Error("no error")
	}
	is("after a failed write", 0)
	add(2000)
	is("a large one", 0)
	d.Room(500)
	add(10)
	is("no room", 0)
	d.Room(-1)
	add(10)
	is("it does not try again", 0)
	l.Prepare(1000, l.Size()+200)
	add(10)
	is("as far as the log may grow", 200-46)
	if err := l.Cut(); err != nil {
		t.Error(err)
	}
	is("cut off", 0)
}
