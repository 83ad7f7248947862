package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// shares deal out the problems of streams to environments in blocks, no problem twice. Many
// goroutines may use them at once.
type shares struct {
	queue *queue.Queue

	mu      sync.Mutex // guards the rest; the queue is called under it
	streams map[string]stream
}

// A Block is consecutive problems of a stream: the indices from From to before To.
type Block struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// A Want asks for a block of a stream.
type Want struct {
	Stream string `json:"stream"`
	Least  int64  `json:"least"` // the block begins there or later
	Count  int64  `json:"count"` // of problems
}

// A stream is how far a stream is dealt out. It is immutable.
type stream struct {
	Version int      `json:"version"`
	Name    string   `json:"stream"`
	Next    int64    `json:"next"` // no index from here on was given
	Last    []recent `json:"last"` // the last block of each of the last instances, oldest first
}

// A recent is the last block of an instance.
type recent struct {
	Instance string `json:"instance"`
	Block
}

const (
	streamVersion = 1
	streamPrefix  = "hub-share-"
	mostRecent    = 64      // blocks that may be given again
	mostStreams   = 100_000 // of a run
)

// ErrStreams says that no more streams are dealt out.
var ErrStreams = errors.New("no more streams are dealt out")

// openShares returns the shares stored in q.
func openShares(ctx context.Context, q *queue.Queue) (*shares, error) {
	s := &shares{queue: q, streams: make(map[string]stream)}
	list, err := q.States(ctx, streamPrefix)
	if err != nil {
		return nil, err
	}
	for _, state := range list {
		var one stream
		if err := state.Record(streamVersion, &one); err != nil {
			return nil, err
		}
		s.streams[one.Name] = one
	}
	return s, nil
}

// streamKey is the key of a stream's record.
func streamKey(name string) string {
	return fmt.Sprintf("%s%.16x", streamPrefix, sha256.Sum256([]byte(name)))
}

// deal returns a block for each of wants, durably: an instance that has lost the reply, and
// asks from the same places again, gets the same blocks. The error may be [ErrStreams].
func (s *shares) deal(ctx context.Context, instance string, wants []Want) ([]Block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := make(map[string]stream)
	blocks := make([]Block, len(wants))
	for i, w := range wants {
		one, ok := changed[w.Stream]
		if !ok {
			one = s.streams[w.Stream]
		}
		if again, ok := one.given(instance, w.Least); ok {
			blocks[i] = again
			continue
		}
		one, blocks[i] = one.give(instance, w)
		changed[w.Stream] = one
	}
	records := make([]queue.State, 0, len(changed))
	fresh := 0
	for name, one := range changed {
		if _, known := s.streams[name]; !known {
			fresh++
		}
		record, err := queue.NewRecord(streamKey(name), one)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	if len(s.streams)+fresh > mostStreams {
		return nil, fmt.Errorf("%w: there are %d", ErrStreams, len(s.streams))
	}
	if err := s.queue.SetStates(ctx, records); err != nil {
		return nil, err
	}
	maps.Copy(s.streams, changed)
	return blocks, nil
}

// given returns the last block of an instance, unless it begins before least: then the
// instance has it.
func (s stream) given(instance string, least int64) (b Block, ok bool) {
	at := slices.IndexFunc(s.Last, func(r recent) bool { return r.Instance == instance })
	if at < 0 || s.Last[at].From < least {
		return b, false
	}
	return s.Last[at].Block, true
}

// give returns the stream after it gave another block.
func (s stream) give(instance string, w Want) (after stream, b Block) {
	b.From = max(s.Next, w.Least)
	b.To = b.From + w.Count
	last := slices.DeleteFunc(slices.Clone(s.Last), func(r recent) bool { return r.Instance == instance })
	last = append(last[max(0, len(last)+1-mostRecent):], recent{instance, b})
	return stream{streamVersion, w.Stream, b.To, last}, b
}

// reset forgets all shares.
func (s *shares) reset(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]queue.State, 0, len(s.streams))
	for name := range s.streams {
		list = append(list, queue.State{Key: streamKey(name)})
	}
	if err := s.queue.SetStates(ctx, list); err != nil {
		return err
	}
	clear(s.streams)
	return nil
}

// Deal deals out problems to an environment: a block for each of wants, of problems that no
// other environment gets. The blocks are durable when it returns: an environment of the same
// instance that asks from the same places again, since it has lost the reply, gets the same.
// The error may be [ErrStreams], or that of ErrNoEnv.
func (g *Registry) Deal(ctx context.Context, id int32, wants []Want) ([]Block, error) {
	e := g.Env(id)
	if e == nil {
		return nil, ErrNoEnv()
	}
	g.Hear(id)
	return g.shares.deal(ctx, cmp.Or(e.Instance, e.RealName()), wants)
}

// ErrNoEnv returns an error for a request of an unknown environment.
func ErrNoEnv() error {
	return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"env_id"}, Msg: "no environment has this env_id"}
}

// Limits of a request for problems.
const (
	mostWants  = 4096
	mostName   = 1024    // bytes
	mostBlock  = 1 << 20 // problems
	mostNumber = 1 << 40 // of a problem
)

// A SharesRequest asks for blocks of streams.
type SharesRequest struct {
	Env   *int   `json:"env_id"` // not nil
	Wants []Want `json:"streams"`
}

// DecodeShares reads a request for problems. An error is an [*atropos.Error].
func DecodeShares(data []byte) (in SharesRequest, err error) {
	if err := atropos.DecodeFields(data, &in); err != nil {
		return in, err
	}
	fault := func(msg string, loc ...any) error { return &atropos.Error{Type: atropos.TypeValue, Loc: loc, Msg: msg} }
	switch {
	case in.Env == nil:
		return in, fault("is missing", "env_id")
	case len(in.Wants) == 0 || len(in.Wants) > mostWants:
		return in, fault(fmt.Sprintf("should be 1 to %d", mostWants), "streams")
	}
	for i, w := range in.Wants {
		switch {
		case w.Stream == "" || len(w.Stream) > mostName:
			return in, fault(fmt.Sprintf("should be a name of 1 to %d bytes", mostName), "streams", i, "stream")
		case w.Least < 0 || w.Least > mostNumber:
			return in, fault(fmt.Sprintf("should be 0 to %d", int64(mostNumber)), "streams", i, "least")
		case w.Count < 1 || w.Count > mostBlock:
			return in, fault(fmt.Sprintf("should be 1 to %d", mostBlock), "streams", i, "count")
		}
	}
	return in, nil
}
