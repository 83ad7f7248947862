package web_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
)

// A client that sends all of a refused body before it reads gets the reply.
func TestRefusedBodiesAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	const size = 64 << 20 // more than all buffers between client and server take
	s, _ := webtest.Serve(t, newServer(t, web.Config{Settings: web.Settings{MaxBody: 1 << 20}}))
	little, _ := webtest.Serve(t, newServer(t, web.Config{Settings: web.Settings{MaxBody: 1 << 30, Memory: 1 << 20}}))
	chunk := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat(" ", 1<<20))
	for _, test := range []struct {
		why    string
		addr   string
		head   string
		piece  string
		pieces int
		status int
	}{
		{"a known length", s, fmt.Sprintf("Content-Length: %d", size), strings.Repeat(" ", 1<<20), 64, 413},
		{"chunks", s, "Transfer-Encoding: chunked", chunk, 64, 413},
		{"more than the memory of a request", little, fmt.Sprintf("Content-Length: %d", size), strings.Repeat(" ", 1<<20), 64, 413},
		{"an unknown encoding", s, fmt.Sprintf("Content-Encoding: zstd\r\nContent-Length: %d", size), strings.Repeat(" ", 1<<20), 64, 415},
		{"a client that waits for the server to agree", s, fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d", size), "", 0, 413},
		{"a client that sends nothing, since it reads first", s, fmt.Sprintf("Content-Length: %d", size), "", 0, 413},
		{"more than the server would read", s, fmt.Sprintf("Content-Length: %d", int64(2<<30)), "", 0, 413},
	} {
		c := dial(t, test.addr, "POST /echo HTTP/1.1\r\nHost: localhost\r\n"+test.head+"\r\n\r\n")
		var err error
		for range test.pieces {
			if _, err = io.WriteString(c, test.piece); err != nil {
				break
			}
		}
		if err == nil && strings.Contains(test.head, "chunked") {
			_, err = io.WriteString(c, "0\r\n\r\n")
		}
		if err != nil {
			t.Errorf("%s: the client cannot send: %v", test.why, err)
		}
		reply, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		text, err := io.ReadAll(reply.Body)
		if err = errors.Join(err, reply.Body.Close()); err != nil || reply.StatusCode != test.status || !reply.Close || !strings.Contains(string(text), `"detail"`) {
			t.Errorf("%s: %d %s, close %v, error %v; want %d and the end of the connection", test.why, reply.StatusCode, text, reply.Close, err, test.status)
		}
		c.Close()
	}
}
