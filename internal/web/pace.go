package web

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"time"
)

// leastRate is the least average speed of a connection, in bytes per second, once the stall
// time has passed.
const leastRate = 16 << 10

// A pace sets the deadline of the next read or write.
type pace struct {
	stall time.Duration
	start time.Time
	moved int64 // bytes
}

func newPace(stall time.Duration) pace { return pace{stall: stall, start: time.Now()} }

func (p *pace) deadline() time.Time {
	soon := time.Now().Add(p.stall)
	average := p.start.Add(p.stall + time.Duration(p.moved)*(time.Second/leastRate))
	if average.Before(soon) {
		return average
	}
	return soon
}

// aTurn is how much of a body is read before other requests get a turn, in bytes. A client that
// sends fast would otherwise have a processor for 10 ms, and a dozen of them all processors for
// so long that quick requests wait noticeably.
const aTurn = 128 << 10

// A pacedReader reads a body and fails if the client is too slow.
type pacedReader struct {
	r       io.Reader
	control *http.ResponseController
	pace    pace
	turn    int // bytes read in this turn
}

// newPacedReader returns a reader of the body of c.
func newPacedReader(c *Call, control *http.ResponseController) *pacedReader {
	return &pacedReader{r: c.R.Body, control: control, pace: newPace(c.server.config.Settings.Stall)}
}

// Read implements [io.Reader].
func (p *pacedReader) Read(b []byte) (int, error) {
	p.control.SetReadDeadline(p.pace.deadline()) // an error means that the connection has no deadlines
	n, err := p.r.Read(b[:min(len(b), aTurn-p.turn)])
	p.pace.moved += int64(n)
	if p.turn += n; p.turn == aTurn {
		p.turn = 0
		runtime.Gosched()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &bodyError{err}
	}
	return n, err
}

// A Paced writer writes a reply and fails if the client is too slow: if it stalls, see
// [Settings], or reads less than 16 KiB a second on average.
type Paced struct {
	w       io.Writer
	control *http.ResponseController
	pace    pace
}

// Paced returns a writer for the body of the reply.
func (c *Call) Paced() *Paced {
	return &Paced{c.W, http.NewResponseController(c.W), newPace(c.server.config.Settings.Stall)}
}

// Write implements [io.Writer].
func (p *Paced) Write(b []byte) (int, error) {
	p.control.SetWriteDeadline(p.pace.deadline()) // an error means that the connection has no deadlines
	n, err := p.w.Write(b)
	p.pace.moved += int64(n)
	return n, err
}

// Restart resets the clock, after a pause that is not the client's.
func (p *Paced) Restart() { p.pace = newPace(p.pace.stall) }
