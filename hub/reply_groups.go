package hub

import (
	"context"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// replyGroups are the groups of a reply. They are read in portions, so the memory of a reply does
// not grow with their number. One method of a [replyWriter] uses them up.
type replyGroups struct {
	Now  []queue.Delivery // the portion in memory
	Rest []uint64         // sequence numbers of the groups to read
	Read func(ctx context.Context, seqs []uint64) ([]queue.Delivery, error)
	Held int // bytes that the call has reserved for Now

	// Padding is the number of sequences that [replyWriter.JSON] and [replyWriter.Whole] add in a
	// last group: each has one trained token, and advantage 0.
	Padding int
}

// whole reports whether the portion in memory is the last.
func (g *replyGroups) whole() bool { return len(g.Rest) == 0 }

// next returns the next portion, or nil after the last.
func (g *replyGroups) next(c *web.Call) ([]queue.Delivery, error) {
	if g.Now == nil && len(g.Rest) > 0 {
		var err error
		if g.Now, err = g.Read(c.Context(), g.Rest); err != nil {
			return nil, err
		}
		g.Rest = g.Rest[len(g.Now):]
	}
	now, size := g.Now, weightOf(g.Now)
	if more := size - g.Held; more > 0 {
		if err := c.Reserve(more); err != nil {
			return nil, err
		}
		g.Held = size
	}
	g.Now = nil
	return now, nil
}
