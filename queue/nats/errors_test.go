package nats

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// TestServerErrors tells errors to retry from others.
func TestServerErrors(t *testing.T) {
	s := &server{url: "nats://one"}
	passing := []error{queue.ErrUnreachable, queue.ErrUncertain, queue.ErrNoSpace, errRefused}
	for _, test := range []struct {
		why         string
		e           jetstream.APIError
		write, read error // nil: not passing
	}{
		{"a cluster elects", jetstream.APIError{Code: 503, ErrorCode: 10008}, queue.ErrUnreachable, queue.ErrUnreachable},
		{"a cluster has another leader", jetstream.APIError{Code: 500, ErrorCode: 10009}, queue.ErrUnreachable, queue.ErrUnreachable},
		{"a file could not be written", jetstream.APIError{Code: 503, ErrorCode: codeStoreFailed}, queue.ErrUncertain, queue.ErrUnreachable},
		{"the disk is full", jetstream.APIError{Code: 503, ErrorCode: 10023}, queue.ErrNoSpace, queue.ErrUnreachable},
		{"the stream is full", jetstream.APIError{Code: 503, ErrorCode: codeStoreFailed, Description: "maximum bytes exceeded"}, queue.ErrNoSpace, queue.ErrUnreachable},
		{"another message is the last", jetstream.APIError{Code: 400, ErrorCode: codeWrongSequence}, errRefused, nil},
		{"not allowed", jetstream.APIError{Code: 403, ErrorCode: 10039}, nil, nil},
	} {
		for _, one := range []struct{ got, want error }{
			{s.serverError(&test.e), test.write},
			{s.readError(t.Context(), &test.e), test.read},
		} {
			for _, kind := range passing {
				if errors.Is(one.got, kind) != (kind == one.want) {
					t.Errorf("%s: %v, want %v", test.why, one.got, one.want)
				}
			}
		}
	}
}
