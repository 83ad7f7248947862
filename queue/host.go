package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startWait is how long the server in this process may take to start: it reads all
// its files where it was killed.
const startWait = 10 * time.Minute

// A host is a NATS server in this process, over a folder that it has locked.
type host struct {
	dir    string
	log    *slog.Logger
	lock   io.Closer
	server *server.Server

	health *health
}

// A health is whether a server can still write.
type health struct {
	mu    sync.Mutex
	cause error                            // nil: it can
	waits map[*context.CancelFunc]struct{} // called when it fails
}

// err is why the server can write no more.
func (h *health) err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cause
}

// fail ends the server's health, and the waiting for its answers.
func (h *health) fail(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause != nil {
		return
	}
	h.cause = cause
	for cancel := range h.waits {
		(*cancel)()
	}
}

// watch calls cancel when the server fails, until stop is called.
func (h *health) watch(cancel context.CancelFunc) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause != nil {
		cancel()
	}
	h.waits[&cancel] = struct{}{}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waits, &cancel)
	}
}

// openHost makes and locks the folder, and starts the server.
func openHost(dir string, log *slog.Logger) (*host, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	h := &host{dir: dir, log: log, lock: lock}
	if err := h.start(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return h, nil
}

func (h *host) start() error {
	s, err := server.NewServer(&server.Options{
		ServerName:            "quintain",
		DontListen:            true,
		NoSigs:                true,
		NoLog:                 true,
		JetStream:             true,
		StoreDir:              h.dir,
		SyncAlways:            true,
		MaxPayload:            maxRecord,
		JetStreamMaxMemory:    1 << 30,
		JetStreamMaxStore:     1 << 50, // the disk is watched by the queue
		StreamMaxBufferedSize: 1 << 30,
	})
	if err != nil {
		return err
	}
	h.health = &health{waits: make(map[*context.CancelFunc]struct{})}
	s.SetLoggerV2(&natsLog{log: h.log, health: h.health}, false, false, false)
	s.Start()
	if !s.ReadyForConnections(startWait) || !s.JetStreamEnabled() {
		s.Shutdown()
		s.WaitForShutdown()
		return fmt.Errorf("%s: the server in this process does not start: %w", h.dir, cmp.Or(h.health.err(), errors.New("it does not say why")))
	}
	h.server = s
	return nil
}

// restart ends the server and starts another.
func (h *host) restart() error {
	h.stop()
	return h.start()
}

func (h *host) stop() {
	h.server.Shutdown()
	h.server.WaitForShutdown()
	h.health.fail(errors.New("the server in this process was stopped"))
}

func (h *host) close() error {
	h.stop()
	return h.lock.Close()
}

// A natsLog passes on what the server logs. Errors of writing, after which a stream
// takes nothing more, end the server's health.
type natsLog struct {
	log    *slog.Logger
	health *health
}

func (l *natsLog) Noticef(format string, v ...any) { l.log.Debug("nats: " + fmt.Sprintf(format, v...)) }
func (l *natsLog) Debugf(format string, v ...any)  { l.Noticef(format, v...) }
func (l *natsLog) Tracef(format string, v ...any)  { l.Noticef(format, v...) }
func (l *natsLog) Warnf(format string, v ...any)   { l.Noticef(format, v...) }

// Errorf passes on an error.
func (l *natsLog) Errorf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.log.Warn("nats: " + text)
	if strings.Contains(strings.ToLower(text), "critical write error") {
		l.health.fail(errors.New(text))
	}
}

// Fatalf passes on what keeps the server from starting.
func (l *natsLog) Fatalf(format string, v ...any) {
	l.Errorf(format, v...)
	l.health.fail(fmt.Errorf(format, v...))
}
