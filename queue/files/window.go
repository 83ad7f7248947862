package files

import "io"

// A window reads small pieces that lie close together with few calls.
type window struct {
	io.ReaderAt
	at  int64
	buf []byte // what is there from at on
}

// windowSize is how much a window reads at once, in bytes.
const windowSize = 16 << 10

// ReadAt reads from offset at on.
func (w *window) ReadAt(b []byte, at int64) (int, error) {
	if len(b) > windowSize/2 {
		return w.ReaderAt.ReadAt(b, at)
	}
	if at < w.at || at+int64(len(b)) > w.at+int64(len(w.buf)) {
		if cap(w.buf) == 0 {
			w.buf = make([]byte, windowSize)
		}
		n, err := w.ReaderAt.ReadAt(w.buf[:windowSize], at)
		w.at, w.buf = at, w.buf[:n]
		if n < len(b) { // there is an error: it is returned for what was asked, and no more
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return copy(b, w.buf), err
		}
	}
	return copy(b, w.buf[at-w.at:]), nil
}
