package queue_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// Groups in binary form are stored as they are. If one body is not a group, its whole put is
// refused.
func TestPutEncoded(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), groupform.NewCodec(0)
	q, err := queue.Open(ctx, queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer queuetest.Close(t, q)
	encode := func(g *quintain.Group) []byte {
		b, err := c.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	refuse := errors.New("no")
	for _, test := range []struct {
		why    string
		bodies [][]byte
		check  func(int, *quintain.Group) error
		fresh  []bool
		want   func(error) bool
	}{
		{"two", [][]byte{encode(queuetest.Group(1)), encode(queuetest.Group(2))}, nil, []bool{true, true}, nil},
		{"one of them again", [][]byte{encode(queuetest.Group(3)), encode(queuetest.Group(2))}, nil, []bool{true, false}, nil},
		{"one is not a group", [][]byte{encode(queuetest.Group(4)), []byte("no group at all")}, nil, nil,
			func(err error) bool { return errors.As(err, new(*groupform.FormatError)) }},
		{"one is refused", [][]byte{encode(queuetest.Group(4)), encode(queuetest.Group(5))},
			func(i int, g *quintain.Group) error {
				if g.ID == "g5" && i == 1 {
					return refuse
				}
				return nil
			}, nil, func(err error) bool { return errors.Is(err, refuse) }},
	} {
		fresh, err := q.PutEncoded(ctx, test.bodies, test.check)
		if test.want == nil && err != nil || test.want != nil && !test.want(err) || !slices.Equal(fresh, test.fresh) {
			t.Errorf("%s: fresh %v, error %v", test.why, fresh, err)
		}
	}
	list, err := q.Lease(ctx, queue.Want{Max: 9})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d wait, error %v", len(list), err)
	}
	for i, d := range list {
		if diff := queuetest.Diff(queuetest.Group(i+1), d.Group); diff != "" {
			t.Errorf("group %d: %s", i+1, diff)
		}
	}
}

// A number that is not finite, as others may write it, is refused.
func TestPutEncodedRefusesInvalidGroups(t *testing.T) {
	t.Parallel()
	q, err := queue.Open(t.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer queuetest.Close(t, q)
	g := queuetest.Group(1)
	g.Scores[0] = math.Pi
	body, err := groupform.NewCodec(0).EncodeFast(g)
	if err != nil {
		t.Fatal(err)
	}
	number := func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }
	body = bytes.Replace(body, number(math.Pi), number(math.Inf(1)), 1)
	sum := crc32.Checksum(body[:len(body)-4], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(body[len(body)-4:], sum)
	_, err = q.PutEncoded(t.Context(), [][]byte{body}, nil)
	if field := new(quintain.FieldError); !errors.As(err, &field) || field.Field != "scores[0]" {
		t.Errorf("error %v", err)
	}
	if n := q.Waiting().Groups; n != 0 {
		t.Errorf("%d wait", n)
	}
}

// A gate is a store whose Put waits for an answer, and fails if that is not nil.
type gate struct {
	queue.Store
	asked  chan struct{}
	answer chan error
}

// Put waits for the answer.
func (g gate) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	g.asked <- struct{}{}
	if err := <-g.answer; err != nil {
		return nil, err
	}
	return g.Store.Put(ctx, records)
}

// Of two puts of one ID, the second waits for the outcome of the first, and takes its place if
// that fails.
func TestTwoPutsOfOneID(t *testing.T) {
	for _, test := range []struct {
		why           string
		first         error // of the store, to the first put
		cancel        bool  // the second gives up before
		asked         int   // puts that reach the store
		fresh, second bool  // the result of each put
	}{
		{"the first is kept", nil, false, 1, true, false},
		{"the first fails", queue.ErrNoSpace, false, 2, false, true},
		{"the second gives up", nil, true, 1, true, false},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gate{queue.NewMemory(), make(chan struct{}, 9), make(chan error, 9)}
				q, err := queue.Open(t.Context(), g, queue.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer queuetest.Close(t, q)
				var fresh [2]bool
				var errs [2]error
				ctx, cancel := context.WithCancel(t.Context())
				var both sync.WaitGroup
				both.Go(func() { fresh[0], errs[0] = q.Put(t.Context(), queuetest.Group(1)) })
				synctest.Wait()
				both.Go(func() {
					list, err := q.PutAll(ctx, []*quintain.Group{queuetest.Group(1), queuetest.Group(1)})
					fresh[1], errs[1] = err == nil && list[0], err
				})
				synctest.Wait()
				if n := len(g.asked); n != 1 {
					t.Errorf("the store is asked %d times at once", n)
				}
				if test.cancel {
					cancel()
					synctest.Wait()
				}
				g.answer <- test.first
				g.answer <- nil
				both.Wait()
				cancel()
				if fresh[0] != test.fresh || fresh[1] != test.second || len(g.asked) != test.asked {
					t.Errorf("fresh %v, and the store was asked %d times", fresh, len(g.asked))
				}
				if !errors.Is(errs[0], test.first) || errors.Is(errs[1], context.Canceled) != test.cancel {
					t.Errorf("errors %v", errs)
				}
			})
		})
	}
}
