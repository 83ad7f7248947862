package wal

import (
	"errors"
	"io"
	"syscall"
)

// A Window reads nearby small pieces with few calls. It reads around the sectors that the
// disk cannot read: those are holes, and count as zeros, so that no frame with one is whole.
type Window struct {
	io.ReaderAt
	at      int64
	buf     []byte // the bytes from at on
	careful int64  // up to here it reads no more than it must, because a sector nearby cannot be read
	holes   []Gap
}

// windowSize is how many bytes a window reads at once.
const windowSize = 16 << 10

// Sector is the least part in bytes that a disk fails to read.
const Sector = 512

// Unreadable reports whether the disk failed to read, rather than the program.
func Unreadable(err error) bool { return errors.Is(err, syscall.EIO) }

// ReadAt implements [io.ReaderAt].
func (w *Window) ReadAt(b []byte, at int64) (int, error) {
	if len(b) > windowSize/2 {
		return w.Around(b, at)
	}
	if at < w.at || at+int64(len(b)) > w.at+int64(len(w.buf)) {
		n, err := w.fill(at, len(b))
		if n < len(b) { // an error within the requested bytes
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return copy(b, w.buf), err
		}
	}
	return copy(b, w.buf[at-w.at:]), nil
}

// fill moves the window to offset at, where least bytes are needed.
func (w *Window) fill(at int64, least int) (n int, err error) {
	if cap(w.buf) == 0 {
		w.buf = make([]byte, windowSize)
	}
	w.at, w.buf = at, w.buf[:windowSize]
	if at >= w.careful {
		n, err = w.ReaderAt.ReadAt(w.buf, at)
		if Unreadable(err) {
			w.careful = at + windowSize
		}
	}
	if at < w.careful {
		n, err = w.Around(w.buf[:(at+int64(least)+Sector-1)&^(Sector-1)-at], at)
	}
	w.buf = w.buf[:n]
	return n, err
}

// Around reads b from offset at, in smaller and smaller parts if the disk cannot read some.
func (w *Window) Around(b []byte, at int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(b, at)
	if !Unreadable(err) {
		return n, err
	}
	half := (at+int64(len(b))/2)&^(Sector-1) - at
	if half <= 0 {
		half += Sector
	}
	if half >= int64(len(b)) || w.dead(b, at) {
		clear(b)
		w.holes = append(w.holes, Gap{at, at + int64(len(b)), err})
		return len(b), nil
	}
	if n, err = w.Around(b[:half], at); err != nil {
		return n, err
	}
	n, err = w.Around(b[half:], at+half)
	return int(half) + n, err
}

// leastDead is the least part in bytes that is given up after three failed reads in it.
const leastDead = 64 << 10

// dead reports whether reads at both ends and in the middle of b fail. A disk may take
// seconds to fail, so a large part is not tried sector by sector.
func (w *Window) dead(b []byte, at int64) bool {
	if len(b) < leastDead {
		return false
	}
	for _, i := range []int{0, len(b) / 2, len(b) - 1} {
		if _, err := w.ReaderAt.ReadAt(b[i:i+1], at+int64(i)); !Unreadable(err) {
			return false
		}
	}
	return true
}

// Why is the reason if some of the bytes between two offsets cannot be read, or nil.
func (w *Window) Why(from, to int64) error {
	for _, h := range w.holes {
		if h.From < to && from < h.To {
			return h.Why
		}
	}
	return nil
}
