package nats

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/groupform"
	"github.com/quintain-rl/quintain/queue"
)

// The headers of stored groups. Quintain-Group is ours.
const (
	headerMeta     = "Quintain-Group"
	headerExpected = "Nats-Expected-Last-Subject-Sequence"
	headerBatch    = "Nats-Batch-Id"
	headerPart     = "Nats-Batch-Sequence"
	headerCommit   = "Nats-Batch-Commit"
	headerRollup   = "Nats-Rollup"
)

// Codes of errors of the server.
const (
	codeWrongSequence     = 10071 // the subject holds a message already
	codeSequenceInProcess = 10164 // … or is about to
	codeStoreFailed       = 10077
	codeTooLarge          = 10054
)

// unavailable is the status of a server that cannot answer now, for example while a
// cluster elects a leader.
const unavailable = 503

// codesNoSpace are the codes for a full server, account or stream.
func codesNoSpace() []int { return []int{10002, 10023, 10047, 10028, 10027} }

const (
	maxBatches  = 16       // batches under way at once; the server takes 50
	windowBytes = 16 << 20 // of a batch, sent and not yet answered for
	maxDeletes  = 16       // requests to delete a message under way at once
	maxMessage  = 31 << 20 // the server's files hold records below 32 MiB
)

// errTaken says that the stream already holds a record of the key.
var errTaken = errors.New("taken")

// A store is a [queue.Store] of two streams.
type store struct {
	o       Options
	url     string
	nc      *nats.Conn
	bodies  jetstream.Stream
	log     jetstream.Stream
	owner   *nats.Subscription // answers other processes that want the streams
	limit   int                // of a body
	batches chan struct{}      // holds an element for each batch under way
}

func (s *store) groupSubject(k queue.Key) string { return s.o.Name + ".group." + k.String() }
func (s *store) doneSubject() string             { return s.o.Name + ".done" }
func (s *store) stateSubject(k string) string    { return s.o.Name + ".state." + k }

// Put implements [queue.Bodies].
func (s *store) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	if len(records) == 0 {
		return nil, s.probe(ctx)
	}
	for _, r := range records {
		if len(r.Body) > s.limit {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: s.limit}
		}
	}
	seqs := make([]uint64, len(records))
	left := make([]int, len(records)) // indices of those not known to be there
	for i := range left {
		left[i] = i
	}
	for try := 0; ; try++ {
		first, err := s.putBatch(ctx, records, left)
		if err == nil {
			for n, i := range left {
				seqs[i] = first + uint64(n)
			}
			return seqs, nil
		}
		if !errors.Is(err, errTaken) || try > 3 {
			return nil, err
		}
		if left, err = s.absent(ctx, records, left); err != nil || len(left) == 0 {
			return seqs, err
		}
	}
}

// probe reports whether groups would be kept. The stream of groups refuses its message,
// since one that was deleted would leave a gap in their numbers; the other one keeps it.
func (s *store) probe(ctx context.Context) error {
	refused := &nats.Msg{Subject: s.o.Name + ".group.probe", Header: nats.Header{headerExpected: {"1"}}}
	if _, err := s.request(ctx, refused); !errors.Is(err, errTaken) {
		return err
	}
	return s.SetStates(ctx, []queue.State{{Key: "queue.probe", Value: []byte("1")}})
}

// absent returns the indices of the records that are not in the stream.
func (s *store) absent(ctx context.Context, records []queue.Record, indices []int) ([]int, error) {
	if len(indices) == 1 { // it was refused because it is there
		return nil, nil
	}
	var left []int
	for _, i := range indices {
		_, err := s.bodies.GetLastMsgForSubject(ctx, s.groupSubject(records[i].Key))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			left = append(left, i)
		case err != nil:
			return nil, s.readError(ctx, err)
		}
	}
	return left, nil
}

