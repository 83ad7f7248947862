package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
)

// Kinds of the records of the journal.
const (
	kindGroup     = 'g' // groupRecord
	kindClosed    = 'x' // of a group: its caller closed it
	kindOrder     = 'o' // of a group: orderRecord
	kindSession   = 's' // sessionRecord
	kindCall      = 'c' // tree.Record, encoded with its node
	kindLost      = 'l' // the ID of a call whose reply did not arrive, a dot, and the number of the news
	kindDelivered = 'd' // the same, of a call whose reply arrived after all
	kindFailed    = 'f' // failure
	kindReward    = 'r' // Reward
	kindEnd       = 'e' // endRecord
	kindSealed    = 'z' // sealedRecord
	kindKey       = 'k' // the generation of the session's key
)

// A sessionRecord is what the journal keeps of a new session.
type sessionRecord struct {
	ID      string    `json:"id"`
	Group   string    `json:"group"`
	Number  int       `json:"number"`
	Created time.Time `json:"created"`
	As      string    `json:"as,omitempty"` // see [Spec]

	Generation uint32 `json:"generation,omitempty"` // of its key, as it began
}

// An orderRecord is what the journal keeps of a request for sessions with a key of
// idempotency.
type orderRecord struct {
	Key  string `json:"key"`
	Made *Made  `json:"made"`
	Sum  []byte `json:"sum,omitempty"` // of the request; empty: unknown
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
	Read(session string) ([]journal.Record, error)
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
	data, err := json.Marshal(v)
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
		data, err := tree.Encode(n, tree.Record{Choice: i, Body: f.body[:], Vocabulary: vocabulary, At: f.at})
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

// keepArrival writes what became of replies, or of a call, if that is possible.
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
