package nats

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// syncSubject is where the system account of a NATS server serves its settings. Other
// accounts get no answer unless the operator exports the subject to them.
const syncSubject = "$SYS.REQ.SERVER.PING.JSZ"

// checkSync warns if acknowledged messages may not be on disk. Three copies are enough, and
// so is the user's word.
func (s *server) checkSync(ctx context.Context, info *jetstream.StreamInfo) {
	if s.o.Synced || info.Config.Replicas >= 3 {
		return
	}
	server := s.nc.ConnectedServerName()
	if info.Cluster != nil && info.Cluster.Leader != "" {
		server = info.Cluster.Leader
	}
	const cost = "a power cut of its machine may lose acknowledged messages, minutes of them with the default settings"
	switch always, known := s.syncsAlways(ctx, server); {
	case !known:
		s.o.Log.Warn("the NATS server does not tell whether it syncs each write to its disk: if not, "+cost+
			"; set sync_interval: always in its jetstream settings, then store.nats_synced here, or keep three copies", "server", server, "stream", info.Config.Name)
	case !always:
		s.o.Log.Warn("the NATS server does not sync each write to its disk: "+cost+
			"; set sync_interval: always in its jetstream settings, or keep three copies", "server", server, "stream", info.Config.Name)
	}
}

// syncsAlways asks whether a server syncs each write; known is false if it does not tell.
func (s *server) syncsAlways(ctx context.Context, server string) (always, known bool) {
	ask, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	question, err := json.Marshal(map[string]any{"server_name": server, "exact_match": true, "config": true})
	if err != nil {
		return false, false
	}
	reply, err := s.nc.RequestWithContext(ask, syncSubject, question)
	if err != nil {
		return false, false
	}
	var told struct {
		Data struct {
			Config *struct {
				SyncAlways bool `json:"sync_always"`
			} `json:"config"`
		} `json:"data"`
	}
	if err := strictjson.Unmarshal(reply.Data, &told); err != nil || told.Data.Config == nil {
		return false, false
	}
	return told.Data.Config.SyncAlways, true
}
