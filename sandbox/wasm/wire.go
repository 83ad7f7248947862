package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A kind says what a message between a child and its parent is.
type kind byte

// The messages. Before the first, the child has its File and cache as a setup.
const (
	kindSetup kind = 's' // to the child: a setup
	kindReady kind = 'r' // it has loaded its program: a ready
	kindOrder kind = 'j' // to the child: an order
	kindOut   kind = 'o' // some output
	kindErr   kind = 'e' // some of the other output
	kindEnded kind = 'x' // the job has ended: an ended
)

// A setup says what a child loads.
type setup struct {
	File  File
	Cache string // empty: none
}

// A ready says how a child has loaded.
type ready struct {
	Fault  string // empty: it has
	Layers []sandbox.Layer
	CPU    time.Duration // of the process so far
}

// An order is a job.
type order struct {
	Argv, Environ []string
	Stdin         []byte
	Files         map[string][]byte
	Fetch         []string
	Limits        sandbox.Limits // filled
}

// An ended is how a job ended, in the words of the child.
type ended struct {
	End     sandbox.End
	Code    int
	CPU     time.Duration // of the job
	Peak    int64
	Fetched map[string][]byte
}

// errTooLong says that a message has more bytes than it may.
var errTooLong = errors.New("a message is too long")

// send writes a message.
func send(w io.Writer, k kind, body []byte) error {
	head := binary.LittleEndian.AppendUint64([]byte{byte(k)}, uint64(len(body)))
	if _, err := w.Write(append(head, body...)); err != nil {
		return fmt.Errorf("sending a message: %w", err)
	}
	return nil
}

// receive reads a message of most bytes at most. The other side may be an attacker: memory grows
// with what it sends, and not with what it announces.
func receive(r io.Reader, most int64) (kind, []byte, error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint64(head[1:])
	if size > uint64(most) {
		return 0, nil, errTooLong
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err == nil && uint64(len(body)) < size {
		err = io.ErrUnexpectedEOF
	}
	return kind(head[0]), body, err
}