// putBatch keeps the records of the indices, all or none, and returns the first
// sequence number.
func (s *store) putBatch(ctx context.Context, records []queue.Record, indices []int) (first uint64, err error) {
	if len(indices) > 1 {
		select {
		case s.batches <- struct{}{}:
			defer func() { <-s.batches }()
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	id, window := rand.Text(), 0
	for n, i := range indices {
		m := nats.NewMsg(s.groupSubject(records[i].Key))
		m.Data = records[i].Body
		m.Header[headerMeta] = []string{base64.RawStdEncoding.EncodeToString(records[i].Meta)}
		m.Header[headerExpected] = []string{"0"}
		if len(indices) > 1 {
			m.Header[headerBatch] = []string{id}
			m.Header[headerPart] = []string{strconv.Itoa(n + 1)}
		}
		if n == len(indices)-1 {
			if n > 0 {
				m.Header[headerCommit] = []string{"1"}
			}
			last, err := s.request(ctx, m)
			return last - uint64(n), err
		}
		// Nothing is kept before the commit, so an error before it is a certain one.
		if window += len(m.Data); window > windowBytes {
			_, err = s.request(ctx, m)
			window = 0
		} else {
			err = s.nc.PublishMsg(m)
		}
		if err != nil {
			return 0, s.beforeCommit(err)
		}
	}
	return 0, nil
}

// beforeCommit is the error of a batch that was not sent completely.
func (s *store) beforeCommit(err error) error {
	if errors.Is(err, queue.ErrUncertain) {
		return fmt.Errorf("%w: a batch was not answered for", queue.ErrUnreachable)
	}
	return err
}

// An answer is what the server replies to a message for a stream.
type answer struct {
	Seq   uint64              `json:"seq"`
	Error *jetstream.APIError `json:"error"`
}

// request sends m and waits until it is in the stream, on disk. Once m is sent, the end
// of ctx no longer matters: request waits for the outcome.
func (s *store) request(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.Timeout)
	defer cancel()
	reply, err := s.nc.RequestMsgWithContext(wait, m)
	if err != nil {
		return 0, s.sendError(err)
	}
	if len(reply.Data) == 0 { // a part of a batch
		return 0, nil
	}
	var a answer
	if err := json.Unmarshal(reply.Data, &a); err != nil {
		return 0, fmt.Errorf("%w: the server's answer: %w", queue.ErrUncertain, err)
	}
	if a.Error != nil {
		return 0, s.serverError(a.Error)
	}
	return a.Seq, nil
}

// sendError is the error of a request without an answer.
func (s *store) sendError(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrReconnectBufExceeded):
		return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUncertain, err)
}

// serverError is the error of a message that the server refused.
func (s *store) serverError(e *jetstream.APIError) error {
	switch code := int(e.ErrorCode); {
	case code == codeWrongSequence, code == codeSequenceInProcess:
		return errTaken
	case code == codeStoreFailed:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUncertain, e.Description)
	case slices.Contains(codesNoSpace(), code):
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrNoSpace, e.Description)
	case e.Code == unavailable:
		return fmt.Errorf("%s: %w: %s", s.where(), queue.ErrUnreachable, e.Description)
	}
	return fmt.Errorf("%s: error %d: %s", s.where(), e.ErrorCode, e.Description)
}

// readError is the error of a request that changes nothing.
func (s *store) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.Code != unavailable {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
}

// Body implements [queue.Bodies].
func (s *store) Body(ctx context.Context, seq uint64) ([]byte, error) {
	m, err := s.bodies.GetMsg(ctx, seq)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, fmt.Errorf("%s: sequence number %d: %w", s.where(), seq, queue.ErrUnknown)
	case err != nil:
		return nil, s.readError(ctx, err)
	}
	return m.Data, nil
}

// Delete implements [queue.Bodies].
func (s *store) Delete(ctx context.Context, below uint64, seqs []uint64) error {
	if below > 0 {
		if err := s.bodies.Purge(ctx, jetstream.WithPurgeSequence(below)); err != nil {
			return s.readError(ctx, err)
		}
	}
	for some := range slices.Chunk(seqs, maxDeletes) {
		errs := make([]error, len(some))
		var all sync.WaitGroup
		for i, seq := range some {
			all.Go(func() { errs[i] = s.delete(ctx, seq) })
		}
		all.Wait()
		if err := cmp.Or(errs...); err != nil {
			return err
		}
	}
	return nil
}

// delete frees one body. It is no error if the body is gone.
func (s *store) delete(ctx context.Context, seq uint64) error {
	err := s.bodies.DeleteMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		if _, err = s.bodies.GetMsg(ctx, seq); errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
	}
	if err != nil {
		return s.readError(ctx, err)
	}
	return nil
}

