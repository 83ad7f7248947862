package ors

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A reply is what a stream said.
type reply struct {
	task string // the ID under which it may be asked for again; empty: not told
	text []byte // JSON
}

// errAgain says that a call may be sent again: it was not made, or the reply to it got lost.
var errAgain = errors.New("the environment is busy, or its reply was lost")

// call makes a call, once: if the reply is lost on its way, the server is asked for it by its ID. The
// error is [quintain.ErrLost] if the call was not made, because the session is gone.
func (s Server) call(ctx context.Context, path string, c wire.ORSCalling) (reply, error) {
	for failures := 1; ; failures++ {
		got, err := s.stream(ctx, path, c)
		if c.Task == "" {
			c.Task = got.task
		}
		if !errors.Is(err, errAgain) || !pause.For(ctx, pauses.After(failures)) {
			return got, err
		}
	}
}

// stream sends a call, and reads the events of the reply. With an error the reply has what came.
func (s Server) stream(ctx context.Context, path string, c wire.ORSCalling) (got reply, err error) {
	r, err := s.request(ctx, path, c)
	if err != nil {
		return got, err
	}
	r.Header.Set("Accept", "text/event-stream")
	response, err := s.Client.Start(r)
	if err != nil {
		fault, known := errors.AsType[*httpclient.Error](err)
		switch {
		case c.Task != "":
			err = errors.Join(errAgain, err)
		case known && fault.Unreached():
			err = external.Lost(err) // it died between two replies
		}
		return got, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return got, s.refused(response, c.Task == "")
	}
	got, err = readEvents(response.Body, s.Most)
	if errors.Is(err, io.ErrUnexpectedEOF) && (c.Task != "" || got.task != "") {
		err = errors.Join(errAgain, err)
	}
	return got, err
}

// refused returns the error of a reply with another status than 200, to a first call or to a question for
// the reply to one.
func (s Server) refused(response *http.Response, first bool) error {
	const most = 4 << 10
	text, _ := httpclient.Read(response, most) // what came is told
	err := &httpclient.Error{Method: response.Request.Method, URL: httpclient.Plain(response.Request.URL), Status: response.StatusCode, Excerpt: s.Client.Excerpt(text)}
	starting := response.Header.Get("X-Backend-State") == "starting"
	switch status := response.StatusCode; {
	case first && (status == http.StatusNotFound || status == http.StatusGone):
		return external.Lost(fmt.Errorf("the session has ended: %w", err))
	case status == http.StatusTooManyRequests, starting, !first && status > http.StatusInternalServerError && err.Temporary():
		return errors.Join(errAgain, err)
	}
	return err
}

// readEvents reads server-sent events, of most bytes, up to the last one. Without one, the error is
// [io.ErrUnexpectedEOF].
func readEvents(body io.Reader, most int) (got reply, err error) {
	limited := &io.LimitedReader{R: body, N: int64(most)}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, most)
	event, data := "", []byte(nil)
	for lines.Scan() {
		if name, value, _ := bytes.Cut(lines.Bytes(), []byte(":")); len(name) > 0 {
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(name) {
			case "event":
				event = string(value)
			case "data":
				data = append(data, value...)
			}
			continue
		} else if len(lines.Bytes()) > 0 {
			continue // a comment
		}
		switch event {
		case "task_id":
			got.task = string(bytes.TrimSpace(data))
		case "chunk", "end":
			got.text = append(got.text, data...)
			if event == "end" {
				return got, nil
			}
		case "error":
			return got, fmt.Errorf("the environment says: %.500s", strings.ToValidUTF8(string(data), "\uFFFD"))
		}
		event, data = "", nil
	}
	if limited.N == 0 || errors.Is(lines.Err(), bufio.ErrTooLong) {
		return got, fmt.Errorf("%w: more than %d bytes", httpclient.ErrTooLarge, most)
	}
	return got, errors.Join(io.ErrUnexpectedEOF, lines.Err())
}
