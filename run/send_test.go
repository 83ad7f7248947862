package run_test

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
)

// shop is a sender that takes a number of groups.
type shop struct {
	want  int
	fate  func(id string) rollout.Drop // nil: all are taken
	stuck func() bool                  // groups cannot be sent; nil: they can
	marks bool                         // groups are marked before they are sent

	mu      sync.Mutex
	entered int
	playing int
	got     []string
	over    chan struct{}
}

func (s *shop) Enter(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entered++
	s.playing++
	return nil
}

func (s *shop) Ended(bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.playing--
}

func (s *shop) Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) (fates []rollout.Drop, err error) {
	for s.stuck != nil && s.stuck() {
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(time.Millisecond):
		}
	}
	if s.marks {
		if err := mark(groups[:1]); err != nil {
			return nil, err
		}
		groups = groups[:1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range groups {
		fate := rollout.Drop("")
		if s.fate != nil {
			fate = s.fate(d.ID)
		}
		if fate == "" {
			s.got = append(s.got, d.ID)
			if len(s.got) == s.want {
				close(s.over)
			}
		}
		fates = append(fates, fate)
	}
	return fates, nil
}

func (s *shop) Step() int             { return 7 }
func (s *shop) Over() <-chan struct{} { return s.over }

// selling is the config of a run that sends its groups.
func selling(t testing.TB, q *queue.Queue, s *shop) run.Config {
	c := config(t, q)
	s.over = make(chan struct{})
	c.Trainer.Consumer = run.Send(s)
	return c
}

// A sender gets every group once, and ends the run. A group that it refuses is dropped with
// its reason.
func TestSend(t *testing.T) {
	t.Parallel()
	refused := map[string]bool{}
	s, seen := &shop{want: 40}, &events{}
	s.fate = func(id string) rollout.Drop {
		if len(refused) < 3 {
			refused[id] = true
			return rollout.DropUnsure
		}
		return ""
	}
	c := selling(t, open(t, queue.NewMemory()), s)
	c.Sinks = []run.Sink{seen}
	r, report := finish(t, c)
	if got := slices.Compact(slices.Sorted(slices.Values(s.got))); len(got) != len(s.got) || len(got) < 40 {
		t.Errorf("%d groups were taken, %d of them different", len(s.got), len(got))
	}
	if s.playing != 0 || report.GroupsSent != len(s.got) || report.GroupsDropped[rollout.DropUnsure] != 3 || r.Version() != -1 {
		t.Errorf("%d groups are open, the report is %+v", s.playing, report)
	}
	sent := 0
	for _, e := range of[run.Sent](seen) {
		if sent += len(e.Groups); e.Step != 7 {
			t.Errorf("sent at step %d", e.Step)
		}
	}
	if sent != len(s.got) {
		t.Errorf("%d groups were told as sent, want %d", sent, len(s.got))
	}
}

// While nothing can be sent, groups wait in the queue, and the next process sends them.
func TestGroupsWaitForTheSender(t *testing.T) {
	t.Parallel()
	store, stuck := queue.NewMemory(), &shop{want: 1, stuck: func() bool { return true }}
	q := open(t, store)
	c := selling(t, q, stuck)
	c.Settings.Minutes = 0.2 / 60
	if _, report := finish(t, c); report.GroupsSent != 0 || report.GroupsMade == 0 || len(stuck.got) > 0 {
		t.Fatalf("report %+v", report)
	}
	waiting := q.Stats().Waiting.Groups
	s := &shop{want: waiting}
	if _, report := finish(t, selling(t, open(t, store), s)); report.GroupsSent < waiting || waiting == 0 {
		t.Errorf("%d groups waited, and %d were sent", waiting, report.GroupsSent)
	}
	if got := slices.Compact(slices.Sorted(slices.Values(s.got))); len(got) != len(s.got) {
		t.Errorf("%d groups were sent, %d of them different", len(s.got), len(got))
	}
}

// A group that was marked before the process ended is not sent again.
func TestMarkedGroupsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	store := queue.NewMemory()
	first := &shop{want: 1, marks: true}
	lost := errors.New("the process is killed")
	var marked []string
	broken := &breaking{shop: first, then: func(groups []queue.Delivery) error {
		marked = append(marked, groups[0].ID)
		return lost
	}}
	c := selling(t, open(t, store), first)
	c.Trainer.Consumer = run.Send(broken)
	r := begin(t, c)
	if err := r.Run(t.Context()); !errors.Is(err, lost) || len(marked) != 1 {
		t.Fatalf("error %v, marked %q", err, marked)
	}
	s := &shop{want: 5, marks: true}
	finish(t, selling(t, open(t, store), s))
	if slices.Contains(s.got, marked[0]) {
		t.Errorf("%s was sent again", marked[0])
	}
}

