package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/groupform"
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

// unavailable is the status of a server that cannot answer now, as while a cluster elects
// a leader.
const unavailable = 503

// codesNoSpace are the codes of a server, an account or a stream that is full.
func codesNoSpace() []int { return []int{10002, 10023, 10047, 10028, 10027} }

const (
	maxBatches  = 16       // batches under way at once; the server takes 50
	windowBytes = 16 << 20 // of a batch that were sent and not yet answered for
	maxMessage  = 31 << 20 // the server's files hold records below 32 MiB
)

// errTaken says that the store holds a record of the key already.
var errTaken = errors.New("taken")

// A jetStream is a Store of two streams of a NATS server: see
// docs/formats/stream.md.
type jetStream struct {
	o       Options
	url     string
	nc      *nats.Conn
	bodies  jetstream.Stream
	log     jetstream.Stream
	owner   *nats.Subscription // answers others who would use the streams
	limit   int                // of a body
	batches chan struct{}      // holds an element for each batch under way
}

func (s *jetStream) groupSubject(k Key) string    { return s.o.Name + ".group." + k.String() }
func (s *jetStream) doneSubject() string          { return s.o.Name + ".done" }
func (s *jetStream) stateSubject(k string) string { return s.o.Name + ".state." + k }

// Put keeps records.
func (s *jetStream) Put(ctx context.Context, records []Record) ([]uint64, error) {
	for _, r := range records {
		if len(r.Body) > s.limit {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: s.limit}
		}
	}
	seqs := make([]uint64, len(records))
	left := make([]int, len(records)) // indices of those that are not found to be there
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

// absent returns those of the indices whose records are not in the stream.
func (s *jetStream) absent(ctx context.Context, records []Record, indices []int) ([]int, error) {
	if len(indices) == 1 { // it was refused, so it is there
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
func (s *jetStream) putBatch(ctx context.Context, records []Record, indices []int) (first uint64, err error) {
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
		m.Header[headerMeta] = []string{string(records[i].Meta)}
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
		// Nothing is kept before the commit, so that an error up to there is a certain one.
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

// beforeCommit is the error of a batch that was not sent whole.
func (s *jetStream) beforeCommit(err error) error {
	if errors.Is(err, ErrUncertain) {
		return fmt.Errorf("%w: a batch was not answered for", ErrUnreachable)
	}
	return err
}

// An answer is what the server says to a message for a stream.
type answer struct {
	Seq   uint64              `json:"seq"`
	Error *jetstream.APIError `json:"error"`
}

// request sends m and waits until the stream holds it, on disk. Once it is sent the
// end of ctx is too late: the outcome is waited for.
func (s *jetStream) request(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.o.timeout())
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
		return 0, fmt.Errorf("%w: the server's answer: %w", ErrUncertain, err)
	}
	if a.Error != nil {
		return 0, s.serverError(a.Error)
	}
	return a.Seq, nil
}

// sendError is the error of a request that got no answer.
func (s *jetStream) sendError(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrReconnectBufExceeded):
		return fmt.Errorf("%s: %w: %w", s.where(), ErrUnreachable, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), ErrUncertain, err)
}

// serverError is the error of a message that the server refused.
func (s *jetStream) serverError(e *jetstream.APIError) error {
	switch code := int(e.ErrorCode); {
	case code == codeWrongSequence, code == codeSequenceInProcess:
		return errTaken
	case code == codeStoreFailed:
		return fmt.Errorf("%s: %w: %s", s.where(), ErrUncertain, e.Description)
	case slices.Contains(codesNoSpace(), code):
		return fmt.Errorf("%s: %w: %s", s.where(), ErrNoSpace, e.Description)
	case e.Code == unavailable:
		return fmt.Errorf("%s: %w: %s", s.where(), ErrUnreachable, e.Description)
	}
	return fmt.Errorf("%s: error %d: %s", s.where(), e.ErrorCode, e.Description)
}

