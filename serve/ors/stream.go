package ors

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/web"
)

// newTask returns the name of a call, for asking for its reply again.
func newTask() string { return rand.Text() }

// chunk limits the bytes of a reply in one event.
const chunk = 4 << 10

// stream answers with server-sent events: a name, and a reply in JSON.
func stream(c *web.Call, name string, said []byte) error {
	h := c.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	c.W.WriteHeader(http.StatusOK)
	_, _ = c.Paced().Write(events(name, said)) // a client that has gone asks again
	return nil
}

// events returns the events of a name, and of a reply in pieces that never end within a
// character.
func events(name string, said []byte) []byte {
	text := fmt.Appendf(nil, "event: task_id\ndata: %s\n\n", name)
	for len(said) > chunk {
		end := chunk
		for !utf8.RuneStart(said[end]) {
			end--
		}
		text = fmt.Appendf(text, "event: chunk\ndata: %s\n\n", said[:end])
		said = said[end:]
	}
	return fmt.Appendf(text, "event: end\ndata: %s\n\n", said)
}
