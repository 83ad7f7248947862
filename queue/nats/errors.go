package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// Errors of writes that their callers understand.
var (
	errRefused = errors.New("the server refuses a write for now") // the last message is not the one named, or a subject is not new
	errTaken   = errors.New("a subject that should be new is not")
	errForeign = errors.New("another process has written to the stream")
	errCut     = errors.New("the server has lost the end of the stream, which it had acknowledged: see sync_interval of its settings")
)

// Codes of errors of the server.
const (
	codeWrongSequence     = 10071 // the last message is not the one named
	codeSequenceInProcess = 10164 // … or a write under way will change that
	codeStoreFailed       = 10077
	codeIncompleteBatch   = 10176 // a part of it did not arrive, or its time was up
	codeManyBatches       = 10210
)

// troubled is the lowest status of a server that has trouble of its own, for example
// while a cluster elects a leader.
const troubled = 500

// codesNoSpace are the codes for a full server, account or stream.
func codesNoSpace() []int { return []int{10002, 10023, 10047, 10028, 10027} }

// sendError is the error of a request without an answer.
func (s *server) sendError(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrReconnectBufExceeded):
		return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUncertain, err)
}

// serverError is the error of a message that the server refused.
func (s *server) serverError(e *jetstream.APIError) error {
	switch code := int(e.ErrorCode); {
	case code == codeWrongSequence, code == codeSequenceInProcess:
		return errRefused
	case code == codeStoreFailed:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUncertain, e.Description)
	case slices.Contains(codesNoSpace(), code):
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrNoSpace, e.Description)
	case e.Code >= troubled, code == codeIncompleteBatch, code == codeManyBatches:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUnreachable, e.Description)
	}
	return fmt.Errorf("%s: error %d: %s", s.where(), e.ErrorCode, e.Description)
}

// readError is the error of a request that changes nothing.
func (s *server) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.Code < troubled {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
}
