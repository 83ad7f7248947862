package web

import (
	"bytes"
	"errors"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// A budget is the memory that all requests under way share: for bodies, for what is
// inflated and read of them, and for replies.
type budget struct {
	total int64 // bytes
	used  atomic.Int64
}

// smallCall is how many bytes a call may hold to be given some of the last eighth of a
// budget: so large bodies do not keep small ones out.
const smallCall = 512 << 10

// errBusy says that the requests under way hold all memory that they may.
var errBusy = errors.New("the requests under way take all memory that is set aside for them: try again")

// newBudget returns a budget of a little less than half of memory: until its collector
// has been round, Go takes as much again, and the rest is for what is kept.
func newBudget(memory int64) *budget { return &budget{total: memory / 16 * 7} }

// Keep is how many bytes of memory of one kind may be kept for later requests: see
// [Shelf].
func (s *Server) Keep() int { return int(min(maxKept, s.config.Settings.Memory/64)) }

// maxKept is how many bytes of one kind are kept at most.
const maxKept = 32 << 20

// most is how many bytes all calls may hold together while one of them holds held.
func (b *budget) most(held int64) int64 {
	if held <= smallCall {
		return b.total
	}
	return b.total - b.total/8
}

// take takes n bytes for a call that holds some already, and reports whether they were
// there.
func (b *budget) take(held, n int64) bool {
	for {
		used := b.used.Load()
		if used+n > b.most(held+n) {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// Reserve takes n bytes of the memory that calls share, until this call ends. It must
// come before what a client sent makes the server take so much. [Call.Fail] knows its
// errors: the client should try again, or the request can never be answered.
func (c *Call) Reserve(n int) error {
	b := c.server.budget
	switch held := c.held + int64(n); {
	case held > b.most(held):
		return b.tooMuch()
	case !b.take(c.held, int64(n)):
		return errBusy
	default:
		c.held = held
		return nil
	}
}

// Release gives back n bytes of what Reserve took before the call ends.
func (c *Call) Release(n int) {
	c.held -= int64(n)
	c.server.budget.used.Add(int64(-n))
}

// tooMuch is the error that a call can never have so much memory.
func (b *budget) tooMuch() error {
	return Errorf(http.StatusRequestEntityTooLarge, "the request takes more than the %d bytes of memory that one may take: send it in parts, or raise --memory", b.total-b.total/8)
}

// A Shelf keeps things that take memory for the next call that needs one. Many
// goroutines may use it at once.
type Shelf[T any] struct {
	most int // bytes of all things together

	mu     sync.Mutex
	things []T
	sizes  []int
	total  int
}

// NewShelf returns a shelf for things that take up to most bytes together.
func NewShelf[T any](most int) *Shelf[T] { return &Shelf[T]{most: most} }

// Take returns the thing that was put last, with its size in bytes, or nothing.
func (s *Shelf[T]) Take() (thing T, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.things) - 1
	if last < 0 {
		return thing, 0
	}
	var none T
	thing, size = s.things[last], s.sizes[last]
	s.things[last] = none
	s.things, s.sizes = s.things[:last], s.sizes[:last]
	s.total -= size
	return thing, size
}

// Put keeps a thing of size bytes, if there is room.
func (s *Shelf[T]) Put(thing T, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total+size > s.most {
		return
	}
	s.things, s.sizes = append(s.things, thing), append(s.sizes, size)
	s.total += size
}

const (
	leastMemory   = 64 << 20 // bytes of the smallest default for requests
	unknownMemory = 8 << 30  // bytes that a machine is taken to have that does not say
)

// defaultMemory is what requests may take unless something else is said: a quarter of
// the machine's memory.
func defaultMemory() int64 { return max(leastMemory, machineMemory()/4) }

// machineMemory is how many bytes this process may take: by the machine, by its control
// group, and by GOMEMLIMIT.
func machineMemory() int64 {
	least := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, rest, ok := bytes.Cut(text, []byte("MemTotal:")); ok {
			kilobytes, _, _ := bytes.Cut(rest, []byte("kB"))
			least = min(least, 1024*byteCount(kilobytes))
		}
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(name); err == nil {
			least = min(least, byteCount(text))
		}
	}
	if least > 1<<50 {
		least = unknownMemory
	}
	return min(least, debug.SetMemoryLimit(-1)) // a negative limit only asks
}

// byteCount reads a number of bytes; a very large one if there is none.
func byteCount(text []byte) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n > 1<<50 {
		return 1 << 51
	}
	return n
}
