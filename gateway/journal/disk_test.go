package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A disk is a folder in memory that fails as disks do: with errors, without space, and at power
// loss with what was synced and any part of the rest. After a failed sync it forgets silently what
// it could not write, as Linux does: a later sync succeeds without those bytes.
type disk struct {
	mu    sync.Mutex
	now   map[string]*inode // as programs see it
	kept  map[string]*inode // as of the last sync
	fails map[string]int    // of an operation, how often it fails; negative: always
	err   error             // how
	most  int               // capacity in bytes; 0: unlimited
	hold  chan struct{}     // not nil: a sync waits for it
}

// An inode is a file, whatever its name.
type inode struct {
	data, kept []byte
	lost       []bool // bytes that no sync makes durable
}

func newDisk() *disk {
	return &disk{now: map[string]*inode{}, kept: map[string]*inode{}, fails: map[string]int{}, err: syscall.EIO}
}

// fault returns the error of a failing operation. d.mu is held.
func (d *disk) fault(op string) error {
	if d.fails[op] == 0 {
		return nil
	}
	d.fails[op]--
	return fmt.Errorf("%s: %w", op, d.err)
}

// fail makes an operation fail n times; negative: always.
func (d *disk) fail(op string, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails[op] = n
}

// room bounds what the disk takes beyond what it has; negative: no bound.
func (d *disk) room(bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.most = 0
	if bytes >= 0 {
		d.most = max(1, d.used()+bytes)
	}
}

func (d *disk) used() (n int) {
	for _, f := range d.now {
		n += len(f.data)
	}
	return n
}

func (d *disk) path(name string) string { return name }

func (d *disk) open(name string) (file, int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.now[name]
	if n == nil {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &handle{d: d, inode: n}, int64(len(n.data)), nil
}

func (d *disk) create(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault("create"); err != nil {
		return nil, err
	}
	if d.now[name] != nil {
		return nil, fs.ErrExist
	}
	n := &inode{}
	d.now[name] = n
	return &handle{d: d, inode: n}, nil
}

func (d *disk) load(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now[name] == nil {
		return nil, fs.ErrNotExist
	}
	return slices.Clone(d.now[name].data), nil
}

// replace fails before it has done anything, or, as "replaced", after it has.
func (d *disk) replace(name string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault("replace"); err != nil {
		return err
	}
	if d.most > 0 && d.used()+len(data) > d.most {
		return syscall.ENOSPC
	}
	d.now[name] = &inode{data: slices.Clone(data), kept: slices.Clone(data), lost: make([]bool, len(data))}
	if err := d.fault("replaced"); err != nil {
		return err
	}
	d.kept = maps.Clone(d.now)
	return nil
}

func (d *disk) names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.now)), nil
}

func (d *disk) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault("remove"); err != nil {
		return err
	}
	delete(d.now, name)
	return nil
}

func (d *disk) sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault("names"); err != nil {
		return err
	}
	d.kept = maps.Clone(d.now)
	return nil
}

// crash ends the process, and with cut the power as well: then each name made, replaced or removed
// since the last sync, and each part of a file, is in its old or its new state.
func (d *disk) crash(t *rapid.T, cut bool) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after := newDisk()
	names := slices.Sorted(maps.Keys(d.now))
	for name := range d.kept {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		n := d.now[name]
		if cut && d.kept[name] != n && rapid.Bool().Draw(t, "the folder forgets") {
			n = d.kept[name]
		}
		if n != nil {
			after.now[name] = n.crash(t, cut)
		}
	}
	after.kept = maps.Clone(after.now)
	return after
}

// part is how many bytes of a file a disk keeps or loses together.
const part = 32

func (n *inode) crash(t *rapid.T, cut bool) *inode {
	size := len(n.data)
	if cut && size != len(n.kept) {
		size = rapid.IntRange(min(size, len(n.kept)), max(size, len(n.kept))).Draw(t, "size")
	}
	data := make([]byte, size)
	for at := 0; at < size; at += part {
		from := n.data
		if cut && string(n.data) != string(n.kept) && rapid.Bool().Draw(t, "forgets") {
			from = n.kept
		}
		if at < len(from) {
			copy(data[at:min(size, at+part)], from[at:])
		}
	}
	for i, lost := range n.lost {
		if cut && lost && i < size {
			data[i] = 0
		}
	}
	return &inode{data: data, kept: slices.Clone(data), lost: make([]bool, size)}
}

// A handle is an open file.
type handle struct {
	d *disk
	*inode
	closed bool
}

