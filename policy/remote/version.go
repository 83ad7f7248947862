package remote

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// freshness is the lifetime of a reported version, and doubtful that of a report older than
// what the trainer told: the server probably has newer weights. An outdated version is
// harmless: tokens count as staler than they are.
const (
	freshness = time.Second
	doubtful  = freshness / 20
)

// weights is the server's last report of its weights' version.
type weights struct {
	mu      sync.Mutex
	at      time.Time // time of the request
	version int32
	known   bool
	never   bool // the server lacks the route

	begun   bool // it has reported
	foreign int32
	stays   bool // foreign, its first report, is of another run, and it has reported no other
}

// take records a report; newest and said are those of a [Config].
func (w *weights) take(version int32, newest func() int32, said func(int32)) {
	if !w.begun && newest != nil && version > newest() {
		w.foreign, w.stays = version, true
	}
	w.begun = true
	if w.stays && version == w.foreign {
		return
	}
	w.version, w.known, w.stays = version, true, false
	if said != nil {
		said(version)
	}
}

// Version returns the version of the server's weights, or an older one: see [Config].
func (s *Server) Version(ctx context.Context) int32 {
	if s.cfg.VersionPath == "" || s.cfg.VersionPath == Unasked {
		return s.cfg.Version()
	}
	w := &s.weights
	w.mu.Lock()
	defer w.mu.Unlock()
	lifetime := freshness
	if w.known && !w.stays && w.version < s.cfg.Version() {
		lifetime = doubtful
	}
	if !w.never && (w.at.IsZero() || time.Since(w.at) >= lifetime) {
		s.askVersion(ctx, w)
		w.at = time.Now()
	}
	if !w.known {
		return s.cfg.Version()
	}
	return w.version
}

// askVersion asks the server for the version of its weights. Without an answer, the last
// report stays.
func (s *Server) askVersion(ctx context.Context, w *weights) {
	short, cancel := context.WithTimeout(ctx, 2*freshness)
	defer cancel()
	body, err := s.Get(short, s.cfg.VersionPath, "")
	if fault, ok := errors.AsType[*Error](err); ok && fault.Status == http.StatusNotFound {
		w.never = true
	}
	var info struct {
		Version json.RawMessage `json:"weight_version"`
	}
	if err != nil || Decode(body, &info) != nil {
		return
	}
	if version, known := ParseVersion(info.Version); known {
		w.take(version, s.cfg.Newest, s.cfg.Said)
	}
}

// Believes reports whether a version that the server wrote into a reply is of this run; see
// [Config].
func (s *Server) Believes(version int32) bool {
	w := &s.weights
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.stays || version != w.foreign
}

// ParseVersion reads the version of weights, a whole number from 0 on, as JSON or within a
// string. Servers start with a word, such as "default".
func ParseVersion(label json.RawMessage) (version int32, known bool) {
	n, err := strconv.ParseInt(strings.Trim(string(label), `"`), 10, 32)
	return int32(n), err == nil && n >= 0
}
