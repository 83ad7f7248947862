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

// Errors of writes.
var (
	errRefused = errors.New("the server refuses a write for now") // another message is the last, or a subject is not new
	errTaken   = errors.New("a subject that should be new is not")
	errDenied  = errors.New("its user lacks a right")
	errForeign = errors.New("another process has written to the stream")
	errDeleted = errors.New("somebody has deleted the stream on the server: the next start makes it anew, and tells how many groups are lost")
	errCut     = errors.New("the server has lost the acknowledged end of the stream: see sync_interval in its settings")
)

// Error codes of the server.
const (
	codeWrongSequence     = 10071 // another message is the last
	codeSequenceInProcess = 10164 // … or will be, after a running write
	codeStoreFailed       = 10077
	codeIncompleteBatch   = 10176 // a part did not arrive in time
	codeManyBatches       = 10210
)

// troubled is the lowest status of a server with problems of its own, such as a cluster that
// elects a leader.
const troubled = 500

// codesNoSpace are the error codes of a full server, account or stream.
func codesNoSpace() []int { return []int{10002, 10023, 10047, 10028, 10027} }

// streamFull are the descriptions of codeStoreFailed at the limits of a stream.
func streamFull() []string { return []string{"maximum bytes exceeded", "maximum messages exceeded"} }

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

// serverError is the error of a refused message.
func (s *server) serverError(e *jetstream.APIError) error {
	switch code := int(e.ErrorCode); {
	case code == codeWrongSequence, code == codeSequenceInProcess:
		return errRefused
	case slices.Contains(codesNoSpace(), code), code == codeStoreFailed && slices.Contains(streamFull(), e.Description):
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrNoSpace, e.Description)
	case code == codeStoreFailed:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUncertain, e.Description)
	case e.Code >= troubled, code == codeIncompleteBatch, code == codeManyBatches:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUnreachable, e.Description)
	}
	return fmt.Errorf("%s: error %d: %s", s.where(), e.ErrorCode, e.Description)
}

// readError is the error of a request that changes nothing.
func (s *server) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", s.where(), context.Cause(ctx))
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.Code < troubled {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
}
