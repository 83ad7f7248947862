package run

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A playtime is the time for which a run plays, from its first group on.
type playtime struct {
	minutes float64 // 0: no limit
	once    sync.Once
	begun   chan struct{} // closed once a group has started
}

// entered begins the time, unless the group that was to enter has an error, which it returns.
func (p *playtime) entered(err error) error {
	if err == nil {
		p.once.Do(func() { close(p.begun) })
	}
	return err
}

// pass waits until the time is over, which it tells, or ctx ends.
func (p *playtime) pass(ctx context.Context, over func(why string)) {
	var end <-chan time.Time
	for begun := p.begun; ; {
		select {
		case <-ctx.Done():
			return
		case <-begun:
			begun = nil
			if p.minutes > 0 {
				end = time.After(time.Duration(p.minutes * float64(time.Minute)))
			}
		case <-end:
			over(fmt.Sprintf("it played for its %v minutes", p.minutes))
			return
		}
	}
}
