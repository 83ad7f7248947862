package gateway

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// Kinds of the records of the journal.
const (
	kindGroup     = 'g' // groupRecord
	kindClosed    = 'x' // of a group: its caller closed it
	kindOrder     = 'o' // of a group: orderRecord
	kindSession   = 's' // sessionRecord
	kindCall      = 'c' // callRecord, then columns
	kindLost      = 'l' // the ID of a call whose reply did not arrive, a dot, and the number of the news
	kindDelivered = 'd' // the same, of a call whose reply arrived after all
	kindFailed    = 'f' // failure
	kindReward    = 'r' // Reward
	kindEnd       = 'e' // endRecord
	kindSealed    = 'z' // sealedRecord
)

// A sessionRecord is what the journal keeps of a new session.
type sessionRecord struct {
	ID      string    `json:"id"`
	Group   string    `json:"group"`
	Number  int       `json:"number"`
	Created time.Time `json:"created"`
	As      string    `json:"as,omitempty"` // see [Spec]
}

// An orderRecord is what the journal keeps of a request for sessions with a key of
// idempotency.
type orderRecord struct {
	Key  string `json:"key"`
	Made *Made  `json:"made"`
}

// An endRecord is what the journal keeps of the end of a session.
type endRecord struct {
	End
	At time.Time `json:"at"`
}

// A sealedRecord is the outcome of a session.
type sealedRecord struct {
	Outcome quintain.Outcome `json:"outcome"`
	Why     string           `json:"why,omitempty"`
}

// A callRecord is what the journal keeps of a call. Its tokens, log-probabilities and
// versions stand after it in binary.
type callRecord struct {
	Parent     string        `json:"parent,omitempty"` // ID of a call
	Choice     int           `json:"choice,omitempty"` // number of the reply in its call
	Whole      string        `json:"whole,omitempty"`
	Asked      []byte        `json:"asked"`
	End        []byte        `json:"end"`
	Start      []byte        `json:"start"`
	System     []byte        `json:"system"`
	Body       []byte        `json:"body"` // digest of the request
	Instructed bool          `json:"instructed,omitempty"`
	Completed  string        `json:"completed,omitempty"`
	Vocabulary string        `json:"vocabulary,omitempty"`
	At         time.Time     `json:"at"`
	Turn       quintain.Turn `json:"turn"` // without its columns
}

// groupKey names the records of a group in the journal.
func groupKey(id string) string { return "group " + id }

// A book keeps records in the journal, if there is one.
type book struct {
	journal store
}

// A store is what a gateway needs of a [journal.Journal].
type store interface {
	Append(ctx context.Context, all ...journal.Record) error
	Forget(session string) error
	Run(ctx context.Context) error
	Close() error
}

// openJournal opens the journal of a folder.
func openJournal(folder string, o journal.Options, replay func(journal.Record) error) (store, error) {
	return journal.Open(folder, o, replay)
}

// write appends records to the journal, and returns when they are on disk.
func (b book) write(ctx context.Context, all ...journal.Record) error {
	if b.journal == nil {
		return nil
	}
	return b.journal.Append(ctx, all...)
}

// recordOf makes a record with the JSON of a type of this package, which cannot fail.
func recordOf(session string, kind byte, v any) journal.Record {
	data, err := jsonform.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("gateway: a record: %v", err))
	}
	return journal.Record{Session: session, Kind: kind, Data: data}
}

// keep writes one record with JSON.
func (b book) keep(ctx context.Context, session string, kind byte, v any) error {
	if b.journal == nil {
		return nil
	}
	return b.write(ctx, recordOf(session, kind, v))
}

// keepCall writes the replies of a call.
func (b book) keepCall(s *session, f *flight, vocabulary string, nodes []*tree.Node) error {
	if b.journal == nil {
		return nil
	}
	var all []journal.Record
	for i, n := range nodes {
		data, err := encodeCall(n, callRecord{Choice: i, Body: f.body[:], Vocabulary: vocabulary, At: f.at})
		if err != nil {
			return err
		}
		all = append(all, journal.Record{Session: s.id, Kind: kindCall, Data: data})
	}
	return b.write(context.Background(), all...)
}

// keepSealed writes the outcome of a session. s.mu is held.
func (b book) keepSealed(ctx context.Context, s *session) error {
	return b.keep(ctx, s.id, kindSealed, sealedRecord{s.outcome, s.why})
}

// keepArrival writes what judgeArrival returned, if that is possible.
func (b book) keepArrival(log *slog.Logger, news []journal.Record) {
	if len(news) == 0 {
		return
	}
	if err := b.write(context.Background(), news...); err != nil {
		log.Warn("what became of a reply is not kept", "session", news[0].Session, "err", err)
	}
}

