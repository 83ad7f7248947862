//go:build !linux || !(amd64 || arm64)

package box

import (
	"context"
	"errors"
	"net"
	"runtime"
)

// errSystem is why nothing runs here.
var errSystem = errors.New("trials need Linux on amd64 or arm64, this is " + runtime.GOOS + "/" + runtime.GOARCH)

// A Trial is none.
type Trial struct{}

// A Session is none.
type Session struct{}

// New returns an error.
func New(Options) (*Trial, error) { return nil, errSystem }

// Probe returns an error.
func Probe(context.Context, string) error { return errSystem }

// Find finds nothing.
func Find([]Lower, string) string { return "" }

// Start returns an error.
func (*Trial) Start(context.Context, Phase) (*Session, error) { return nil, errSystem }

// Changes returns an error.
func (*Trial) Changes() (Changes, error) { return Changes{}, errSystem }

// Close does nothing.
func (*Trial) Close() error { return nil }

// Run returns an error.
func (*Session) Run(context.Context, Command) (Result, error) { return Result{}, errSystem }

// Read returns an error.
func (*Session) Read(string, int64) ([]byte, error) { return nil, errSystem }

// Save returns an error.
func (*Session) Save(string, string) error { return errSystem }

// Listener returns none.
func (*Session) Listener(int) net.Listener { return nil }

// Close does nothing.
func (*Session) Close() error { return nil }
