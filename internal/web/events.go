package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// keptEvents is how many past events a log keeps for late followers.
const keptEvents = 1024

// shownEvents is how many events a follower gets at once.
const shownEvents = 64

// eventsEvery bounds how often a follower gets events: frequent events do not wake many
// followers each time.
const eventsEvery = 100 * time.Millisecond

// beat is how often an event stream without events shows that it is alive.
const beat = 15 * time.Second

// An EventLog is the recent events, for those who follow them. Adding never waits for a
// reader. The zero value is ready; many goroutines may use it at once.
type EventLog struct {
	mu      sync.Mutex
	first   uint64 // number of the first event
	last    uint64 // number of the last event
	events  [keptEvents]event
	changed chan struct{} // nil: nobody waits
}

// An event is one entry of the log.
type event struct {
	number uint64
	kind   string
	data   []byte // JSON
}

// Add adds an event. The fields become the members of a JSON object, with "time" beside
// them.
func (l *EventLog) Add(kind string, fields map[string]any) {
	fields["time"] = time.Now().UTC().Format(time.RFC3339Nano)
	data, err := json.Marshal(fields)
	if err != nil {
		data = []byte(`{}`) // the fields are numbers and strings
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == 0 {
		l.first = max(1, uint64(time.Now().UnixMicro())) // above the numbers of an earlier process
		l.last = l.first - 1
	}
	l.last++
	l.events[l.last%keptEvents] = event{l.last, kind, data}
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// since returns the next events after a number, at most [shownEvents] of those kept, and a
// channel that closes when more come.
func (l *EventLog) since(number uint64) (list []event, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if number > l.last { // the clock was set back since an earlier process
		number = 0
	}
	number = max(number, l.first-min(1, l.first)) // an earlier process's events are gone
	if l.last-number > keptEvents {
		number = l.last - keptEvents
	}
	for n := number + 1; n <= min(l.last, number+shownEvents); n++ {
		list = append(list, l.events[n%keptEvents])
	}
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return list, l.changed
}

// now is the number of the last event.
func (l *EventLog) now() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Stream sends events to a client as server-sent events until it goes away. It begins with
// the next event, or after the number in the header Last-Event-ID.
func (l *EventLog) Stream(c *Call) error {
	c.Waits = true
	c.SkipBody()
	after := l.now()
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
	shown := false // whether events went out since the last rest
	for {
		out.Restart()
		if _, err := out.Write(text); err != nil || c.Flush() != nil {
			return nil // the client has gone
		}
		list, more := l.since(after)
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

// rest waits for eventsEvery, and reports whether to go on.
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
