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
	"sync/atomic"
)

// A budget is the memory that concurrent requests share: for their bodies, inflated and
// parsed, and for their replies.
type budget struct {
	total int64 // bytes
	used  atomic.Int64
}

// smallCall is how many bytes a call may hold and still draw on the last eighth of the
// budget, so large bodies do not lock small ones out.
const smallCall = 512 << 10

// errBusy says that the requests under way hold all memory. It should be retried.
var errBusy = errors.New("other requests hold all memory: try again")

// newBudget returns a budget of 7/16 of memory: before it collects, Go's heap grows to about
// twice that, and free lists need the rest.
func newBudget(memory int64) *budget { return &budget{total: memory / 16 * 7} }

// Memory is how many bytes of memory requests should take, with garbage; see [Settings].
func (s *Server) Memory() int64 { return s.config.Settings.Memory }

// Keep is how many bytes each [FreeList] should keep.
func (s *Server) Keep() int { return int(min(maxKept, s.config.Settings.Memory/64)) }

// maxKept bounds Keep, in bytes.
const maxKept = 32 << 20

// most is how many bytes all calls may hold together if the call that asks holds held.
func (b *budget) most(held int64) int64 {
	if held <= smallCall {
		return b.total
	}
	return b.total - b.total/8
}

// take takes n bytes for a call that holds held, and reports whether they were free.
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

// Reserve takes n bytes of the shared memory until the call ends. Call it before client data
// makes the server allocate. A route may return its errors: retry later, or the request is
// too large at any time.
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

// Release gives back n reserved bytes before the call ends.
func (c *Call) Release(n int) {
	c.held -= int64(n)
	c.server.budget.used.Add(int64(-n))
}

// tooMuch is the error of a call that asks for more than any may have.
func (b *budget) tooMuch() error {
	return Errorf(http.StatusRequestEntityTooLarge, "the request takes more than %d bytes of memory, the limit of one request: send it in parts, or raise server.memory", b.total-b.total/8)
}

const (
	leastMemory   = 64 << 20 // least default for requests, in bytes
	unknownMemory = 8 << 30  // memory to assume if the machine does not tell, in bytes
)

// defaultMemory is the default of Settings.Memory: a quarter of the machine's memory.
func defaultMemory() int64 { return max(leastMemory, MachineMemory()/4) }

// MachineMemory is the memory that this process may take, in bytes: the least of the machine's, its
// control group's and GOMEMLIMIT.
func MachineMemory() int64 {
	least := int64(math.MaxInt64)
	text, _ := os.ReadFile("/proc/meminfo") // some systems have none
	if _, rest, ok := bytes.Cut(text, []byte("MemTotal:")); ok {
		kilobytes, _, _ := bytes.Cut(rest, []byte("kB"))
		least = min(least, 1024*byteCount(kilobytes))
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(name) // only one of them exists
		least = min(least, byteCount(text))
	}
	if least > 1<<50 {
		least = unknownMemory
	}
	return min(least, debug.SetMemoryLimit(-1)) // a negative limit only asks
}

// byteCount reads a number of bytes, or returns 2^51 if it cannot.
func byteCount(text []byte) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n > 1<<50 {
		return 1 << 51
	}
	return n
}
