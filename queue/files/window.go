package files

import "io"

// A window reads nearby small pieces with few calls.
type window struct {
	io.ReaderAt
	at  int64
	buf []byte // the bytes from at on
}

// windowSize is how many bytes a window reads at once.
const windowSize = 16 << 10

// ReadAt implements [io.ReaderAt].
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
		if n < len(b) { // an error within the requested bytes
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return copy(b, w.buf), err
		}
	}
	return copy(b, w.buf[at-w.at:]), nil
}