// A group with a right checksum and unreadable content is set aside; the others are sent.
func TestUnreadableGroupsAreNotSent(t *testing.T) {
	t.Parallel()
	s := &shop{want: 20}
	q := open(t, lying{queue.NewMemory()})
	c := selling(t, q, s)
	c.Trainer.Consumer = run.Send(&reading{s, groupform.NewCodec(0)})
	finish(t, c)
	if got := slices.Compact(slices.Sorted(slices.Values(s.got))); len(got) != len(s.got) || len(got) < 20 {
		t.Errorf("%d groups were taken, %d of them different", len(s.got), len(got))
	}
	if n := q.Stats().Aside.Groups; n != 1 {
		t.Errorf("%d groups are set aside, want 1", n)
	}
}

// lying is a store that has another body for the third group, with a right checksum.
type lying struct{ *queue.Memory }

func (l lying) Body(ctx context.Context, seq uint64) ([]byte, error) {
	b, err := l.Memory.Body(ctx, seq)
	if seq != 3 || err != nil {
		return b, err
	}
	b = slices.Concat(b[:len(b)/2], []byte("no group"), b[len(b)/2:len(b)-4])
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))), nil
}

// rotten is a store that has lost a bit of each third group.
type rotten struct{ *queue.Memory }

func (r rotten) Body(ctx context.Context, seq uint64) ([]byte, error) {
	b, err := r.Memory.Body(ctx, seq)
	if seq%3 == 0 && err == nil {
		b = slices.Clone(b)
		b[len(b)/2] ^= 1
	}
	return b, err
}

// Damaged groups are set aside, and the run goes on without them: they take no place at its gate.
func TestDamagedGroupsEndNoRun(t *testing.T) {
	t.Parallel()
	q := open(t, rotten{queue.NewMemory()})
	c := config(t, q)
	c.Settings.Steps, c.Settings.MaxLag = 12, 1
	if _, report := finish(t, c); report.Version != 12 || q.Stats().Aside.Groups < 8 {
		t.Errorf("version %d, %d groups are set aside", report.Version, q.Stats().Aside.Groups)
	}
}

// reading is a shop that reads the groups.
type reading struct {
	*shop
	codec *groupform.Codec
}

func (r *reading) Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) ([]rollout.Drop, error) {
	for _, d := range groups {
		if _, err := r.codec.Decode(d.Body); err != nil {
			return nil, err
		}
	}
	return r.shop.Send(ctx, groups, mark)
}

// breaking marks a group, and fails.
type breaking struct {
	*shop
	then func([]queue.Delivery) error
}

func (b *breaking) Send(_ context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) ([]rollout.Drop, error) {
	return nil, errors.Join(mark(groups[:1]), b.then(groups[:1]))
}

// Evaluations are held when due, with their own sampling, and playing pauses meanwhile.
// None is held before and after.
func TestExamsThatAreDue(t *testing.T) {
	t.Parallel()
	c := selling(t, open(t, queue.NewMemory()), &shop{want: 1 << 30})
	sets, err := exam.NewSets(t.Context(), c.Streams, exam.Settings{Problems: 3, Split: exam.BothSides})
	if err != nil {
		t.Fatal(err)
	}
	due := make(chan struct{}, 1)
	due <- struct{}{}
	held, seen := 0, &events{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c.Trainer.Exams = &run.Exams{Sets: sets, Sampling: quintain.Sampling{MaxTokens: 100}, Due: due, Hold: func() func() {
		held++
		return func() { held++; stop() }
	}}
	c.Sinks = []run.Sink{seen}
	r := begin(t, c)
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	exams := of[run.Examined](seen)
	if len(exams) != 1 || exams[0].When != run.During || len(exams[0].Report.Rows) != 2 || held != 2 {
		t.Errorf("%d evaluations, held %d times: %+v", len(exams), held, exams)
	}
}
