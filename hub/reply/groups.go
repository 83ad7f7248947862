package reply

import (
	"context"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// Groups are those of a reply. They are read in portions, so that a reply takes the
// same memory however many groups it has. They are used up by one method of a [Writer].
type Groups struct {
	Now  []queue.Delivery // the portion that was read
	Rest []uint64         // sequence numbers of the groups that are still to be read
	Read func(ctx context.Context, seqs []uint64) ([]queue.Delivery, error)
	Held int // bytes of memory that the call has reserved for Now
}

// whole reports whether the portion that was read is the last.
func (g *Groups) whole() bool { return len(g.Rest) == 0 }

// next returns the next portion; nil: there are no more.
func (g *Groups) next(c *web.Call) ([]queue.Delivery, error) {
	if g.Now == nil && len(g.Rest) > 0 {
		var err error
		if g.Now, err = g.Read(c.Context(), g.Rest); err != nil {
			return nil, err
		}
		g.Rest = g.Rest[len(g.Now):]
	}
	now, size := g.Now, WeightOf(g.Now)
	if more := size - g.Held; more > 0 {
		if err := c.Reserve(more); err != nil {
			return nil, err
		}
		g.Held = size
	}
	g.Now = nil
	return now, nil
}
