package host

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
)

// Store is the settings of the storage of groups.
type Store struct {
	NATSURL      string // empty: the data folder
	NATSReplicas int    // 1 to 5
	NATSCreds    string // empty: none
	NATSStandby  bool
	NATSSynced   bool
	MinFree      int64         // see the options of package queue/files
	Remember     time.Duration // see the options of package queue
}

// DefaultStore returns a store in the data folder.
func DefaultStore() Store { return Store{NATSReplicas: 1} }

// Open opens the queue in a folder by the settings and how, not one on a NATS server.
func (s *Store) Open(ctx context.Context, folder string, how files.Options) (*queue.Queue, error) {
	how.MinFree = s.MinFree
	store, err := files.Open(folder, how)
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, store, queue.Options{Log: how.Log, Remember: s.Remember})
}

// Declare implements [settings.Declarer].
func (s *Store) Declare(d *settings.Section) {
	d.Text(&s.NATSURL, "nats_url", "NATS server or cluster to store the groups, instead of the data folder; several servers with commas").Flag("nats-url")
	d.Int(&s.NATSReplicas, "nats_replicas", "copies in the cluster; 3 survive the loss of a node").Between(1, 5)
	d.Text(&s.NATSCreds, "nats_creds", "file of NATS credentials")
	d.Bool(&s.NATSStandby, "nats_standby", "wait while another process owns the groups, and take over when it ends or shows no sign of life for 3 s")
	d.Bool(&s.NATSSynced, "nats_synced", "the NATS server syncs each write to its disk: do not warn")
	d.Int64(&s.MinFree, "min_free", "bytes that groups leave free on the disk; 0: 64 MiB, or a tenth of a small disk; -1: none").AtLeast(-1)
	d.Duration(&s.Remember, "remember", "how long to remember the IDs of acknowledged groups, to refuse duplicates; 0: for ever").AtLeast(0)
}