// readError is the error of a request that changes nothing.
func (s *jetStream) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var api *jetstream.APIError
	if errors.As(err, &api) && api.Code != unavailable {
		return fmt.Errorf("%s: %w", s.where(), err)
	}
	return fmt.Errorf("%s: %w: %w", s.where(), ErrUnreachable, err)
}

// where names the store to people, without passwords.
func (s *jetStream) where() string {
	list := strings.Split(s.url, ",")
	for i, one := range list {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// Body returns the body of seq.
func (s *jetStream) Body(ctx context.Context, seq uint64) ([]byte, error) {
	m, err := s.bodies.GetMsg(ctx, seq)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, fmt.Errorf("%s: sequence number %d: %w", s.where(), seq, ErrUnknown)
	case err != nil:
		return nil, s.readError(ctx, err)
	}
	return m.Data, nil
}

// Delete frees bodies.
func (s *jetStream) Delete(ctx context.Context, below uint64, seqs []uint64) error {
	if below > 0 {
		if err := s.bodies.Purge(ctx, jetstream.WithPurgeSequence(below)); err != nil {
			return s.readError(ctx, err)
		}
	}
	return each(len(seqs), func(i int) error {
		err := s.bodies.DeleteMsg(ctx, seqs[i])
		if errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
			if _, err = s.bodies.GetMsg(ctx, seqs[i]); errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil
			}
		}
		if err != nil {
			return s.readError(ctx, err)
		}
		return nil
	})
}

// List shows all bodies.
func (s *jetStream) List(ctx context.Context, show func(Listed)) (last uint64, err error) {
	info, err := s.bodies.Info(ctx)
	if err != nil {
		return 0, s.readError(ctx, err)
	}
	sc := scan{stream: s.bodies, subject: s.o.Name + ".group.*", headers: true, fetch: 4096}
	err = s.read(ctx, sc, func(m jetstream.Msg, seq uint64) error {
		l := Listed{Seq: seq, Meta: []byte(m.Headers().Get(headerMeta))}
		l.Size, _ = strconv.Atoi(m.Headers().Get(nats.MsgSize))
		name := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if k, err := hex.DecodeString(name); err == nil && len(k) == len(l.Key) {
			l.Key = Key(k)
		}
		show(l)
		return nil
	})
	return info.State.LastSeq, err
}

// Clear frees all bodies.
func (s *jetStream) Clear(ctx context.Context) error {
	if err := s.bodies.Purge(ctx); err != nil {
		return s.readError(ctx, err)
	}
	return nil
}

// Append adds a record to the log.
func (s *jetStream) Append(ctx context.Context, record []byte) error {
	_, err := s.request(ctx, &nats.Msg{Subject: s.doneSubject(), Data: record})
	return err
}

// Replay shows the log.
func (s *jetStream) Replay(ctx context.Context, show func([]byte) error) error {
	sc := scan{stream: s.log, subject: s.doneSubject(), fetch: 128}
	return s.read(ctx, sc, func(m jetstream.Msg, _ uint64) error { return show(m.Data()) })
}

// Rewrite replaces the log.
func (s *jetStream) Rewrite(ctx context.Context, records [][]byte) error {
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

// State returns a record by its key.
func (s *jetStream) State(ctx context.Context, key string) ([]byte, error) {
	m, err := s.log.GetLastMsgForSubject(ctx, s.stateSubject(key))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, nil
	case err != nil:
		return nil, s.readError(ctx, err)
	}
	return append([]byte{}, m.Data...), nil
}

// SetState keeps a record by its key.
func (s *jetStream) SetState(ctx context.Context, key string, value []byte) error {
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

// Close ends the connection, and the server where it is in this process.
func (s *jetStream) Close() error {
	if s.owner != nil && s.owner.Unsubscribe() == nil {
		_ = s.nc.FlushTimeout(claimWait) // so that another may be the owner at once
	}
	s.nc.Close()
	return nil
}