func (h *handle) ReadAt(b []byte, at int64) (n int, err error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		return 0, os.ErrClosed
	}
	if err := h.d.fault("read"); err != nil {
		return 0, err
	}
	if at < int64(len(h.data)) {
		n = copy(b, h.data[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes half if it fails, and what fits on a full disk.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		return 0, os.ErrClosed
	}
	err := h.d.fault("write")
	if err != nil {
		b = b[:len(b)/2]
	}
	if need := int(at) + len(b) - len(h.data); h.d.most > 0 && h.d.used()+need > h.d.most {
		b, err = b[:max(0, len(b)-(h.d.used()+need-h.d.most))], syscall.ENOSPC
	}
	if need := int(at) + len(b) - len(h.data); need > 0 {
		h.data = append(h.data, make([]byte, need)...)
		h.lost = append(h.lost, make([]bool, need)...)
	}
	clear(h.lost[at : int(at)+len(b)])
	return copy(h.data[at:], b), err
}

func (h *handle) Truncate(size int64) error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.fault("truncate"); err != nil {
		return err
	}
	h.data, h.lost = h.data[:size], h.lost[:size]
	return nil
}

func (h *handle) Sync() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if hold := h.d.hold; hold != nil {
		h.d.mu.Unlock()
		<-hold
		h.d.mu.Lock()
	}
	err := h.d.fault("sync")
	kept := make([]byte, len(h.data))
	for i := range h.data {
		known := i < len(h.kept)
		if err != nil && (!known || h.data[i] != h.kept[i]) {
			h.lost[i] = true
		}
		if !h.lost[i] {
			kept[i] = h.data[i]
		} else if known {
			kept[i] = h.kept[i]
		}
	}
	if err == nil {
		h.kept = kept
	}
	return err
}

func (h *handle) SyncData() error { return h.Sync() }

func (h *handle) Close() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		return os.ErrClosed
	}
	h.closed = true
	return nil
}

// openOn opens a journal on a disk, and returns what it replays.
func openOn(d *disk, o Options) (j *Journal, list []Record, err error) {
	j, err = open(d, o, func(r Record) error { list = append(list, r); return nil })
	return j, list, err
}

// TestFaultsOfTheDisk holds the journal to its promise: after an error it goes on once the disk
// does, and what it confirmed is there after a power cut, what it did not is not.
func TestFaultsOfTheDisk(t *testing.T) {
	for _, test := range []struct {
		ops   string // which fail
		err   error
		again int // how often
		why   string
	}{
		{"write", syscall.ENOSPC, 1, "a full disk"},
		{"write", syscall.EDQUOT, 3, "the user's part is full"},
		{"write", syscall.EIO, 1, "half is written"},
		{"sync", syscall.EIO, 1, "the next sync would succeed without the bytes"},
		{"sync", syscall.EIO, 3, "nor can a segment begin"},
		{"sync truncate", syscall.EIO, 1, "nor can what was written be taken back"},
		{"write truncate", syscall.ENOSPC, 1, "a torn write stays"},
		{"sync create", syscall.EIO, 1, "no new segment"},
		{"sync names", syscall.EIO, 1, "its name is not durable"},
		{"sync replace", syscall.EIO, 1, "the manifest is the old one"},
		{"sync replaced", syscall.EIO, 1, "the manifest is the new one, perhaps"},
		{"write truncate replaced", syscall.ENOSPC, 1, "the same on a full disk"},
	} {
		for _, o := range []Options{{SegmentBytes: 1}, {SegmentBytes: 10000}, {SegmentBytes: 10000, ahead: 400}} {
			size, d := o.SegmentBytes, newDisk()
			j, _, err := openOn(d, o)
			if err != nil {
				t.Fatal(err)
			}
			add(t, j, rec("a:1"))
			add(t, j, rec("a:2"))
			d.err = test.err
			for op := range strings.FieldsSeq(test.ops) {
				d.fail(op, test.again)
			}
			ok, failed := "a:1 a:2", 0
			for i := 3; i < 12; i++ {
				r := rec(fmt.Sprintf("a:%d", i))
				if err := j.Append(t.Context(), r); err == nil {
					ok += " " + text([]Record{r})
				} else if failed++; !errors.Is(err, test.err) || errors.Is(err, ErrFull) != (test.err != syscall.EIO) {
					t.Errorf("%s: error %v", test.why, err)
				}
			}
			if failed == 0 || failed > 4 {
				t.Errorf("%s: %d appends failed", test.why, failed)
			}
			if st := j.Stats(); size > 1 && (st.Segments > 1) != strings.ContainsAny(test.ops, " s") {
				t.Errorf("%s: %d segments; a file takes nothing after a failed sync, or if a failed write stays", test.why, st.Segments)
			}
			if got, err := j.Read("a"); err != nil || text(got) != ok {
				t.Errorf("%s: read %q, %v, want %q", test.why, text(got), err, ok)
			}
			rapid.Check(t, func(rt *rapid.T) {
				j, got, err := openOn(d.crash(rt, true), Options{})
				if err != nil || text(got) != ok {
					rt.Fatalf("%s: segments of %d bytes: after a power cut %q, %v, want %q", test.why, size, text(got), err, ok)
				}
				shut(t, j)
			})
		}
	}
}