// List implements [queue.Bodies].
func (s *store) List(ctx context.Context, show func(queue.Listed)) (last uint64, err error) {
	info, err := s.bodies.Info(ctx)
	if err != nil {
		return 0, s.readError(ctx, err)
	}
	sc := scan{stream: s.bodies, subject: s.o.Name + ".group.*", headers: true, fetch: 4096}
	err = s.read(ctx, sc, func(m jetstream.Msg, seq uint64) error {
		l := queue.Listed{Seq: seq}
		l.Meta, _ = base64.RawStdEncoding.DecodeString(m.Headers().Get(headerMeta)) // the queue tells what is damaged
		l.Size, _ = strconv.Atoi(m.Headers().Get(nats.MsgSize))
		name := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if k, err := hex.DecodeString(name); err == nil && len(k) == len(l.Key) {
			l.Key = queue.Key(k)
		}
		show(l)
		return nil
	})
	return info.State.LastSeq, err
}

// Clear implements [queue.Bodies].
func (s *store) Clear(ctx context.Context) error {
	if err := s.bodies.Purge(ctx); err != nil {
		return s.readError(ctx, err)
	}
	return nil
}

// Append implements [queue.Log].
func (s *store) Append(ctx context.Context, record []byte) error {
	_, err := s.request(ctx, &nats.Msg{Subject: s.doneSubject(), Data: record})
	return err
}

// Replay implements [queue.Log].
func (s *store) Replay(ctx context.Context, show func([]byte) error) error {
	sc := scan{stream: s.log, subject: s.doneSubject(), fetch: 128}
	return s.read(ctx, sc, func(m jetstream.Msg, _ uint64) error { return show(m.Data()) })
}

// Rewrite implements [queue.Log].
func (s *store) Rewrite(ctx context.Context, records [][]byte) error {
	first := uint64(0)
	for _, r := range records {
		seq, err := s.request(ctx, &nats.Msg{Subject: s.doneSubject(), Data: r})
		if err != nil {
			return err
		}
		if first == 0 {
			first = seq
		}
	}
	opts := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(s.doneSubject())}
	if first > 0 {
		opts = append(opts, jetstream.WithPurgeSequence(first))
	}
	if err := s.log.Purge(ctx, opts...); err != nil {
		return s.readError(ctx, err)
	}
	return nil
}

// State implements [queue.States].
func (s *store) State(ctx context.Context, key string) ([]byte, error) {
	m, err := s.log.GetLastMsgForSubject(ctx, s.stateSubject(key))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, nil
	case err != nil:
		return nil, s.readError(ctx, err)
	}
	return append([]byte{}, m.Data...), nil
}

// States implements [queue.States].
func (s *store) States(ctx context.Context, prefix string) (list []queue.State, err error) {
	all := s.stateSubject("")
	sc := scan{stream: s.log, subject: all + ">", fetch: 512}
	err = s.read(ctx, sc, func(m jetstream.Msg, _ uint64) error {
		if key := strings.TrimPrefix(m.Subject(), all); strings.HasPrefix(key, prefix) {
			list = append(list, queue.State{Key: key, Value: append([]byte{}, m.Data()...)})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b queue.State) int { return strings.Compare(a.Key, b.Key) })
	return list, err
}

// SetStates implements [queue.States].
func (s *store) SetStates(ctx context.Context, list []queue.State) error {
	for _, one := range list {
		if err := s.setState(ctx, one.Key, one.Value); err != nil {
			return err
		}
	}
	return nil
}

// setState keeps one state.
func (s *store) setState(ctx context.Context, key string, value []byte) error {
	subject := s.stateSubject(key)
	if value == nil {
		if err := s.log.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return s.readError(ctx, err)
		}
		return nil
	}
	m := &nats.Msg{Subject: subject, Data: value, Header: nats.Header{headerRollup: {"sub"}}}
	_, err := s.request(ctx, m)
	return err
}

// Close ends the connection.
func (s *store) Close() error {
	if s.owner != nil && s.owner.Unsubscribe() == nil {
		_ = s.nc.FlushTimeout(claimWait) // so that another process can be the owner at once
	}
	s.nc.Close()
	return nil
}
