package files

import "sync"

// A committer batches the writes of many goroutines: all items that arrive during one write
// go into the next.
type committer[T any] struct {
	write func([]T) error // called by one goroutine at a time

	mu   sync.Mutex
	next *commit[T]
	turn sync.Mutex // held while writing
}

// A commit is one write.
type commit[T any] struct {
	items []T
	err   error
	done  chan struct{}
}

// do writes item together with others', and returns when it is written.
func (c *committer[T]) do(item T) error {
	c.mu.Lock()
	mine := c.next
	first := mine == nil
	if first {
		mine = &commit[T]{done: make(chan struct{})}
		c.next = mine
	}
	mine.items = append(mine.items, item)
	c.mu.Unlock()
	if !first {
		<-mine.done
		return mine.err
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	c.mu.Lock()
	c.next = nil
	c.mu.Unlock()
	mine.err = c.write(mine.items)
	close(mine.done)
	return mine.err
}

// alone calls f while nobody writes.
func (c *committer[T]) alone(f func()) {
	c.turn.Lock()
	defer c.turn.Unlock()
	f()
}