// TestSyncFailedInAnEarlierLife ends the process after a failed sync, on a disk that could not cut
// the bytes off: the system has them in memory only. What the next process replays it makes durable.
func TestSyncFailedInAnEarlierLife(t *testing.T) {
	for _, kill := range []bool{false, true} {
		rapid.Check(t, func(rt *rapid.T) {
			d := newDisk()
			j, _, err := openOn(d, Options{ahead: rapid.SampledFrom([]int64{0, 400}).Draw(rt, "ahead")})
			if err != nil {
				rt.Fatal(err)
			}
			add(t, j, rec("a:1"))
			d.fail("sync", 2)
			d.fail("truncate", 1)
			if !kill { // Close tries again
				d.fail("truncate", 2)
			}
			for range 2 {
				if err := j.Append(t.Context(), rec("a:2")); !errors.Is(err, syscall.EIO) {
					rt.Fatal(err)
				}
			}
			if !kill {
				shut(t, j)
			}
			if j, _, err = openOn(d, Options{}); err != nil {
				rt.Fatal(err)
			}
			add(t, j, rec("a:3"))
			if _, got, err := openOn(d.crash(rt, true), Options{}); err != nil || text(got) != "a:1 a:2 a:3" {
				rt.Fatalf("after a kill (%v) and a power cut: replays %q, %v", kill, text(got), err)
			}
		})
	}
}

// TestFailuresLeaveNoFiles has every new segment fail at its last step.
func TestFailuresLeaveNoFiles(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{SegmentBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, rec("a:1"))
	for _, op := range []string{"replace", "replaced", "names", "create"} {
		d.fail(op, 10)
		for range 10 {
			if err := j.Append(t.Context(), rec("a:2")); !errors.Is(err, syscall.EIO) {
				t.Fatalf("%s fails: %v", op, err)
			}
		}
		if names, _ := d.names(); len(names) > 6 {
			t.Errorf("%s fails: files %q", op, names)
		}
		add(t, j, rec("a:3"))
	}
	if got, err := j.Read("a"); err != nil || text(got) != "a:1 a:3 a:3 a:3 a:3" {
		t.Errorf("read %q, %v", text(got), err)
	}
}

// TestFullDisk fills a disk, and makes room again at each size that it can have.
func TestFullDisk(t *testing.T) {
	for room := range 300 {
		d := newDisk()
		j, _, err := openOn(d, Options{SegmentBytes: 100, ahead: int64(room % 2 * 60)})
		if err != nil {
			t.Fatal(err)
		}
		var ok []Record
		d.room(room / 2)
		for i := range 20 {
			if i == 10 {
				d.room(-1)
			}
			r := Record{"a", byte('0' + i), []byte("data")}
			err := j.Append(t.Context(), r)
			if err == nil {
				ok = append(ok, r)
			} else if !errors.Is(err, ErrFull) || i >= 10 {
				t.Errorf("room for %d bytes, append %d: %v", room, i, err)
			}
		}
		shut(t, j)
		_, got, err := openOn(d, Options{})
		if err != nil || text(got) != text(ok) {
			t.Errorf("room for %d bytes: replays %q, %v, want %q", room, text(got), err, text(ok))
		}
	}
}

// TestForgottenOnAFullDisk has Forget wait for room, too.
func TestForgottenOnAFullDisk(t *testing.T) {
	d := newDisk()
	j, _, err := openOn(d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	add(t, j, recs("a:1 b:1")...)
	d.room(0)
	if err := j.Forget("a"); err != nil {
		t.Fatal(err)
	}
	if err := j.tidy(); !errors.Is(err, ErrFull) {
		t.Errorf("tidying up a full disk: %v", err)
	}
	if err := j.Append(t.Context(), rec("b:2")); !errors.Is(err, ErrFull) {
		t.Errorf("append: %v", err)
	}
	d.room(-1)
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
		d := newDisk()
		j, _, err := openOn(d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		d.hold = make(chan struct{})
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
		close(d.hold)
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
		d := newDisk()
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
		d.fail("replace", 5)
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
