package web

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// leastRate is how many bytes a second a connection must move on average, once the time
// for which it may stall has passed.
const leastRate = 16 << 10

// A pace says by when the next part of a body or a reply must move.
type pace struct {
	stall time.Duration
	start time.Time
	moved int64 // bytes so far
}

func newPace(stall time.Duration) pace { return pace{stall: stall, start: time.Now()} }

// deadline is the end of the time for the next part.
func (p *pace) deadline() time.Time {
	soon := time.Now().Add(p.stall)
	average := p.start.Add(p.stall + time.Duration(p.moved)*(time.Second/leastRate))
	if average.Before(soon) {
		return average
	}
	return soon
}

// A patient reader waits for each part of a body, up to its pace.
type patient struct {
	r       io.Reader
	control *http.ResponseController
	pace    pace
}

// Read implements [io.Reader].
func (p *patient) Read(b []byte) (int, error) {
	p.control.SetReadDeadline(p.pace.deadline()) // if it cannot be set, something else watches the time
	n, err := p.r.Read(b)
	p.pace.moved += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &bodyError{err}
	}
	return n, err
}

// A Paced writer writes a reply, and fails if the client does not keep up: see
// [Settings], Stall. A reply must move 16 KiB a second on average as well.
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
	p.control.SetWriteDeadline(p.pace.deadline()) // if it cannot be set, something else watches the time
	n, err := p.w.Write(b)
	p.pace.moved += int64(n)
	return n, err
}

// Restart starts the clock anew, after time that the client is not to blame for.
func (p *Paced) Restart() { p.pace = newPace(p.pace.stall) }