// release writes that the host has a group, whose records are then not needed.
func (b book) release(of *group) error {
	if b.journal == nil {
		return nil
	}
	var errs []error
	for _, s := range of.sessions {
		errs = append(errs, b.journal.Forget(s.id))
	}
	return errors.Join(append(errs, b.journal.Forget(groupKey(of.Name)))...)
}

// encodeCall writes a node into a record of its call.
func encodeCall(n *tree.Node, r callRecord) ([]byte, error) {
	r.Whole, r.Asked, r.End, r.Start, r.System, r.Turn, r.Instructed, r.Completed = n.Whole, n.Asked[:], n.End[:], n.Start[:], n.System[:], n.Turn, n.Instructed, n.Completed
	if n.Parent != nil {
		r.Parent = n.Parent.ID
	}
	t := &r.Turn
	t.Read, t.Wrote, t.LogProbs, t.Versions = nil, nil, nil, nil
	head, err := jsonform.Marshal(r)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(head)+16+3*len(n.Turn.Read)+9*len(n.Turn.Wrote))
	out = binary.AppendUvarint(out, uint64(len(head)))
	out = append(out, head...)
	out = appendTokens(appendTokens(out, n.Turn.Read), n.Turn.Wrote)
	out = binary.AppendUvarint(out, uint64(len(n.Turn.LogProbs)))
	for _, p := range n.Turn.LogProbs {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(p))
	}
	last := int32(0)
	for _, v := range n.Turn.Versions {
		out = binary.AppendVarint(out, int64(v)-int64(last))
		last = v
	}
	return out, nil
}

func appendTokens(out []byte, tokens []quintain.Token) []byte {
	out = binary.AppendUvarint(out, uint64(len(tokens)))
	for _, t := range tokens {
		out = binary.AppendUvarint(out, uint64(uint32(t))) //nolint:gosec // tokens are 0 or more
	}
	return out
}

// errRecord says that a record of a call is not whole.
var errRecord = errors.New("a record of a call is not whole")

// decodeCall reads what encodeCall wrote. The parent is still a name.
func decodeCall(data []byte) (*tree.Node, callRecord, error) {
	var r callRecord
	c := columns{rest: data}
	head := c.bytes(c.number())
	if c.failed {
		return nil, r, errRecord
	}
	if err := jsonform.Unmarshal(head, &r); err != nil {
		return nil, r, fmt.Errorf("record of a call: %w", err)
	}
	n := &tree.Node{Whole: r.Whole, Turn: r.Turn, At: r.At, Instructed: r.Instructed, Completed: r.Completed}
	if n.Turn.Call == nil {
		return nil, r, errRecord
	}
	n.ID = n.Turn.Call.ID
	for _, d := range []struct {
		from []byte
		to   *tree.Digest
	}{{r.Asked, &n.Asked}, {r.End, &n.End}, {r.Start, &n.Start}, {r.System, &n.System}} {
		copy(d.to[:], d.from)
	}
	n.Turn.Read, n.Turn.Wrote = c.tokens(), c.tokens()
	if k := c.number(); k > 0 {
		raw := c.bytes(4 * k)
		for at := 0; at+4 <= len(raw); at += 4 {
			n.Turn.LogProbs = append(n.Turn.LogProbs, math.Float32frombits(binary.LittleEndian.Uint32(raw[at:])))
		}
	}
	last := int64(0)
	for range n.Turn.Wrote {
		last += c.signed()
		n.Turn.Versions = append(n.Turn.Versions, int32(last)) //nolint:gosec // written from int32
	}
	if k := len(n.Turn.LogProbs); c.failed || len(c.rest) > 0 || k > 0 && k != len(n.Turn.Wrote) {
		return nil, r, errRecord
	}
	return n, r, nil
}

// columns reads the binary part of a record.
type columns struct {
	rest   []byte
	failed bool
}

// number reads a number that is at most the length of the rest.
func (c *columns) number() int {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > uint64(len(c.rest)) {
		c.failed = true
		return 0
	}
	c.rest = c.rest[n:]
	return int(v) //nolint:gosec // below a length
}

func (c *columns) bytes(n int) []byte {
	if n > len(c.rest) {
		c.failed = true
		return nil
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *columns) signed() int64 {
	v, n := binary.Varint(c.rest)
	if n <= 0 {
		c.failed = true
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

func (c *columns) tokens() []quintain.Token {
	n := c.number()
	out := make([]quintain.Token, 0, n)
	for range n {
		v, k := binary.Uvarint(c.rest)
		if k <= 0 || v > math.MaxInt32 {
			c.failed = true
			return nil
		}
		c.rest = c.rest[k:]
		out = append(out, quintain.Token(v)) //nolint:gosec // checked
	}
	return out
}
