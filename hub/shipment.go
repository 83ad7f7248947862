package hub

import (
	"context"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/web"
)

// A shipment is the groups of a reply. They are read in portions, so that a reply takes
// the same memory however many groups it has.
type shipment struct {
	call *web.Call
	now  []queue.Delivery // the portion that was read
	rest []uint64         // sequence numbers of the groups that are still to be read
	read func(ctx context.Context, seqs []uint64) ([]queue.Delivery, error)
	held int // bytes of memory that were reserved
}

// whole reports whether the portion that was read is the last.
func (s *shipment) whole() bool { return len(s.rest) == 0 }

// next returns the next portion; nil: there are no more.
func (s *shipment) next() ([]queue.Delivery, error) {
	if s.now == nil && len(s.rest) > 0 {
		var err error
		if s.now, err = s.read(s.call.Context(), s.rest); err != nil {
			return nil, err
		}
		s.rest = s.rest[len(s.now):]
	}
	now, size := s.now, weightOf(s.now)
	if more := size - s.held; more > 0 {
		if err := s.call.Reserve(more); err != nil {
			return nil, err
		}
		s.held = size
	}
	s.now = nil
	return now, nil
}
