package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
	"github.com/quintain-rl/quintain/queue"
)

// A ruin is a store at rest, about to be damaged.
type ruin struct {
	files   map[string][]byte
	waiting map[string]bool // IDs
	acked   map[string]bool
	state   string
}

// An end is how a store came to rest.
type end int

const (
	closed    end = iota
	rewritten     // closed after its log was rewritten
	killed        // before sealing
)

// rest puts groups in pairs, acknowledges some in threes, and returns the content of the
// disk after the queue's end.
func rest(t *testing.T, how end) ruin {
	t.Helper()
	d := waltest.New()
	q, s := openOn(t, d)
	r := ruin{make(map[string][]byte), make(map[string]bool), make(map[string]bool), "the state"}
	for i := 0; i < 40; i += 2 {
		if _, err := q.PutAll(t.Context(), []*quintain.Group{small(i), small(i + 1)}); err != nil {
			t.Fatal(err)
		}
		r.waiting[small(i).ID], r.waiting[small(i+1).ID] = true, true
	}
	for _, value := range []string{"an older state", r.state} {
		if err := q.SetState(t.Context(), "x", []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a", Pick: func(w []queue.Entry) []queue.Entry {
			return []queue.Entry{w[1], w[2], w[len(w)-1]}
		}})
		if err != nil {
			t.Fatal(err)
		}
		var seqs []uint64
		for _, e := range list {
			seqs, r.acked[e.ID] = append(seqs, e.Seq), true
			delete(r.waiting, e.ID)
		}
		if err := q.Ack(t.Context(), "a", seqs...); err != nil {
			t.Fatal(err)
		}
	}
	if how == rewritten {
		var all [][]byte
		if err := s.Replay(t.Context(), func(b []byte) error { all = append(all, b); return nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Rewrite(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	if how != killed {
		closeStore(t, q)
	}
	for name, n := range d.Files {
		r.files[name] = bytes.Clone(n.Data)
	}
	if how == killed {
		closeStore(t, q)
	}
	return r
}

// A toll is the cost of a damage.
type toll struct {
	refused           error
	lost, again, told int // groups; groups that were acknowledged; what the store and the queue have reported
	back              bool
	cuts              uint64
	kept              []string
}

// enter opens the remains of a store, and takes everything out.
func (r ruin) enter(t *testing.T, files map[string][]byte) (o toll) {
	t.Helper()
	d := waltest.New()
	for name, data := range files {
		d.Put(name, data)
	}
	s, err := openFolder(d, Options{segmentSize: 1500})
	if err != nil {
		return toll{refused: err}
	}
	q, err := queue.Open(context.Background(), s, queue.Options{})
	if err != nil {
		return toll{refused: err}
	}
	got := make(map[string]bool)
	for {
		list, err := q.Lease(context.Background(), queue.Want{Consumer: "a"})
		if errors.As(err, new(*queue.CorruptError)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		if got[list[0].ID] {
			t.Fatalf("%s comes twice", list[0].ID)
		}
		got[list[0].ID] = true
	}
	for id := range r.waiting {
		if !got[id] {
			o.lost++
		}
	}
	for id := range r.acked {
		if got[id] {
			o.again++
		}
	}
	state, err := q.State(context.Background(), "x")
	if err != nil {
		t.Fatal(err)
	}
	c, st := s.Condition(), q.Stats()
	o.back, o.cuts, o.told = string(state) != r.state, c.Cut, int(c.Damaged+c.Cut+st.Lost+st.Corrupt)
	for name := range d.Files {
		if strings.HasSuffix(name, keptEnd) {
			o.kept = append(o.kept, name)
		}
	}
	if _, err := q.Put(context.Background(), small(1000)); err != nil {
		t.Fatalf("a put afterwards: %v", err)
	}
	closeStore(t, q)
	return o
}

// Damage to one file of a store at rest does no silent harm, cuts nothing off, and costs only
// the damaged part.
func TestDamageAtRest(t *testing.T) {
	t.Parallel()
	for _, how := range []end{closed, rewritten, killed} {
		r := rest(t, how)
		if o := r.enter(t, r.files); o.lost+o.again+o.told > 0 || o.back || o.refused != nil {
			t.Fatalf("undamaged: %+v", o)
		}
		for _, damage := range damages() {
			for _, name := range slices.Sorted(maps.Keys(r.files)) {
				for at := 0; at < len(r.files[name]); at += damage.step * strides {
					files := maps.Clone(r.files)
					b := damage.do(bytes.Clone(files[name]), at)
					if files[name] = b; b == nil {
						delete(files, name)
					}
					what := fmt.Sprintf("%s at %d of %d of %s", damage.why, at, len(r.files[name]), name)
					o := r.enter(t, files)
					if o.refused != nil {
						if !damage.refused(name, at) {
							t.Fatalf("%s: refused: %v", what, o.refused)
						}
						continue
					}
					if o.told == 0 && (o.lost > 0 || o.again > 0 || o.back) {
						t.Fatalf("%s: not a word, but %+v", what, o)
					}
					if o.cuts > 0 && !damage.appends {
						t.Fatalf("%s: something was cut off", what)
					}
					if most := damage.most; most > 0 && (o.lost > most || o.again > 3*most) {
						t.Fatalf("%s: %d are lost, %d come again", what, o.lost, o.again)
					}
				}
			}
		}
	}
}

// A harm is a way to damage a file.
type harm struct {
	why     string
	step    int
	do      func(b []byte, at int) []byte // nil: removes the file
	most    int                           // most lost groups, or log frames; 0: any
	appends bool
	refused func(name string, at int) bool // whether the store may refuse to open
}

func damages() []harm {
	never := func(string, int) bool { return false }
	whole := func(b []byte) int { return max(1, len(b)) }
	return []harm{
		{"a bit is another", 3, func(b []byte, at int) []byte { b[at] ^= 1; return b }, 2, false, never},
		{"a high bit is another", 5, func(b []byte, at int) []byte { b[at] ^= 64; return b }, 2, false, func(name string, at int) bool {
			return at == 5 && name != manifestName // looks like a newer format
		}},
		{"64 bytes are zeros", 32, func(b []byte, at int) []byte { clear(b[at:min(len(b), at+64)]); return b }, 4, false, never},
		{"the end is gone", 37, func(b []byte, at int) []byte { return b[:at] }, 0, false, never},
		{"the file is gone", 1 << 30, func([]byte, int) []byte { return nil }, 0, false, func(name string, _ int) bool {
			return name == doneName || name == statesName
		}},
		{"its first half is there twice", 1 << 30, func(b []byte, _ int) []byte { return append(b, b[:whole(b)/2]...) }, 1, true, never},
		{"its last half is there twice", 1 << 30, func(b []byte, _ int) []byte { return append(b, b[whole(b)/2:]...) }, 1, true, never},
		{"zeros follow it", 1 << 30, func(b []byte, _ int) []byte { return append(b, make([]byte, 5000)...) }, 1, true, never},
	}
}

// A file cut between two frames looks whole. The store notices, even if the process was killed
// before it sealed the store.
func TestFileThatEndsBetweenFrames(t *testing.T) {
	r := rest(t, killed)
	for _, name := range []string{segmentName(1), segmentName(2), doneName, statesName} {
		b := r.files[name]
		h, err := wal.ReadHead(bytes.NewReader(b), kindOf(name))
		if err != nil {
			t.Fatal(err)
		}
		v, err := wal.Source{ReaderAt: bytes.NewReader(b), Size: int64(len(b)), Salt: h.Salt, Sealed: int64(len(b))}.Scan(0)
		if err != nil || len(v.Frames) < 2 {
			t.Fatalf("%s: %d frames, error %v", name, len(v.Frames), err)
		}
		for _, f := range v.Frames {
			files := maps.Clone(r.files)
			files[name] = b[:f.At]
			if o := r.enter(t, files); o.told == 0 {
				t.Errorf("%s ends at %d of %d, and not a word: %+v", name, f.At, len(b), o)
			}
		}
	}
}

// Damaged bytes are saved beside, once.
func TestDamagedBytesAreKept(t *testing.T) {
	r := rest(t, closed)
	name := segmentName(1)
	r.files[name][wal.HeadLen+10] ^= 1
	o := r.enter(t, r.files)
	if want := fmt.Sprintf("%s.%d%s", name, wal.HeadLen, keptEnd); !slices.Equal(o.kept, []string{want}) {
		t.Errorf("kept %v, want %s", o.kept, want)
	}
}

// A segment put back after it was missed is ignored.
func TestPutBack(t *testing.T) {
	r := rest(t, closed)
	d := waltest.New()
	for name, data := range r.files {
		d.Put(name, data)
	}
	for _, name := range []string{segmentName(2), segmentName(len(r.files) - 4)} { // a middle one, and the newest
		gone := d.Files[name]
		if gone == nil {
			t.Fatalf("there is no %s among %v", name, slices.Sorted(maps.Keys(r.files)))
		}
		delete(d.Files, name)
		q, _ := openOn(t, d)
		if q.Stats().Lost == 0 {
			t.Errorf("%s is missing, and nothing counts as lost", name)
		}
		closeStore(t, q)
		d.Files[name] = gone
		before := bytes.Clone(gone.Data)
		q, _ = openOn(t, d)
		putSmall(t, q, 1000+len(name), 1000+len(name))
		closeStore(t, q)
		if now := d.Files[name]; now == nil || !bytes.Equal(now.Data, before) {
			t.Errorf("%s was put back, and is changed or gone", name)
		}
		delete(d.Files, name)
		q, _ = openOn(t, d)
		consume(t, q, map[string]bool{})
		putSmall(t, q, 2000, 2039)
		closeStore(t, q)
		if name == segmentName(2) {
			r2 := rest(t, closed)
			clear(d.Files)
			for name, data := range r2.files {
				d.Put(name, data)
			}
		}
	}
}

// Idle stores are sealed, so damage to a finished write is not taken for a write torn by a
// crash.
func TestIdleStoreIsSealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := waltest.New()
		q, s := openOn(t, d)
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() { s.catalog.tend(stop); close(done) }()
		putSmall(t, q, 0, 2)
		time.Sleep(2 * idleTime)
		synctest.Wait()
		sealed, err := readManifest(d)
		if err != nil {
			t.Fatal(err)
		}
		for name, l := range sealed.files {
			if n := len(d.Files[name].Data); int64(n) != l.sealed {
				t.Errorf("%s: %d bytes are sealed of %d", name, l.sealed, n)
			}
		}
		name := segmentName(1)
		d.Files[name].Data[len(d.Files[name].Data)-1] ^= 1 // kills the process and flips a bit of the last frame
		close(stop)
		<-done
		s.stop = nil
		q2, s2 := openOn(t, d)
		if c := s2.Condition(); c.Cut != 0 || c.Damaged != 1 {
			t.Errorf("%d were cut off, %d are damaged, want none and one", c.Cut, c.Damaged)
		}
		if came, aside := takeAll(t, q2); came != 2 || aside != 1 {
			t.Errorf("%d came, %d were set aside, want 2 and 1", came, aside)
		}
		closeStore(t, q2)
		closeStore(t, q)
	})
}

// A store without its manifest is not taken for a new one, and opens.
func TestManifest(t *testing.T) {
	m := manifest{store: 7, last: 9, files: map[string]listed{"00000001.groups": {1, 2, 3}, doneName: {4, 0, 6}}}
	back, err := decodeManifest(m.encode())
	if err != nil || back.store != 7 || back.last != 9 || !maps.Equal(back.files, m.files) {
		t.Errorf("%+v, error %v", back, err)
	}
	for i := range m.encode() {
		b := m.encode()
		b[i] ^= 1
		if _, err := decodeManifest(b); err == nil {
			t.Fatalf("byte %d is another, and nobody notices", i)
		}
	}
	other := waltest.New()
	q, _ := openOn(t, other)
	closeStore(t, q)
	r := rest(t, closed)
	r.files[doneName] = other.Files[doneName].Data
	if o := r.enter(t, r.files); !errors.Is(o.refused, errForeign) {
		t.Errorf("a file of another store: error %v", o.refused)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(manifest{store: 7, last: 9, files: map[string]listed{doneName: {4, 0, 6}}}.encode())
	f.Add([]byte(manifestTitle + "\nstore 1 last 2 files 0\nsum 00000000\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := decodeManifest(b); err == nil && !bytes.Equal(m.encode(), b) {
			t.Errorf("%q is read as %q", b, m.encode())
		}
	})
}
