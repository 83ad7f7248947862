package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// keptEvents is how many events a journal keeps for followers that come late.
const keptEvents = 1024

// shownEvents is how many events a follower is shown at once.
const shownEvents = 64

// eventsEvery is how often a follower is shown events. What happens often does not wake
// many followers as often.
const eventsEvery = 100 * time.Millisecond

// beat is how often a stream of events shows that it is alive.
const beat = 15 * time.Second

// A Journal is what has happened recently, for those who follow it. Writing to it never
// waits for a reader. The zero value is ready; many goroutines may use it at once.
type Journal struct {
	mu      sync.Mutex
	first   uint64 // number of the first event
	last    uint64 // number of the last event
	events  [keptEvents]event
	changed chan struct{} // nil: nothing waits
}

// An event is something that happened.
type event struct {
	number uint64
	kind   string
	data   []byte // JSON
}

// Tell adds an event of a kind. The fields are the members of a JSON object.
func (j *Journal) Tell(kind string, fields map[string]any) {
	fields["time"] = time.Now().UTC().Format(time.RFC3339Nano)
	data, err := json.Marshal(fields)
	if err != nil {
		data = []byte(`{}`) // the fields are numbers and strings
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.first == 0 {
		j.first = max(1, uint64(time.Now().UnixMicro())) // above those of an earlier process
		j.last = j.first - 1
	}
	j.last++
	j.events[j.last%keptEvents] = event{j.last, kind, data}
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

// since returns the events after a number that are still kept, the first [shownEvents]
// of them, and a channel that is closed when there are more.
func (j *Journal) since(number uint64) (list []event, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if number > j.last { // the clock was set back since an earlier process
		number = 0
	}
	number = max(number, j.first-min(1, j.first)) // those of an earlier process are gone
	if j.last-number > keptEvents {
		number = j.last - keptEvents
	}
	for n := number + 1; n <= min(j.last, number+shownEvents); n++ {
		list = append(list, j.events[n%keptEvents])
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return list, j.changed
}

// now is the number of the last event.
func (j *Journal) now() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}

// Stream shows a client what happens, as server-sent events, until it goes away.
// It begins with the next event, or with the one after that of the header Last-Event-ID.
func (j *Journal) Stream(c *Call) error {
	c.Waits = true
	c.SkipBody()
	after := j.now()
	if text := c.R.Header.Get("Last-Event-ID"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return Errorf(http.StatusUnprocessableEntity, "Last-Event-ID should be a number")
		}
		after = n
	}
	h := c.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	c.W.WriteHeader(http.StatusOK)
	out := c.Paced()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	text := []byte(": " + c.server.config.Name + "\n\n")
	shown := false // events, since the last rest
	for {
		out.Restart()
		if _, err := out.Write(text); err != nil || c.Flush() != nil {
			return nil // the client has gone
		}
		list, more := j.since(after)
		text = text[:0]
		for _, e := range list {
			text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", e.number, e.kind, e.data)
			after = e.number
		}
		if len(list) > 0 {
			shown = true
			continue
		}
		if shown && !c.rest() {
			return nil
		}
		shown = false
		select {
		case <-more:
		case <-ticker.C:
			text = append(text, ":\n\n"...)
		case <-c.Context().Done():
			return nil
		case <-c.server.Stopping():
			return nil
		}
	}
}

// rest waits for eventsEvery, and reports whether there is still a follower.
func (c *Call) rest() bool {
	end := time.NewTimer(eventsEvery)
	defer end.Stop()
	select {
	case <-end.C:
		return true
	case <-c.Context().Done():
	case <-c.server.Stopping():
	}
	return false
}
