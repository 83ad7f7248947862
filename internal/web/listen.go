package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// A Listener is an open port with the keys of its server.
type Listener struct {
	net.Listener
	Keys     []Key // none: anyone may call
	settings Settings
}

// An InUseError is a port that another program has.
type InUseError struct {
	Host string
	Port int
}

// Error says what to do for the port of the settings.
func (e *InUseError) Error() string {
	return fmt.Sprintf("port %d of %s is in use; choose another with --port, or any with --port 0", e.Port, e.Host)
}

// nextPorts is how many ports are tried in place of one.
const nextPorts = 100

// Listen reads the key file of s and listens on its port. Keys in the file may have one of
// roles, or [Admin]. Without keys, the host must be loopback.
func Listen(ctx context.Context, s Settings, roles ...Role) (*Listener, error) {
	s = s.withDefaults()
	if err := s.Check(); err != nil {
		return nil, err
	}
	keys, err := ReadKeys(s.KeyFile, roles...)
	if err != nil {
		return nil, fmt.Errorf("key_file: %w", err)
	}
	if err := checkAnnounce(s.Announce); err != nil {
		return nil, err
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	for port := s.Port + 1; s.Next && errors.Is(err, syscall.EADDRINUSE) && port < s.Port+nextPorts; port++ {
		l, err = config.Listen(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(port)))
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &InUseError{s.Host, s.Port}
	}
	if err != nil {
		return nil, err
	}
	return &Listener{l, keys, s}, nil
}
